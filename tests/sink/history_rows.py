"""Compares rows of a history with the events of a random table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tests.sink.redefined import ChangeEvent, ChangingTable


def row_differences(
    table: ChangingTable, event: ChangeEvent, row: Mapping[str, Any]
) -> Iterator[str]:
    """Yield how columns of a row differ from the values of an event.

    A column of the table has its value under its last name. Those of columns that were dropped
    are somewhere, and nothing else is.
    """
    living = {one.identity for one in table.columns}
    for identity in living & event.values.keys():
        name, value = table.last_names[identity], event.values[identity]
        if row.get(name) != value:
            yield f"{name} at {event.at} is {row.get(name)}, not {value}"
    found = {name: row[name] for name in row if name != "id" and not name.startswith("__")}
    if _values(found) != _values(event.named):
        yield f"at {event.at} {found} are not the values of {event.named}"


def _values(row: Mapping[str, Any]) -> list[str]:
    return sorted(repr(value) for value in row.values() if value is not None)
