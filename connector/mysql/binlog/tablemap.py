"""TABLE_MAP events: the name and the column types of the rows that follow."""

from __future__ import annotations

from dataclasses import dataclass

from connector.capture.tables import TableId
from connector.mysql.types import fields
from connector.mysql.types.fields import Wire

_META_SIZES = {
    fields.FLOAT: 1,
    fields.DOUBLE: 1,
    fields.VARCHAR: 2,
    fields.VAR_STRING: 2,
    fields.VARCHAR_COMPRESSED: 2,
    fields.BIT: 2,
    fields.NEWDECIMAL: 2,
    fields.STRING: 2,
    fields.ENUM: 2,
    fields.SET: 2,
    fields.BLOB: 1,
    fields.BLOB_COMPRESSED: 1,
    fields.JSON: 1,
    fields.GEOMETRY: 1,
    fields.VECTOR: 1,
    fields.TIMESTAMP2: 1,
    fields.DATETIME2: 1,
    fields.TIME2: 1,
}
_SEQUENCE = (*[fields.LONGLONG] * 6, fields.TINY, fields.LONGLONG)
SIGNEDNESS, DEFAULT_CHARSET, COLUMN_CHARSET, COLUMN_NAME = 1, 2, 3, 4


@dataclass(frozen=True, slots=True, eq=False)
class TableMap:
    """A table as the log describes it. Identity stands for the content.

    ``names`` are filled with ``binlog_row_metadata=FULL`` (MySQL 8, MariaDB 10.5) only.
    """

    table: TableId
    wires: tuple[Wire, ...]
    names: tuple[str, ...] = ()

    def hash_columns(self) -> int:
        """Return how many columns at the end may be hidden ones of MariaDB.

        It keeps a hash for each UNIQUE key that has a TEXT or BLOB as a whole, and writes it to
        the log.
        """
        count = 0
        for number in range(len(self.wires) - 1, -1, -1):
            named = not self.names or self.names[number].startswith("DB_ROW_HASH_")
            if self.wires[number].type != fields.LONGLONG or not named:
                break
            count += 1
        return count

    def looks_like_sequence(self) -> bool:
        """Whether the columns are those of a MariaDB sequence, which logs its state as a row."""
        return tuple(wire.type for wire in self.wires) == _SEQUENCE


def parse_table_map(data: bytes, start: int, end: int) -> tuple[int, TableMap]:
    """Read the body of a TABLE_MAP event; return the table's number and its description.

    :raises LookupError, ValueError: when the body is malformed.
    """
    number = int.from_bytes(data[start : start + 6], "little")
    offset = start + 8
    database, offset = _name(data, offset)
    table, offset = _name(data, offset)
    count, offset = length_encoded(data, offset)
    types = data[offset : offset + count]
    meta_size, offset = length_encoded(data, offset + count)
    wires = tuple(_wires(types, data[offset : offset + meta_size]))
    offset += meta_size + (count + 7) // 8
    if offset > end:
        raise ValueError("the columns of a table are cut short")
    names = _column_names(data, offset, end)
    return number, TableMap(TableId(database, table), wires, names)


def length_encoded(data: bytes, offset: int) -> tuple[int, int]:
    """Read a length-encoded integer; return it with the offset behind it."""
    first = data[offset]
    if first < 251:
        return first, offset + 1
    size = {252: 2, 253: 3, 254: 8}[first]
    end = offset + 1 + size
    return int.from_bytes(data[offset + 1 : end], "little"), end


def _name(data: bytes, offset: int) -> tuple[str, int]:
    end = offset + 1 + data[offset]
    return data[offset + 1 : end].decode("utf-8"), end + 1  # a zero byte follows


def _wires(types: bytes, metadata: bytes) -> list[Wire]:
    wires = []
    offset = 0
    for kind in types:
        size = _META_SIZES.get(kind, 0)
        wires.append(Wire(kind, int.from_bytes(metadata[offset : offset + size], "little")))
        offset += size
    return wires


def _column_names(data: bytes, offset: int, end: int) -> tuple[str, ...]:
    """Find the column names among the optional metadata (type, length, value)."""
    while offset < end:
        kind = data[offset]
        size, offset = length_encoded(data, offset + 1)
        if kind == COLUMN_NAME:
            return tuple(_names(data, offset, offset + size))
        offset += size
    return ()


def _names(data: bytes, offset: int, end: int) -> list[str]:
    names = []
    while offset < end:
        size, offset = length_encoded(data, offset)
        names.append(data[offset : offset + size].decode("utf-8"))
        offset += size
    return names
