"""Compares a definition with the rows of its table in the log."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from connector.capture.tables import Column, Table
from connector.mysql.binlog.described import unsigned_columns
from connector.mysql.binlog.tablemap import TableMap
from connector.mysql.ddl.generated_key import may_be_generated_key
from connector.mysql.types import fields
from connector.mysql.types.fields import Wire, real_string_type

_TEXTS: Final = (
    fields.VARCHAR,
    fields.VAR_STRING,
    fields.STRING,
    fields.BLOB,
    fields.VARCHAR_COMPRESSED,
    fields.BLOB_COMPRESSED,
)
_TEXT_NAMES: Final = """
    CHAR CHARACTER VARCHAR VARCHARACTER NCHAR NVARCHAR NATIONAL TINYTEXT TEXT MEDIUMTEXT LONGTEXT
    LONG BINARY VARBINARY TINYBLOB BLOB MEDIUMBLOB LONGBLOB"""
_GEOMETRIES: Final = """
    GEOMETRY GEOMETRYCOLLECTION GEOMCOLLECTION POINT MULTIPOINT LINESTRING MULTILINESTRING POLYGON
    MULTIPOLYGON"""


def _wires_of(names: str, *types: int) -> Iterable[tuple[str, tuple[int, ...]]]:
    return ((name, types) for name in names.split())


# The types that the log may have for a column type, by the first word of its name. A type that is
# missing here may have any.
_WIRES: Final[dict[str, tuple[int, ...]]] = dict(
    (
        *_wires_of("TINYINT INT1 BOOL BOOLEAN", fields.TINY),
        *_wires_of("SMALLINT INT2", fields.SHORT),
        *_wires_of("MEDIUMINT INT3 MIDDLEINT", fields.INT24),
        *_wires_of("INT INTEGER INT4", fields.LONG),
        *_wires_of("BIGINT INT8", fields.LONGLONG),
        *_wires_of("FLOAT FLOAT4 REAL DOUBLE FLOAT8", fields.FLOAT, fields.DOUBLE),
        *_wires_of("DECIMAL DEC FIXED NUMERIC", fields.NEWDECIMAL),
        *_wires_of("YEAR", fields.YEAR),
        *_wires_of("DATE", fields.DATE),
        *_wires_of("TIME", fields.TIME, fields.TIME2),
        *_wires_of("DATETIME", fields.DATETIME, fields.DATETIME2),
        *_wires_of("TIMESTAMP", fields.TIMESTAMP, fields.TIMESTAMP2),
        *_wires_of("BIT", fields.BIT),
        *_wires_of("ENUM", fields.ENUM),
        *_wires_of("SET", fields.SET),
        *_wires_of("JSON", fields.JSON, fields.BLOB),
        *_wires_of(_GEOMETRIES, fields.GEOMETRY),
        *_wires_of(_TEXT_NAMES, *_TEXTS),
    )
)
_INTEGERS: Final = (fields.TINY, fields.SHORT, fields.INT24, fields.LONG, fields.LONGLONG)
_WORD: Final = re.compile(r"\w+")


def difference(
    table: Table, table_map: TableMap, hidden: int = 0, *, strict: bool = True
) -> str | None:
    """Return how a definition differs from the rows, because an ALTER is not in the log.

    The log has names with ``binlog_row_metadata=FULL`` only, and signs in MySQL only. A quote
    within a name is doubled in the definitions, as in Debezium's.

    :param hidden: how many columns at the end of the rows are in no definition.
    :param strict: compare sizes, scales and signs of numbers too. Debezium reads some of these
        wrong, without consequences; so a tracked definition need not be exact.
    """
    more = len(table_map.wires) - len(table.columns)
    if not 0 <= more <= hidden:
        return (
            f"it has {len(table.columns)} columns, but the rows in the binlog have "
            f"{len(table_map.wires)}"
        )
    for column, found in zip(table.columns, table_map.names, strict=False):
        if _plain(column.name) != _plain(found):
            return f"it has column {column.name} where the rows in the binlog have {found}"
    unsigned = unsigned_columns(table_map)
    for position, column in enumerate(table.columns):
        wire = table_map.wires[position]
        sign = unsigned.get(position)
        # whether other columns may be before a key of this name depends on its visibility
        exactly = strict or may_be_generated_key(column)
        if not _is_like(column, wire, unsigned=sign, strict=exactly):
            return (
                f"it has column {column.name} of type {column.type_name}, but the rows in the "
                f"binlog have another type (wire type {wire.type}, {wire.meta:#06x})"
            )
    return None


def _is_like(column: Column, wire: Wire, *, unsigned: bool | None, strict: bool) -> bool:
    word = _WORD.search(column.type_name.upper())
    allowed = _WIRES.get(word[0]) if word else None
    if allowed is None:
        return True
    kind = real_string_type(wire)[0]
    if not strict:
        return kind in allowed or (kind in _INTEGERS and allowed[0] in _INTEGERS)
    if kind not in allowed:
        return False
    if kind == fields.NEWDECIMAL and column.scale is not None:
        return wire.meta >> 8 == column.scale
    if kind in _INTEGERS and unsigned is not None:
        return unsigned == ("UNSIGNED" in column.type_name.upper())
    return True


def _plain(name: str) -> str:
    return name.replace("``", "`").replace('""', '"').casefold()
