"""Debezium's ZeroDateFallbackConverter: what stands for a zero date."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

from connector.capture.columns import ColumnCodec
from connector.capture.tables import Column, TableId
from connector.codegen import Expression, call
from connector.config import invalid
from connector.mysql.custom_converters.selecting import selector, then
from connector.mysql.types import column_type
from connector.mysql.types.times import iso_fraction
from connector.mysql.types.type_options import TypeOptions

_TARGETS = "DATE,DATETIME,TIMESTAMP"
_MICROSECONDS = 4  # digits of fraction from which on a DATETIME is in microseconds


class ZeroDateFallback:
    """Settings: ``target.types``, ``selector``, ``fallback.date``, ``fallback.datetime``,
    ``fallback.timestamp`` and ``column.<database.table.column>.fallback``; unset and ``NULL``
    mean NULL. NULL itself gets the fallback, too.
    """

    def __init__(self, settings: Mapping[str, str], options: TypeOptions) -> None:
        # the years are taken as they are, and the types are those of the default precision
        self._options = replace(
            options, time_precision="adaptive_time_microseconds", adjust_years=False
        )
        targets = settings.get("target.types", _TARGETS).upper().split(",")
        self._targets = {target.strip() for target in targets}
        self._selects = selector(settings, "selector", default=True)
        self._settings = settings
        for kind, read in _FALLBACKS.items():
            _fallback(settings, f"fallback.{kind.lower()}", read)

    def codec(self, table: TableId, column: Column) -> ColumnCodec | None:
        """Return how the column is read if its type is a target."""
        kind = column.type_name.upper()
        if kind not in self._targets or kind not in _FALLBACKS or not self._selects(table, column):
            return None
        fallback = self._fallback(table, column, kind)
        described = column_type(column, self._options)
        assert described is not None
        after = call(_shortest) if kind == "TIMESTAMP" else None
        absent = Expression(
            "(@fallback if (value := {}) is None else value)", {"fallback": fallback}
        )
        from_log = then(described.from_log, after) if after else described.from_log
        return ColumnCodec(
            column,
            described.schema.with_changes(
                optional=column.optional or fallback is None,
                doc=column.comment,
                default=fallback if column.default is not None else None,
            ),
            _around(absent, described.from_text),
            lambda wire: _filled(from_log(wire), absent),
            fallback,
        )

    def _fallback(self, table: TableId, column: Column, kind: str) -> Any:
        own = f"column.{table}.{column.name}.fallback"
        key = own if own in self._settings else f"fallback.{kind.lower()}"
        value = _fallback(self._settings, key, _FALLBACKS[kind])
        if kind == "DATETIME" and value is not None and (column.length or 0) >= _MICROSECONDS:
            return value * 1000
        return value


def _filled(field: Any, absent: Expression) -> Any:
    return replace(field, convert=_around(absent, field.convert))


def _around(outer: Expression, inner: Expression) -> Expression:
    return Expression(outer.template.replace("{}", inner.template), {**inner.names, **outer.names})


def _fallback(settings: Mapping[str, str], key: str, read: Any) -> Any:
    text = settings.get(key, "").strip()
    if not text or text.upper() == "NULL":
        return None
    try:
        return read(text)
    except ValueError as error:
        raise invalid(key, text, str(error)) from error


def _date(text: str) -> int:
    return (date.fromisoformat(text) - date(1970, 1, 1)).days


def _datetime(text: str) -> int:
    moment = datetime.strptime(text, "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
    return int(moment.timestamp()) * 1000


def _timestamp(text: str) -> str:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError("an offset from UTC is missing")
    moment = moment.astimezone(UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}{iso_fraction(moment.microsecond * 1000)}Z"


def _shortest(text: str) -> str:
    """Drop the zeros at the end of a fraction."""
    return text if "." not in text else f"{text[:-1].rstrip('0').rstrip('.')}Z"


_FALLBACKS = {"DATE": _date, "DATETIME": _datetime, "TIMESTAMP": _timestamp}
