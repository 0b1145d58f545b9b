"""What a consumer has after reading the topics of `tests.recovery.load` from their beginning."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from tests.fixtures.topics import Message
from tests.recovery.load import TABLES
from tools.stack import DatabaseServer

_FIRST_OF_TABLE = ("first", "first_in_data_collection")


class Items:
    """The table with a key: its rows, and which versions of each were seen."""

    def __init__(self, messages: Iterable[Message]) -> None:
        self.rows: dict[str, dict[str, Any]] = {}
        self.versions: dict[int, set[int]] = defaultdict(set)
        for message in messages:
            assert message.key is not None
            self._apply(message.key.decode(), message.payload())

    def _apply(self, key: str, event: dict[str, Any] | None) -> None:
        if event is None:
            self.rows.pop(key, None)
            return
        if event["source"]["snapshot"] in _FIRST_OF_TABLE:  # a snapshot begins: all is new
            self.rows.clear()
            self.versions.clear()
        for row in (event["before"], event["after"]):
            if row is not None:
                self.versions[row["origin"]].add(row["version"])
        if event["after"] is None:
            self.rows.pop(key, None)
        else:
            self.rows[key] = event["after"]

    def check(self, columns: list[str], source: list[tuple[Any, ...]]) -> None:
        """Compare with the rows of the source; no version of any row may be missing."""
        found = {row["id"]: tuple(row.get(name) for name in columns) for row in self.rows.values()}
        expected = {row[columns.index("id")]: row for row in source}
        missing, surplus = expected.keys() - found.keys(), found.keys() - expected.keys()
        assert not missing, f"{len(missing)} rows are lost: {sorted(missing)[:5]}"
        assert not surplus, f"{len(surplus)} rows should be deleted: {sorted(surplus)[:5]}"
        stale = {key for key in expected if found[key] != expected[key]}
        assert not stale, {key: (found[key], expected[key]) for key in sorted(stale)[:3]}
        gaps = {
            origin: sorted(seen)
            for origin, seen in self.versions.items()
            if len(seen) != max(seen) - min(seen) + 1
        }
        assert not gaps, f"changes of {len(gaps)} rows are lost: {list(gaps.items())[:3]}"


def check_replay(
    server: DatabaseServer, database: str, prefix: str, messages: dict[str, list[Message]]
) -> None:
    """Compare what lies in the topics with the tables of the source."""
    by_table = {table: messages.get(f"{prefix}.{database}.{table}", []) for table in TABLES}
    assert not any(message.key for message in by_table["ledger"])
    columns = [row[0] for row in server.query(f"SHOW COLUMNS FROM {database}.items")]
    rows = server.query(f"SELECT {', '.join(columns)} FROM {database}.items")
    Items(by_table["items"]).check(columns, rows)
    noted = {message.payload()["after"]["number"] for message in by_table["ledger"]}
    written = {row[0] for row in server.query(f"SELECT number FROM {database}.ledger")}
    assert written == noted, f"ledger: {len(written - noted)} lost, {len(noted - written)} invented"


def repeated(messages: Iterable[Message]) -> int:
    """Count the row events that are there twice: the same row of the same log event."""
    seen: set[tuple[Any, ...]] = set()
    count = 0
    for message in messages:
        event = message.payload()
        if event is None or event["source"]["snapshot"] != "false":
            continue
        source = event["source"]
        place = (source["file"], source["pos"], source["row"], event["op"], message.key)
        count += place in seen
        seen.add(place)
    return count
