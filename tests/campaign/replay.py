"""Replays the topic of a table and checks that no event is lost, invented or out of order."""

from __future__ import annotations

import base64
import datetime as dt
from collections import defaultdict
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from tests.fixtures.topics import Message

_FIRST_OF_TABLE: Final = ("first", "first_in_data_collection")
_EPOCH: Final = dt.datetime(1970, 1, 1)  # noqa: DTZ001 - DATETIME has no zone

Identity = tuple[Any, ...]
Snapshot = tuple[int, str, int]  # the time of its last row, its log file and position


class Replay:
    """What a consumer of one topic has, and in which order it got it.

    A table that is altered during the snapshot is read again, later than the position from which
    the stream starts. So events older than the end of the snapshot may continue rows that the
    snapshot no longer had.

    An event is known by the row's origin and the versions before and after, which are unique
    whatever server or log position it was read from.
    """

    def __init__(self, topic: str) -> None:
        self.topic = topic
        self.rows: dict[int, dict[str, Any]] = {}
        self.repeated = 0
        self.events = 0
        self._versions: dict[int, set[int]] = defaultdict(set)
        self._from_snapshot: set[int] = set()
        self._only_read: set[int] = set()
        self.snapshot: Snapshot | None = None  # the last one that read a row
        self.snapshot_ended = 0.0  # seconds since the epoch
        self._order = Order(topic)
        self._seen: dict[int, list[str]] = defaultdict(list)  # by origin, for failed checks
        self._marks: list[str] = []
        self._deleted: tuple[bytes | None] | None = None  # the key of the DELETE just seen

    def feed(self, message: Message) -> None:
        """Take the next message of the topic."""
        event = message.payload()
        if event is None:
            assert self._deleted == (message.key,), f"{self.topic}: a tombstone without DELETE"
            self._deleted = None
            return
        self._deleted = (message.key,) if event["op"] == "d" else None
        self.events += 1
        self._note(message, event)
        if event["op"] == "r":
            self._read(event)
            return
        before, after = event["before"], event["after"]
        # A stop behind a statement repeats it: its position is stored with the next event.
        if not self._order.accepts(_identity(event)) and event["op"] != "t":
            self.repeated += 1
        for row in (before, after):
            if row is not None:
                self._only_read.discard(row["origin"])
            if row is not None and event["source"]["ts_ms"] < self.snapshot_ended * 1000:
                self._from_snapshot.add(row["origin"])
                self._forget_earlier_snapshot(row)
            if row is not None:
                self._versions[row["origin"]].add(row["version"])
        if event["op"] == "t":
            self.rows.clear()
        elif after is not None:
            self.rows[after["origin"]] = after
        else:
            self.rows.pop(before["origin"], None)

    def end_snapshots(self, last: Snapshot) -> None:
        """Forget what only an interrupted snapshot read: in the last one the table was empty."""
        if self.snapshot is None or self.snapshot[1:] == last[1:]:
            return
        for origin in self._only_read:
            self.rows.pop(origin, None)
            self._versions.pop(origin, None)
            self._from_snapshot.discard(origin)
        self._only_read.clear()

    def _read(self, event: dict[str, Any]) -> None:
        row, source = event["after"], event["source"]
        self.snapshot = source["ts_ms"], source["file"], source["pos"]
        if begins_table(event):
            self._only_read.clear()
            self.rows.clear()
            self._versions.clear()
            self._from_snapshot.clear()
            self._order = Order(self.topic)
        self.rows[row["origin"]] = row
        self._versions[row["origin"]].add(row["version"])
        self._from_snapshot.add(row["origin"])
        self._only_read.add(row["origin"])

    def _forget_earlier_snapshot(self, row: dict[str, Any]) -> None:
        """Forget versions of an interrupted snapshot that the next one did not repeat.

        It reads nothing of a table that was altered first, and dropped before it was read again.
        """
        seen = self._versions[row["origin"]]
        if seen and row["version"] > max(seen) + 1:
            seen.clear()

    def is_at(self, versions: Mapping[int, int]) -> bool:
        """Whether each row, by its origin, has that version."""
        return {origin: row["version"] for origin, row in self.rows.items()} == versions

    def check(self, columns: Mapping[str, str], source: Sequence[tuple[Any, ...]]) -> None:
        """Compare with the rows of the table; ``columns`` are names and types, in order."""
        names = list(columns)
        expected = {
            row[names.index("origin")]: {
                name: as_json(value, columns[name]) for name, value in zip(names, row, strict=True)
            }
            for row in source
        }
        missing, surplus = expected.keys() - self.rows.keys(), self.rows.keys() - expected.keys()
        assert not missing, f"{len(missing)} rows are lost: {self._row(min(missing))}"
        assert not surplus, f"{len(surplus)} rows too many: {self._row(min(surplus))}"
        for origin, row in expected.items():
            found = self.rows[origin]
            wrong = {
                name: (str(found.get(name))[:50], str(value)[:50])
                for name, value in row.items()
                if found.get(name) != value
            }
            assert not wrong, f"{self._row(origin)} differs (topic, table): {wrong}"
        self._check_versions()
        self._order.check_complete()

    def _note(self, message: Message, event: dict[str, Any]) -> None:
        source = event["source"]
        row = event["after"] or event["before"]
        if source["snapshot"] not in ("true", "false"):
            self._marks.append(f"{message.offset}: {source['snapshot']}")
        if row is not None:
            self._seen[row["origin"]].append(
                f"{message.offset}: {event['op']} {row['version']} "
                f"{source['snapshot']} {source['file']}:{source['pos']}/{source['row']}"
            )

    def _row(self, origin: int) -> str:
        seen = self._seen[origin]
        shown = seen if len(seen) < 12 else [*seen[:6], "...", *seen[-6:]]
        return f"{self.topic}: row {origin} (messages {', '.join(shown)}; snapshot {self._marks})"

    def _check_versions(self) -> None:
        for origin, seen in self._versions.items():
            first = min(seen) if origin in self._from_snapshot else 1
            lost = set(range(first, max(seen))) - seen
            assert not lost, f"{self._row(origin)} lacks versions {sorted(lost)[:20]}"


