"""Chooses where a capture stops, and makes messages of two captures comparable."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from connector.capture.change import (
    Change,
    Progress,
    RowChanges,
    SchemaChange,
    TransactionBoundary,
    Truncated,
)
from tests.fixtures.stopping import Chosen
from tests.fixtures.topics import Message
from tests.recovery.workloads import LAST

EVENTS: Final = (RowChanges, SchemaChange, Truncated, TransactionBoundary)
_TABLES_OF_STATEMENT: Final = 3


def nth(count: int) -> Chosen:
    """Choose the n-th event."""
    seen = Counter[str]()

    def chosen(change: Change) -> bool:
        seen["events"] += isinstance(change, EVENTS)
        return seen["events"] == count

    return chosen


class End:
    """Chooses the commit of the row that ends the workload."""

    def __init__(self) -> None:
        self._last_row = False
        self.reached = False

    def __call__(self, change: Change) -> bool:
        if isinstance(change, RowChanges) and (change.rows[0][1] or (0,))[0] == LAST:
            self._last_row = True
        if isinstance(change, Progress):
            self.reached |= self._last_row and not change.in_transaction
        return self.reached


def either(*choices: Chosen) -> Chosen:
    """Choose what one of several chooses; each is shown every change."""
    return lambda change: sum(chosen(change) for chosen in choices) > 0


def steady(message: Message) -> Any:
    """Return a message without what differs from run to run: the time at which it was made."""
    value = message.json()
    if value is not None:
        value = {name: part for name, part in value.items() if not name.startswith("ts_")}
        if "ddl" in value:  # its row number is that of the rows before it, if they were read
            value["source"] = value["source"] | {"row": 0}
    headers = [header for header in message.headers if "runId" not in header[0]]
    return message.key, value, headers


def without_repeated_ddl(messages: list[Any]) -> list[Any]:
    """Leave out a statement that was read again.

    A stored offset lies before the statement that came last, as in Debezium: after a stop right
    behind it, it is published again, with the very same messages, one for each of its tables.
    """
    kept: list[Any] = []
    for message in messages:
        kept.append(message)
        for count in range(1, _TABLES_OF_STATEMENT + 1):
            last = kept[-count:]
            if all(map(is_ddl, last)) and last == kept[-2 * count : -count]:
                del kept[-count:]
                break
    return kept


def is_ddl(message: Any) -> bool:
    value = message[1]
    return value is not None and ("ddl" in value or value.get("op") == "t")


def take_query(message: Any) -> str | None:
    """Take the statement of a row from its message, which has none without `include.query`."""
    value = message[1]
    if value is None or "query" not in value["source"]:
        return None
    query: str | None = value["source"]["query"]
    value["source"]["query"] = None
    return query
