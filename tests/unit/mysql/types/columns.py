"""Columns of one type, and their values both ways."""

from __future__ import annotations

from typing import Any

from connector.capture.columns import ColumnCodec
from connector.capture.tables import Column
from connector.mysql.types.fields import Wire
from connector.mysql.types.type_options import TypeOptions
from tests.unit.mysql.binlog.images import codec_for

DEFAULTS = TypeOptions()


def codec(
    type_name: str, options: TypeOptions = DEFAULTS, *, jdbc_type: int = 1111, **attributes: Any
) -> ColumnCodec:
    return codec_for(Column("c", type_name, jdbc_type, **attributes), options)


def text(column: ColumnCodec, data: str | bytes) -> Any:
    """Return a value of a snapshot."""
    raw = data.encode() if isinstance(data, str) else data
    return column.from_text.function()(raw)


def log(column: ColumnCodec, wire: tuple[int, int], data: bytes) -> Any:
    """Return a value of the log."""
    field = column.from_log(Wire(*wire))
    raw, end = field.read(data, 0)
    assert end == len(data)
    return field.convert.function()(raw)


def default(type_name: str, literal: str | None, **attributes: Any) -> Any:
    """Return the default in the schema of a column."""
    options = attributes.pop("options", DEFAULTS)
    column = codec(type_name, options, has_default=True, default=literal, **attributes)
    return column.schema.default
