"""Names and values in SQL: the only place that quotes and escapes."""

from __future__ import annotations

from collections.abc import Iterable
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


_EXACT: Final = {
    "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSZZZZZ",
    "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
    "timeZone": "UTC",
}


def json_text_sql(value: str, *, nulls: bool = False) -> str:
    """Return SQL of the JSON text of a struct or an array, which is equal only for equal values.

    By default Spark writes times with milliseconds. With ``nulls`` fields that are NULL are kept.
    """
    given = _EXACT | ({"ignoreNullFields": "false"} if nulls else {})
    options = ", ".join(string_literal(text) for option in given.items() for text in option)
    return f"to_json({value}, map({options}))"


def key_text_sql(keys: Iterable[str]) -> str:
    """Return SQL of the text of a key, which identifies a row, also if its columns are renamed."""
    values = (f"{quote_name(key)} AS k{number}" for number, key in enumerate(keys))
    return json_text_sql(f"struct({', '.join(values)})")


def typed_literal(value: Any, kind: str) -> str:
    """Return a value as a literal of a Spark type; Spark reads it from its string form."""
    return f"CAST({string_literal(str(value))} AS {kind})"


def timestamp_literal(micros: int | None) -> str:
    """Return microseconds since 1970 as a TIMESTAMP in UTC, which Spark and the databases read."""
    if micros is None:
        return "NULL"
    return f"TIMESTAMP '{_EPOCH + timedelta(microseconds=micros)}'"
