"""Replays the topic of a table that snapshots read again while it is streamed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.fixtures.campaign.replay import Replay, Snapshot, begins_table, identity_of
from tests.fixtures.topics import Message


class SnapshotReplay(Replay):
    """What a consumer of one topic has, by row and by key.

    ``streams``: the initial snapshot is over. Later snapshots add rows to those of the stream, and
    may not put an older one over a newer one.
    """

    def __init__(self, topic: str) -> None:
        super().__init__(topic)
        self.streams = False
        self.read_again = 0
        self._newest: dict[int, int] = {}
        self._gone: set[int] = set()
        self._by_key: dict[bytes, dict[str, Any]] = {}
        self._key_names: set[tuple[str, ...]] = set()

    def feed(self, message: Message) -> None:
        """Take the next message of the topic."""
        event = message.payload()
        before: set[int] = set()
        if event is not None and event["op"] == "t" and not self._order.has(identity_of(event)):
            # What only a snapshot read may have been inserted behind a TRUNCATE that follows it.
            # So may any row when a TRUNCATE is repeated.
            before = self.rows.keys() - self._only_read
        if event is not None and not self.streams and begins_table(event):
            self._newest.clear()
            self._gone.clear()
            self._by_key.clear()
        super().feed(message)
        if event is None:
            self._by_key.pop(message.key or b"", None)
            return
        if event["op"] == "t":
            self._gone.update(before)
            self._by_key.clear()
            return
        row = event["after"] or event["before"]
        self._newest[row["origin"]] = max(row["version"], self._newest.get(row["origin"], 0))
        if event["op"] == "d":
            self._gone.add(row["origin"])
        if message.key is not None and event["after"] is not None:
            self._key_names.add(tuple(json.loads(message.key)))
            self._by_key[message.key] = row

    def end_snapshots(self, last: Snapshot) -> None:
        """Forget what only an interrupted snapshot read: in the last one the table was empty."""
        super().end_snapshots(last)
        for key, row in list(self._by_key.items()):
            if row["origin"] not in self.rows:
                del self._by_key[key]

    def _read(self, event: dict[str, Any]) -> None:
        if not self.streams:
            super()._read(event)
            return
        row = event["after"]
        origin, version = row["origin"], row["version"]
        newest = self._newest.get(origin, 0)
        assert version >= newest, f"{self._row(origin)}: version {version} came after {newest}"
        # A key change is a deletion and an insertion of one version.
        gone = version == newest and origin in self._gone and origin not in self.rows
        assert not gone, f"{self._row(origin)}: a deleted row came again"
        self.read_again += 1
        if origin not in self._versions:
            self._only_read.add(origin)
        self.rows[origin] = row
        self._versions[origin].add(version)

    def is_at(self, versions: Mapping[int, int]) -> bool:
        """Whether each row has that version, and no tombstone is left to come."""
        return super().is_at(versions) and self._deleted in (None, (None,))

    def check(self, columns: Any, source: Any) -> None:
        """Compare with the rows of the table: by row, by version and by key."""
        names = list(columns)
        at, version = names.index("origin"), names.index("version")
        expected = {row[at]: row[version] for row in source}
        for origin in expected.keys() | self.rows.keys():
            found = self.rows.get(origin)
            is_equal = (found and found["version"]) == expected.get(origin)
            assert is_equal, f"{self._row(origin)}: the table has version {expected.get(origin)}"
        for row in source:
            self._check_values(dict(zip(names, row, strict=True)))
        self._check_versions()
        self._order.check_complete()
        if len(self._key_names) == 1:
            stale = {row["origin"] for row in self._by_key.values()} ^ expected.keys()
            seen = "; ".join(map(self._row, stale))
            assert len(self._by_key) == len(expected), f"{self.topic}: keys differ: {seen}"

    def _check_values(self, row: dict[str, Any]) -> None:
        """Compare the columns that no statement alters."""
        found = self.rows[row["origin"]]
        wrong = [name for name in ("k1", "k2", "body") if found[name] != row[name]]
        assert not wrong, f"{self._row(row['origin'])}: {wrong} differ"

    def _check_versions(self) -> None:
        """Check that no version between two others is missing."""
        for origin, seen in self._versions.items():
            lost = set(range(min(seen), max(seen))) - seen
            assert not lost, f"{self._row(origin)} lacks versions {sorted(lost)[:20]}"
