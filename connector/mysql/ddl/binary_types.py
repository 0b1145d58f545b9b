"""The binary types that character columns of the character set ``binary`` have in the server."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from connector.capture.tables import Column, Table
from connector.mysql.ddl.type_names import BINARY, BYTE_TYPES, NCHAR, NVARCHAR, VARBINARY

_NATIONAL: Final = {NCHAR: ("BINARY", BINARY), NVARCHAR: ("VARBINARY", VARBINARY)}
_BYTES: Final = {  # the most bytes of a character, where it is not one
    **dict.fromkeys("utf8mb4 utf16 utf16le utf32 gb18030".split(), 4),
    **dict.fromkeys("utf8 utf8mb3 ujis eucjpms".split(), 3),
    **dict.fromkeys("ucs2 big5 sjis cp932 euckr gb2312 gbk".split(), 2),
}


def with_binary_types(table: Table) -> Table:
    """Return a table without CHAR, VARCHAR and TEXT of the character set ``binary``.

    The server takes these for BINARY, VARBINARY and BLOB, whose length is 1 if none is written.
    ENUM and SET keep their type.
    """
    return table.with_changes(columns=tuple(map(_with_binary_type, table.columns)))


def in_bytes(column: Column) -> Column:
    """Return a column as it is converted to the character set ``binary``: its length in bytes."""
    kind = _binary_type(column)
    if kind is None or kind[1] not in (BINARY, VARBINARY):
        return column
    width = _BYTES.get((column.charset or "").lower(), 1)
    return replace(column, length=(1 if column.length is None else column.length) * width)


def _with_binary_type(column: Column) -> Column:
    if column.type_name == "BINARY" and column.length is None:
        return replace(column, length=1)
    kind = _binary_type(column)
    if kind is None or (column.charset or "").lower() != "binary":
        return column
    name, jdbc = kind
    length = 1 if jdbc == BINARY and column.length is None else column.length
    return replace(
        column,
        type_name=name,
        type_expression=name,
        jdbc_type=jdbc,
        length=length,
        charset=None,
    )


def _binary_type(column: Column) -> tuple[str, int] | None:
    """Return the name and the JDBC code of the binary type for a character type."""
    name = column.type_name.removesuffix(" BINARY")
    return BYTE_TYPES.get(name) or _NATIONAL.get(column.jdbc_type)
