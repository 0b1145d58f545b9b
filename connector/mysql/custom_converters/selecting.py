"""What the bundled converters share: which columns are meant, and schemas with defaults."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from connector.capture.columns import ColumnCodec
from connector.capture.selection import any_of
from connector.capture.tables import Column, TableId
from connector.codegen import Expression
from connector.data.schema import Schema
from connector.mysql.types.fields import FromLog, LogField, Wire

Select = Callable[[TableId, Column], bool]


def selector(settings: Mapping[str, str], key: str, *, default: bool) -> Select:
    """Return which columns a list of expressions for ``database.table.column`` means."""
    text = settings.get(key, "").strip()
    if not text:
        return lambda _table, _column: default
    matches = any_of(key, text)
    return lambda table, column: matches(f"{table}.{column.name}")


def flag(settings: Mapping[str, str], key: str, *, default: bool) -> bool:
    """Read a setting that is true or false."""
    text = settings.get(key)
    return default if not text else text.strip().lower() == "true"


def build_codec(
    column: Column,
    schema: Schema,
    from_text: Expression,
    from_log: FromLog,
    default: Any,
    fallback: Any,
) -> ColumnCodec:
    """Build the codec of a column; ``fallback`` is for NULL where there is no default either."""
    full = schema.with_changes(optional=column.optional, doc=column.comment, default=default)
    absent = None if column.optional else (fallback if default is None else default)
    return ColumnCodec(column, full, from_text, from_log, absent)


def then(from_log: FromLog, expression: Expression) -> FromLog:
    """Return the reading of a row image followed by another conversion."""

    def field(wire: Wire) -> LogField:
        known = from_log(wire)
        return replace(known, convert=known.convert.then(expression))

    return field
