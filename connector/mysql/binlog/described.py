"""Builds the definition of a table from TABLE_MAP events with ``binlog_row_metadata=FULL``.

The log has no defaults, comments and display widths, so the definition lacks them. The blocks of
metadata are those of MySQL 8 and MariaDB 10.5; each has entries only for the columns it concerns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from connector.capture.tables import Table
from connector.mysql.binlog import tablemap as blocks
from connector.mysql.binlog.tablemap import TableMap
from connector.mysql.session.connection import quote
from connector.mysql.session.wire import length_encoded
from connector.mysql.types import fields
from connector.mysql.types.fields import Wire, real_string_type

_BINARY: Final = 63  # the collation of columns that hold bytes
_NUMERIC: Final = frozenset(
    {
        fields.TINY,
        fields.SHORT,
        fields.INT24,
        fields.LONG,
        fields.LONGLONG,
        fields.NEWDECIMAL,
        fields.FLOAT,
        fields.DOUBLE,
        fields.YEAR,
    }
)
_CHARACTER: Final = frozenset(
    {
        fields.STRING,
        fields.VAR_STRING,
        fields.VARCHAR,
        fields.VARCHAR_COMPRESSED,
        fields.BLOB,
        fields.BLOB_COMPRESSED,
    }
)
_SIMPLE: Final = {
    fields.TINY: "tinyint",
    fields.SHORT: "smallint",
    fields.INT24: "mediumint",
    fields.LONG: "int",
    fields.LONGLONG: "bigint",
    fields.FLOAT: "float",
    fields.DOUBLE: "double",
    fields.YEAR: "year",
    fields.DATE: "date",
    fields.TIME: "time",
    fields.DATETIME: "datetime",
    fields.TIMESTAMP: "timestamp",
    fields.JSON: "json",
    fields.VECTOR: "vector",
}
_FRACTIONAL: Final = {
    fields.TIME2: "time",
    fields.DATETIME2: "datetime",
    fields.TIMESTAMP2: "timestamp",
}
_GEOMETRIES: Final = (
    "geometry point linestring polygon multipoint multilinestring multipolygon geometrycollection"
).split()
_SIZES: Final = ("", "tiny", "", "medium", "long")  # of TEXT and BLOB, by the bytes of a length


class Charset(NamedTuple):
    """A character set; ``width`` is the most bytes of a character."""

    name: str
    width: int


Collations = Mapping[int, Charset]
"""The character set of each collation, by the server's number of it."""


@dataclass(frozen=True, slots=True)
class LoggedColumn:
    """A column as the log describes it; ``collation`` and ``labels`` where the type has them."""

    name: str
    wire: Wire
    nullable: bool
    unsigned: bool = False
    collation: int | None = None
    labels: tuple[bytes, ...] = ()
    geometry: int = 0


def unsigned_columns(table_map: TableMap) -> dict[int, bool]:
    """Return which columns of numbers are unsigned, by position; empty if the log lacks that."""
    bits = table_map.metadata.get(blocks.SIGNEDNESS)
    if bits is None:
        return {}
    numeric = _positions(table_map, _NUMERIC.__contains__)
    return {
        position: bool(bits[number >> 3] >> (7 - (number & 7)) & 1)
        for number, position in enumerate(numeric)
        if number >> 3 < len(bits)
    }


def logged_columns(table_map: TableMap, *, is_mariadb: bool = False) -> list[LoggedColumn]:
    """Return the columns as the log describes them, except those that MariaDB hides.

    :raises LookupError, ValueError: the metadata is malformed.
    """
    unsigned = unsigned_columns(table_map)
    character = _CHARACTER | ({fields.GEOMETRY} if is_mariadb else set())
    collations = _collations(
        table_map, character.__contains__, (blocks.DEFAULT_CHARSET, blocks.COLUMN_CHARSET)
    )
    choices = {fields.ENUM, fields.SET}
    collations |= _collations(
        table_map, choices.__contains__, (blocks.CHOICE_CHARSET, blocks.CHOICE_CHARSETS)
    )
    labels = _labels(table_map, fields.ENUM, blocks.ENUM_VALUES)
    labels |= _labels(table_map, fields.SET, blocks.SET_VALUES)
    shapes = _numbers(table_map.metadata.get(blocks.GEOMETRY_TYPE, b""))
    geometries = dict(zip(_positions(table_map, {fields.GEOMETRY}.__contains__), shapes))  # noqa: B905 - absent without the block
    return [
        LoggedColumn(
            name,
            wire,
            bool(table_map.nullable[position >> 3] >> (position & 7) & 1),
            unsigned.get(position, False),
            collations.get(position),
            labels.get(position, ()),
            geometries.get(position, 0),
        )
        for position, (name, wire) in enumerate(zip(table_map.names, table_map.wires, strict=True))
        if not name.startswith("DB_ROW_HASH_")
    ]


def create_statement(table_map: TableMap, collations: Collations, *, is_mariadb: bool) -> str:
    """Return the CREATE TABLE statement of a table that the log describes in full.

    :raises LookupError, ValueError: the metadata is malformed, or a collation is unknown.
    """
    columns = logged_columns(table_map, is_mariadb=is_mariadb)
    lines = [f"  {quote(column.name)} {_definition(column, collations)}" for column in columns]
    key = [table_map.names[position] for position in primary_key(table_map)]
    if key:
        lines.append(f"  PRIMARY KEY ({','.join(map(quote, key))})")
    body = ",\n".join(lines)
    return f"CREATE TABLE {quote(table_map.table.table)} (\n{body}\n)"


