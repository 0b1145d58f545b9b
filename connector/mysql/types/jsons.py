"""JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from connector.capture.tables import Column
from connector.codegen import Expression
from connector.data.semantic import JSON
from connector.errors import ConversionError
from connector.mysql.types.encodings import UTF8_TEXT
from connector.mysql.types.family import ColumnType
from connector.mysql.types.fields import JSON as BINARY
from connector.mysql.types.fields import LogField, Prefixed, Wire, byte_string
from connector.mysql.types.json_texts import json_text
from connector.mysql.types.server_json import SERVER, server_text
from connector.mysql.types.type_options import TypeOptions
from connector.mysql.types.unconvertible import refusing


def document(column: Column, options: TypeOptions) -> ColumnType:
    """Describe a JSON column: the server's text in a snapshot, binary JSON in the log.

    In MariaDB JSON is another name for LONGTEXT, whose text stands in the log as it is. Where
    values are exact, binary JSON becomes the server's text, for which no bytes at all are null.
    """
    write: Callable[[bytes], str] = server_text if options.exact else json_text
    empty = "null" if options.exact else None if column.optional else "{}"
    refuse = refusing(column, options, has_stand_in=True)

    def read(data: bytes) -> str | None:
        try:
            return write(data) if data else empty
        except ConversionError as error:
            refuse(str(error))
            return None

    native = None if options.exact else ("document",)
    convert = Expression("@f({})", {"f": read}, native)

    def field(wire: Wire) -> LogField:
        if wire.type != BINARY:
            return byte_string(wire, UTF8_TEXT, "JSON")
        found = byte_string(wire, convert, "JSON")
        assert isinstance(found, Prefixed)
        return replace(found, document=SERVER if options.exact else None)

    return ColumnType(
        JSON,
        UTF8_TEXT,
        field,
        lambda literal: literal,
        "{}",
        may_be_absent=True,
    )
