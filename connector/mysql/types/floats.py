"""FLOAT, DOUBLE and REAL."""

from __future__ import annotations

from connector.capture.columns import Selected
from connector.capture.tables import Column
from connector.codegen import Expression
from connector.data.java import to_float32
from connector.data.schema import FLOAT32, FLOAT64
from connector.mysql.types.family import ColumnType
from connector.mysql.types.fields import DOUBLE, FLOAT, Fixed, Wire, mismatch
from connector.mysql.types.type_options import TypeOptions

NAMES = ("FLOAT", "FLOAT4", "FLOAT8", "DOUBLE", "REAL")
_JDBC_REAL = 7
_TEXT32 = Expression("@f(float({}))", {"f": to_float32}, ("float",))
_TEXT64 = Expression("float({})", native=("double",))


def floating(column: Column, options: TypeOptions) -> ColumnType:
    """Describe a floating point column.

    FLOAT with up to 24 bits is a float32. FLOAT(M,D) and FLOAT4 are stored with 32 bits too, but
    are a float64 in the events, with the noise of the widening. FLOAT(25) and more is a DOUBLE.
    """
    name = column.type_name.upper().split()[0]
    return _exact(column, name) if options.exact else _debezium(column, name)


def _exact(column: Column, name: str) -> ColumnType:
    """Describe it by what SHOW CREATE TABLE calls it: FLOAT4 is a FLOAT, REAL a DOUBLE.

    The text of a FLOAT has six digits, and that of a column (M,D) has D behind the point; that of
    a product with a DOUBLE has the exact number.
    """
    fits = column.scale is not None or (column.length or 0) <= 24
    single = fits and name in ("FLOAT", "FLOAT4")
    text = _TEXT32 if single else _TEXT64
    select = Selected("{} * 1e0", text)
    if single and column.scale is None:
        return ColumnType(FLOAT32, text, _from_log, _literal32, 0.0, select=select)
    return ColumnType(FLOAT64, text, _from_log, float, 0.0, select=select)


def _debezium(column: Column, name: str) -> ColumnType:
    plain = column.scale is None and (column.length or 0) <= 24
    single = name in ("FLOAT", "FLOAT4")
    if name == "FLOAT" and plain:
        return ColumnType(FLOAT32, _TEXT32, _from_log, _literal32, 0.0)
    if column.jdbc_type == _JDBC_REAL:
        convert = Expression("@f({})", {"f": to_float32})
        return ColumnType(
            FLOAT32, _TEXT32, lambda wire: Fixed(_format(wire), convert), _literal32, 0.0
        )
    stored_single = single and (column.length or 0) <= 24
    text = _TEXT32 if stored_single or (single and column.scale is not None) else _TEXT64
    return ColumnType(FLOAT64, text, _from_log, float, 0.0)


def _literal32(literal: str) -> float:
    return to_float32(float(literal))


def _from_log(wire: Wire) -> Fixed:
    return Fixed(_format(wire))


def _format(wire: Wire) -> str:
    if wire.type not in (FLOAT, DOUBLE):
        raise mismatch("a floating point number", wire)
    return "f" if wire.type == FLOAT else "d"
