"""JSON."""

from __future__ import annotations

from connector.capture.columns import call
from connector.capture.tables import Column
from connector.data.semantic import JSON
from connector.errors import ConversionError
from connector.mysql.options import TypeOptions
from connector.mysql.types.encodings import UTF8_TEXT
from connector.mysql.types.family import ColumnType
from connector.mysql.types.fields import JSON as BINARY
from connector.mysql.types.fields import byte_string
from connector.mysql.types.json_texts import json_text
from connector.mysql.types.unconvertible import refusing


def document(column: Column, options: TypeOptions) -> ColumnType:
    """Describe a JSON column: the server's text in a snapshot, binary JSON in the log.

    In MariaDB JSON is another name for LONGTEXT, whose text stands in the log as it is.
    """
    empty = None if column.optional else "{}"
    refuse = refusing(column, options, has_stand_in=True)

    def read(data: bytes) -> str | None:
        try:
            return json_text(data) if data else empty
        except ConversionError as error:
            refuse(str(error))
            return None

    convert = call(read)
    return ColumnType(
        JSON,
        UTF8_TEXT,
        lambda wire: byte_string(wire, convert if wire.type == BINARY else UTF8_TEXT, "JSON"),
        lambda literal: literal,
        "{}",
        may_be_absent=True,
    )
