"""A signal and what its data says, in Debezium's form."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from connector.capture.tables import TableId, parse_table
from connector.data.java_regex import compile_java

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Signal:
    """One signal; ``offset`` is that of its message in a topic."""

    id: str
    type: str
    data: Mapping[str, Any] = field(default_factory=dict)
    offset: int | None = None


class SignalChannel(Protocol):
    """Where signals come from, beside the table. Used by the task's thread."""

    def read(self) -> list[Signal]:
        """Return the signals that came since the last call; does not wait for any.

        There are none while the channel does not answer: `fault` says why.
        """

    @property
    def fault(self) -> str:
        """Why signals cannot be read at present; empty if they can."""

    def seek(self, offset: int | None) -> None:
        """Continue behind the last signal that is done, None at the start."""

    def acknowledge(self) -> None:
        """Note that the effect of all signals that were read is in a stored offset."""

    def close(self, offset: int | None) -> None:
        """Release the connections; ``offset`` is that of the last signal that is done."""


def parse_signal(
    identity: str | None, type_: str | None, data: str | None, offset: int | None = None
) -> Signal | None:
    """Read the parts of a signal; None, with a line in the log, if the data are no JSON object."""
    try:
        values = json.loads(data) if data else {}
    except ValueError:
        values = None
    if not isinstance(values, dict):
        log.warning("Signal %s has been received but its data cannot be parsed", identity)
        return None
    return Signal(identity or "", (type_ or "").strip().lower(), values, offset)


def parse_document(text: str, offset: int | None = None) -> Signal | None:
    """Read a signal of a topic or file: an object with ``id``, ``type`` and ``data``."""
    try:
        document = json.loads(text)
        data, type_ = document.get("data"), document["type"]
    except (ValueError, KeyError, AttributeError, TypeError):
        log.warning("A signal was skipped: it is no JSON object with id, type and data")
        return None
    text = data if isinstance(data, str) else json.dumps(data or {})
    identity = document.get("id")
    return parse_signal(None if identity is None else str(identity), str(type_), text, offset)


@dataclass(frozen=True, slots=True)
class SnapshotRequest:
    """The data of a signal about snapshots.

    ``tables`` are names or expressions, empty if the signal names none. ``conditions`` are pairs
    of an expression for names and a condition of SQL.
    """

    tables: tuple[str, ...]
    kind: str = "incremental"
    conditions: tuple[tuple[str, str], ...] = ()
    surrogate_key: str | None = None

    def expand(self, known: Iterable[TableId]) -> list[TableId]:
        """Return the tables that the request means; a name without a match means itself."""
        ordered = list(known)
        found: dict[TableId, None] = {}
        for text in self.tables:
            matching = [table for table in ordered if _matches(text, str(table))]
            found |= dict.fromkeys(matching or filter(None, [parse_table(text)]))
        return list(found)

    def condition(self, table: TableId) -> str | None:
        """Return the first condition for a table, in parentheses."""
        found = self.statement(table)
        return None if found is None else f"({found})"

    def statement(self, table: TableId) -> str | None:
        """Return the first condition for a table; that of a blocking snapshot is a whole SELECT."""
        for names, condition in self.conditions:
            if condition and _matches(names, str(table), re.IGNORECASE):
                return condition
        return None

    def includes(self, table: TableId) -> bool:
        """Whether a blocking snapshot reads a table, whose name may be given in quotes."""
        names = (str(table), table.quoted())
        return any(_matches(text, name, re.IGNORECASE) for text in self.tables for name in names)


def snapshot_request(signal: Signal) -> SnapshotRequest | None:
    """Read the data of a signal; None, with a line in the log, if they cannot be used."""
    data = signal.data
    tables = data.get("data-collections") or []
    conditions = data.get("additional-conditions") or []
    kind = str(data.get("type") or "incremental").lower()
    if not isinstance(tables, list) or not all(isinstance(name, str) for name in tables):
        log.warning("Signal %s is skipped: data-collections is not a list of names", signal.id)
        return None
    if kind not in ("incremental", "blocking"):
        log.warning("Signal %s is skipped: an unexpected snapshot type '%s'", signal.id, kind)
        return None
    try:
        pairs = tuple((str(one["data-collection"]), str(one["filter"])) for one in conditions)
        for text in (*tables, *(names for names, _ in pairs)):
            _pattern(text)
    except (KeyError, TypeError, re.error) as error:
        log.warning("Signal %s is skipped: %s", signal.id, error)
        return None
    surrogate = str(data.get("surrogate-key") or "").strip() or None
    return SnapshotRequest(tuple(name.strip() for name in tables), kind, pairs, surrogate)


def _matches(text: str, name: str, flags: int = 0) -> bool:
    return _pattern(text, flags).fullmatch(name) is not None


def _pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    return compile_java(text.strip(), flags)
