"""CHAR, VARCHAR and the TEXT types."""

from __future__ import annotations

from connector.capture.tables import Column
from connector.data.schema import STRING
from connector.mysql.options import TypeOptions
from connector.mysql.types.encodings import UTF8_TEXT, decoder
from connector.mysql.types.family import ColumnType
from connector.mysql.types.fields import byte_string

NAMES = (
    "CHAR",
    "CHARACTER",
    "VARCHAR",
    "TINYTEXT",
    "TEXT",
    "MEDIUMTEXT",
    "LONGTEXT",
    "LONG",
    "NCHAR",
    "NVARCHAR",
    "NATIONAL",
    "VARCHARACTER",
)


def text(column: Column, options: TypeOptions) -> ColumnType:  # noqa: ARG001 - a family
    """Describe a character column; a snapshot reads it in the connection's UTF-8."""
    decode = decoder(column.charset)
    return ColumnType(
        STRING,
        UTF8_TEXT,
        lambda wire: byte_string(wire, decode, column.type_name),
        lambda literal: literal,
        "",
    )
