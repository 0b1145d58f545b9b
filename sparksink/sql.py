"""Names and values in SQL: the only place that quotes and escapes."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001 - SQL's TIMESTAMP literals have no zone


def quote_name(name: str) -> str:
    """Quote an identifier as Spark, MySQL and MariaDB do."""
    return "`" + name.replace("`", "``") + "`"


def double_quote_name(name: str) -> str:
    """Quote an identifier as PostgreSQL does."""
    return '"' + name.replace('"', '""') + '"'


def unquote_type(kind: str) -> str:
    """Return a type without the quotes around the field names in it."""
    return kind.replace("`", "")


def string_literal(value: str) -> str:
    """Return a string as a literal of Spark's SQL."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def typed_literal(value: Any, kind: str) -> str:
    """Return a value as a literal of a Spark type; Spark reads it from its string form."""
    return f"CAST({string_literal(str(value))} AS {kind})"


def timestamp_literal(micros: int | None) -> str:
    """Return microseconds since 1970 as a TIMESTAMP in UTC, which Spark and the databases read."""
    if micros is None:
        return "NULL"
    return f"TIMESTAMP '{_EPOCH + timedelta(microseconds=micros)}'"