class Order:
    """The order of a topic's events: only whole suffixes may be there again."""

    def __init__(self, topic: str) -> None:
        self._topic = topic
        self._numbers: dict[Identity, int] = {}
        self._next: int | None = None  # while a suffix is repeated: the number that must follow

    def accepts(self, identity: Identity) -> bool:
        """Take the next event; False when it was there before.

        :raises AssertionError: it skips events of a suffix that is being repeated.
        """
        number = self._numbers.get(identity, len(self._numbers))
        if self._next is not None:
            assert number <= self._next, (
                f"{self._topic}: repeats up to event {self._next} of {len(self._numbers)}, "
                f"then goes on with event {number}: {identity}"
            )
        is_new = number == len(self._numbers)
        if is_new:
            self._numbers[identity] = number
        self._next = number + 1 if number + 1 < len(self._numbers) else None
        return is_new

    def check_complete(self) -> None:
        """Check that no repeated suffix ends early."""
        assert self._next is None, f"{self._topic}: a repeated suffix ends at {self._next}"


def begins_table(event: dict[str, Any]) -> bool:
    """Whether an event is the first row of a table that a snapshot reads."""
    return event["source"]["snapshot"] in _FIRST_OF_TABLE


def _identity(event: dict[str, Any]) -> Identity:
    source = event["source"]
    if event["op"] == "t":
        return ("t", source.get("gtid") or (source["file"], source["pos"]))
    before, after = (
        row and (row["origin"], row["version"]) for row in (event["before"], event["after"])
    )
    return (event["op"], before, after)


def as_json(value: Any, column_type: str) -> Any:
    """Return what a value of the database is in a message of the campaign's connectors."""
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, dt.datetime) and column_type.startswith("timestamp"):
        return f"{value.isoformat()}Z"
    if isinstance(value, dt.datetime):
        return round((value - _EPOCH) / dt.timedelta(milliseconds=1))
    if isinstance(value, bytes):
        data = value[::-1] if column_type.startswith("bit") else value
        return base64.b64encode(data).decode()
    return value
