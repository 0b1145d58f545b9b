"""TINYINT, SMALLINT, MEDIUMINT, INT, BIGINT and BOOLEAN."""

from __future__ import annotations

from decimal import Decimal
from math import floor
from typing import Any

from connector.capture.tables import Column
from connector.codegen import Expression
from connector.data.schema import BOOLEAN, INT16, INT32, INT64, Schema
from connector.data.semantic import decimal
from connector.mysql.types.family import ColumnType
from connector.mysql.types.fields import INT24, LONG, LONGLONG, SHORT, TINY, Fixed, Wire, mismatch
from connector.mysql.types.type_options import TypeOptions

_TEXT = Expression("int({})", native=("integer",))
_SIGNED_FORMATS = {TINY: "b", SHORT: "h", INT24: "3s", LONG: "i", LONGLONG: "q"}
_SCHEMAS: dict[str, tuple[Schema, Schema]] = {  # signed, unsigned
    "TINYINT": (INT16, INT16),
    "INT1": (INT16, INT16),
    "SMALLINT": (INT16, INT32),
    "INT2": (INT16, INT32),
    "MEDIUMINT": (INT32, INT32),
    "INT3": (INT32, INT32),
    "MIDDLEINT": (INT32, INT32),
    "INT": (INT32, INT64),
    "INTEGER": (INT32, INT64),
    "INT4": (INT32, INT64),
    "BIGINT": (INT64, INT64),
    "INT8": (INT64, INT64),
}
NAMES = tuple(_SCHEMAS)


def integer(column: Column, options: TypeOptions) -> ColumnType:
    """Describe an integer column."""
    words = column.type_name.upper().split()
    unsigned = "UNSIGNED" in words or "ZEROFILL" in words
    if unsigned and words[0] in ("BIGINT", "INT8"):
        return _unsigned_bigint(options)
    if unsigned and words[0] == "INTEGER" and options.flavor == "mariadb" and not options.exact:
        return _wrapped(column)
    schema = _SCHEMAS[words[0]][unsigned]
    return ColumnType(schema, _TEXT, _from_log(column, unsigned), _round_half_up, 0)


def boolean(column: Column, options: TypeOptions) -> ColumnType:
    """Describe a BOOL column: only a streamed CREATE TABLE calls a TINYINT(1) so."""
    if options.exact:
        return ColumnType(INT16, _TEXT, _from_log(column, unsigned=False), _round_half_up, 0)
    return ColumnType(
        BOOLEAN,
        Expression("int({}) != 0"),
        lambda wire: Fixed(
            _format(column, wire, unsigned=False), Expression("{} != 0", native=("truth",))
        ),
        _truth,
        fallback=False,
    )


def _unsigned_bigint(options: TypeOptions) -> ColumnType:
    if options.unsigned_bigint == "precise":
        return ColumnType(
            decimal(0, 20),
            _TEXT,
            lambda wire: Fixed(_format(None, wire, unsigned=True)),
            lambda literal: int(Decimal(literal)),
            0,
        )
    # "long": a value of 2^63 and more wraps to a negative one, as a Java long does
    return ColumnType(
        INT64,
        Expression("@signed(int({}))", {"signed": _signed}, ("integer",)),
        lambda wire: Fixed(_format(None, wire, unsigned=False)),
        _round_half_up,
        0,
    )


def _wrapped(column: Column) -> ColumnType:
    """Describe INTEGER UNSIGNED as Debezium's MariaDB connector does: it takes it to be signed.

    Only a streamed statement calls a column so; a snapshot reads ``int unsigned``.
    """
    return ColumnType(
        INT32,
        Expression("@wrap(int({}))", {"wrap": lambda value: (value + 2**31) % 2**32 - 2**31}),
        lambda wire: Fixed(_format(column, wire, unsigned=False)),
        _round_half_up,
        0,
    )


def _from_log(column: Column, unsigned: bool) -> Any:
    def field(wire: Wire) -> Fixed:
        code = _format(column, wire, unsigned=unsigned)
        if wire.type == INT24:
            signed = "" if unsigned else ", signed=True"
            native = ("unsigned" if unsigned else "signed",)
            template = f"@i({{}}, 'little'{signed})"
            return Fixed("3s", Expression(template, {"i": int.from_bytes}, native))
        return Fixed(code)

    return field


def _format(column: Column | None, wire: Wire, *, unsigned: bool) -> str:
    code = _SIGNED_FORMATS.get(wire.type)
    if code is None:
        raise mismatch(column.type_name if column else "BIGINT UNSIGNED", wire)
    return code.upper() if unsigned and code != "3s" else code


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def _round_half_up(literal: str) -> int:
    """Round like Java's ``Math.round`` of a double: half up, saturating at 64 bits."""
    if literal.lower() in ("true", "false"):
        return int(literal.lower() == "true")
    value = floor(float(literal) + 0.5)
    return max(-(1 << 63), min(value, (1 << 63) - 1))


def _truth(literal: str) -> bool:
    try:
        return int(literal) != 0
    except ValueError:
        return literal.lower() == "true"
