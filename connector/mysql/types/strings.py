"""CHAR, VARCHAR and the TEXT types."""

from __future__ import annotations

from connector.capture.columns import Selected
from connector.capture.tables import Column
from connector.data.schema import STRING
from connector.mysql.types.encodings import UTF8_TEXT, decoder
from connector.mysql.types.family import ColumnType
from connector.mysql.types.fields import byte_string
from connector.mysql.types.server_charsets import server_decoder
from connector.mysql.types.type_options import TypeOptions

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


def text(column: Column, options: TypeOptions) -> ColumnType:
    """Describe a character column; a snapshot reads it in the connection's UTF-8.

    The server writes ``?`` there for what it cannot convert. Where values are exact, the bytes
    themselves are read, and decoded like those of the log.
    """
    decode = server_decoder(column.charset) if options.exact else decoder(column.charset)
    as_bytes = Selected("CAST({} AS BINARY)", decode)
    in_bytes = options.exact and decode is not UTF8_TEXT
    return ColumnType(
        STRING,
        UTF8_TEXT,
        lambda wire: byte_string(wire, decode, column.type_name),
        lambda literal: literal,
        "",
        select=as_bytes if in_bytes else None,
    )