def primary_key(table_map: TableMap) -> list[int]:
    """Return the positions of the columns of the primary key, if the log has them."""
    simple = table_map.metadata.get(blocks.PRIMARY_KEY)
    if simple is not None:
        return _numbers(simple)
    return _numbers(table_map.metadata.get(blocks.PREFIXED_KEY, b""))[::2]


def described_difference(
    table: Table, table_map: TableMap, collations: Collations, *, is_mariadb: bool
) -> str | None:
    """Return how a definition differs from a full description, beyond names and types."""
    columns = logged_columns(table_map, is_mariadb=is_mariadb)
    for column, found in zip(table.columns, columns, strict=True):
        if column.optional != found.nullable:
            return f"they differ in whether column {found.name} accepts NULL"
        charset = None if found.collation is None else collations.get(found.collation)
        if column.charset and charset and _plain(column.charset) != _plain(charset.name):
            return f"they differ in the character set of column {found.name}"
        if found.labels and column.enum_values and len(found.labels) != len(column.enum_values):
            return f"they differ in the values of column {found.name}"
    return None


def _plain(charset: str) -> str:
    return {"utf8": "utf8mb3"}.get(charset.lower(), charset.lower())


def _definition(column: LoggedColumn, collations: Collations) -> str:
    null = "DEFAULT NULL" if column.nullable else "NOT NULL"
    if column.wire.type in (fields.TIMESTAMP, fields.TIMESTAMP2) and column.nullable:
        null = "NULL DEFAULT NULL"
    return f"{_type(column, collations)} {null}"


def _type(column: LoggedColumn, collations: Collations) -> str:
    kind, meta = column.wire
    if kind in _SIMPLE:
        return _SIMPLE[kind] + (" unsigned" if column.unsigned and kind != fields.YEAR else "")
    if kind in _FRACTIONAL:
        return _FRACTIONAL[kind] + (f"({meta})" if meta else "")
    if kind == fields.NEWDECIMAL:
        return f"decimal({meta & 0xFF},{meta >> 8})" + (" unsigned" if column.unsigned else "")
    if kind == fields.BIT:
        return f"bit({(meta >> 8) * 8 + (meta & 0xFF)})"
    if kind == fields.GEOMETRY:
        return _GEOMETRIES[column.geometry]
    return _text(column, collations)


def _text(column: LoggedColumn, collations: Collations) -> str:
    kind, size = real_string_type(column.wire)
    binary = column.collation in (None, _BINARY)
    charset = collations[_BINARY if column.collation is None else column.collation]
    named = "" if binary else f" CHARACTER SET {charset.name}"
    if kind in (fields.ENUM, fields.SET):
        name = "enum" if kind == fields.ENUM else "set"
        texts = ",".join(map(_literal, column.labels))
        return f"{name}({texts}){named}"
    if kind in (fields.BLOB, fields.BLOB_COMPRESSED):
        width = size if kind == fields.BLOB else size & 0xFF
        return _SIZES[width] + ("blob" if binary else f"text{named}")
    length = size if binary else size // charset.width
    varying = kind != fields.STRING
    if binary:
        return f"{'var' if varying else ''}binary({length})"
    return f"{'var' if varying else ''}char({length}){named}"


def _literal(label: bytes) -> str:
    text = label.decode("utf-8", "replace").replace("'", "''").replace("\\", "\\\\")
    return f"'{text}'"


def _positions(table_map: TableMap, includes: Callable[[int], bool]) -> list[int]:
    """Return the positions of the columns of some types."""
    return [number for number, wire in enumerate(table_map.wires) if includes(_real_type(wire))]


def _real_type(wire: Wire) -> int:
    return real_string_type(wire)[0]


def _collations(
    table_map: TableMap, includes: Callable[[int], bool], kinds: tuple[int, int]
) -> dict[int, int]:
    """Return the collations of some columns: a default with exceptions, or one for each."""
    positions = _positions(table_map, includes)
    each = table_map.metadata.get(kinds[1])
    if each is not None:
        return dict(zip(positions, _numbers(each), strict=False))
    [*default] = _numbers(table_map.metadata.get(kinds[0], b""))
    if not default:
        return {}
    exceptions = dict(_pairs(default[1:]))
    return {
        position: exceptions.get(number, default[0]) for number, position in enumerate(positions)
    }


def _pairs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    return zip(numbers[::2], numbers[1::2], strict=True)


def _labels(table_map: TableMap, kind: int, block: int) -> dict[int, tuple[bytes, ...]]:
    data = table_map.metadata.get(block, b"")
    found: dict[int, tuple[bytes, ...]] = {}
    offset = 0
    for position in _positions(table_map, {kind}.__contains__):
        if offset >= len(data):
            break
        count, offset = length_encoded(data, offset)
        texts = []
        for _ in range(count):
            size, offset = length_encoded(data, offset)
            texts.append(data[offset : offset + size])
            offset += size
        found[position] = tuple(texts)
    return found


def _numbers(data: bytes) -> list[int]:
    numbers = []
    offset = 0
    while offset < len(data):
        number, offset = length_encoded(data, offset)
        numbers.append(number)
    return numbers
