"""One line for one event."""

from __future__ import annotations

import time
from typing import Final

from tools.demo.feed import Event, Row

_COLORS: Final = {
    "read": 36,
    "insert": 32,
    "update": 33,
    "delete": 31,
    "truncate": 31,
    "tombstone": 90,
    "schema": 35,
    "create": 35,
    "alter": 35,
    "drop": 35,
}
_KIND_WIDTH: Final = 9
_KEY_WIDTH: Final = 7


def line(
    event: Event, topic_width: int = 0, *, width: int | None = None, color: bool = False
) -> str:
    """Format an event: time, topic, what happened, key, and what changed.

    :param topic_width: how wide the column of topics is.
    :param width: the longest line; what is longer is cut.
    """
    clock = time.strftime("%H:%M:%S", time.localtime(event.at))
    head = f"{clock}.{int(event.at % 1 * 1000):03}  {event.topic:{topic_width}}  "
    kind = f"{event.kind:{_KIND_WIDTH}}"
    text = f"{head}{kind}  {fields(event.key or {}):{_KEY_WIDTH}}  {change(event)}".rstrip()
    if width and len(text) > width:
        text = text[: width - 1] + "…"
    if not color:
        return text
    start, end = len(head), len(head) + len(kind)
    return f"{text[:start]}\033[{_COLORS[event.kind]}m{text[start:end]}\033[0m{text[end:]}"


def change(event: Event) -> str:
    """Format what an event changed: the DDL, the columns that differ, or the whole row."""
    if event.ddl:
        return " ".join(event.ddl.split())
    if event.before is not None and event.after is not None:
        return differing(event.before, event.after)
    row = event.after or event.before or {}
    rest = {name: value for name, value in row.items() if name not in (event.key or {})}
    return ("was " if event.after is None and rest else "") + fields(rest)


def differing(before: Row, after: Row) -> str:
    """Format the columns that have another value: ``stock 12 → 11``."""
    names = [name for name in after if before.get(name) != after[name]]
    return ", ".join(
        f"{name} {format_value(before.get(name))} → {format_value(after[name])}" for name in names
    )


def fields(row: Row) -> str:
    """Format a row: ``id=7, name=Ada``."""
    return ", ".join(f"{name}={format_value(value)}" for name, value in row.items())


def format_value(value: object) -> str:
    """Format a value, on one line."""
    return "NULL" if value is None else " ".join(str(value).split())
