"""TABLE_MAP events: the name and the column types of the rows that follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from connector.capture.tables import TableId
from connector.mysql.session.wire import length_encoded
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
_VERSION_TIME = Wire(fields.TIMESTAMP2, 6)
_LONG_TYPES = frozenset(
    {
        fields.VARCHAR,
        fields.VAR_STRING,
        fields.VARCHAR_COMPRESSED,
        fields.BLOB,
        fields.BLOB_COMPRESSED,
        fields.STRING,
    }
)
SIGNEDNESS, DEFAULT_CHARSET, COLUMN_CHARSET, COLUMN_NAME, SET_VALUES, ENUM_VALUES = range(1, 7)
GEOMETRY_TYPE, PRIMARY_KEY, PREFIXED_KEY, CHOICE_CHARSET, CHOICE_CHARSETS = range(7, 12)
VISIBILITY, DIMENSIONS = 12, 13


@dataclass(frozen=True, slots=True, eq=False)
class TableMap:
    """A table as the log describes it. Identity stands for the content.

    ``names`` are filled with ``binlog_row_metadata=FULL`` (MySQL 8, MariaDB 10.5) only.
    ``nullable`` is the bitmap of the columns that take NULL, ``metadata`` what else the log says
    of the columns: bytes by kind, as they are.
    """

    table: TableId
    wires: tuple[Wire, ...]
    names: tuple[str, ...] = ()
    nullable: bytes = b""
    metadata: Mapping[int, bytes] = field(default_factory=dict)

    def hidden_columns(self) -> int:
        """Return how many columns at the end may be hidden ones of MariaDB."""
        return 2 if self.may_be_versioned() else self._hash_columns()

    def may_be_versioned(self) -> bool:
        """Whether it may have hidden columns with the time of each version of a row at its end.

        So have MariaDB's tables WITH SYSTEM VERSIONING that name no such columns.
        """
        if self.names:
            return self.names[-2:] == ("row_start", "row_end")
        return self.wires[-2:] == (_VERSION_TIME, _VERSION_TIME)

    def _hash_columns(self) -> int:
        """Return how many columns at the end may be hashes.

        It keeps a hash for each UNIQUE key that is too long for an index, and writes it to the
        log: of a table that has a text or a binary column.
        """
        if not any(wire.type in _LONG_TYPES for wire in self.wires):
            return 0
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
    nullable = data[offset + meta_size : offset + meta_size + (count + 7) // 8]
    offset += meta_size + (count + 7) // 8
    if offset > end:
        raise ValueError("the columns of a table are cut short")
    metadata = _metadata(data, offset, end)
    names = tuple(text.decode("utf-8") for text in counted_texts(metadata.get(COLUMN_NAME, b"")))
    return number, TableMap(TableId(database, table), wires, names, nullable, metadata)


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


def _metadata(data: bytes, offset: int, end: int) -> dict[int, bytes]:
    """Read the optional metadata: kind, length, value."""
    found = {}
    while offset < end:
        kind = data[offset]
        size, offset = length_encoded(data, offset + 1)
        found[kind] = data[offset : offset + size]
        offset += size
    return found


def counted_texts(data: bytes) -> list[bytes]:
    """Read texts behind their lengths."""
    texts = []
    offset = 0
    while offset < len(data):
        size, offset = length_encoded(data, offset)
        texts.append(data[offset : offset + size])
        offset += size
    return texts
