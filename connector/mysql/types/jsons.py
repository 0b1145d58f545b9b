"""JSON."""

from __future__ import annotations

from connector.capture.columns import call
from connector.capture.tables import Column
from connector.data.semantic import JSON
from connector.mysql.options import TypeOptions
from connector.mysql.types.binary_json import json_text
from connector.mysql.types.family import ColumnType
from connector.mysql.types.fields import byte_string
from connector.mysql.types.strings import UTF8_TEXT


def document(column: Column, options: TypeOptions) -> ColumnType:  # noqa: ARG001 - a family
    """Describe a JSON column: the server's text in a snapshot, binary JSON in the log."""
    empty = None if column.optional else "{}"
    convert = call(lambda data: json_text(data) if data else empty)
    return ColumnType(
        JSON,
        UTF8_TEXT,
        lambda wire: byte_string(wire, convert, "JSON"),
        lambda literal: literal,
        "{}",
        may_be_absent=True,
    )
