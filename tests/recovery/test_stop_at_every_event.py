"""Capture is stopped at every single change of a workload and started again: as if it had not."""

from __future__ import annotations

import shutil
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from connector.capture.change import Change, RowChanges
from connector.connectors import mariadb_connector, mysql_connector
from connector.errors import DatabaseUnavailableError
from tests.fixtures.connectors import connector
from tests.fixtures.databases import FreshDatabase, fresh_database
from tests.fixtures.following import Follower
from tests.fixtures.stopping import Chosen, Stoppable
from tests.fixtures.topics import Topics
from tests.recovery.stops import (
    EVENTS,
    End,
    either,
    nth,
    steady,
    take_query,
    without_repeated_ddl,
)
from tests.recovery.workloads import (
    BEFORE,
    COMPRESSED,
    LAST,
    ROLLBACKS,
    STATEMENTS,
    WORKLOAD,
)
from tools.stack import KafkaBroker, MySql97, Workspace


@dataclass
class Recorded:
    """A workload in the log, and what an undisturbed run makes of it."""

    capture: Stoppable
    follower: Follower
    history: Path
    offset: dict[str, Any]
    changes: int = 0
    messages: dict[str, list[Any]] = field(default_factory=dict)

    def rewind(self) -> None:
        """Go back to before the workload."""
        self.capture.offset = self.offset
        shutil.copy(self.history.with_suffix(".before"), self.history)
        self.follower.new()

    def play(self, every: int, first: int = 1, stops: int = 1000) -> dict[str, list[Any]]:
        """Capture the workload, stopped so often at every n-th change; return all messages."""
        self.rewind()
        end = End()
        self.capture.run(either(nth(first), end))
        for _ in range(stops - 1):
            if not end.reached:
                self.capture.run(either(nth(every), end))
        if not end.reached:
            self.capture.run(end)
        return self.written()

    def written(self) -> dict[str, list[Any]]:
        """Return what was written since `rewind`, by topic."""
        return {
            topic: without_repeated_ddl(list(map(steady, messages)))
            for topic, messages in self.follower.new().items()
        }


Record = Callable[..., Recorded]


@pytest.fixture
def record(broker: KafkaBroker, topics: Topics, tmp_path: Path) -> Iterator[Record]:
    """Return a function that takes a snapshot, writes the workload and captures it unstopped."""
    prefix = f"stop{uuid.uuid4().hex[:8]}"
    history = tmp_path / "history"
    with Follower(topics, prefix) as follower:

        def play(
            database: FreshDatabase,
            workload: Sequence[str] = WORKLOAD,
            *,
            general: bool = False,
            transactions: bool = True,
            **producer: Any,
        ) -> Recorded:
            server = database.server
            config = connector(
                server,
                broker,
                prefix,
                database.name,
                provide_transaction_metadata=str(transactions).lower(),
                skipped_operations="none",
                errors_retry_delay_initial_ms="1",
                schema_history_internal="io.debezium.storage.file.history.FileSchemaHistory",
                schema_history_internal_file_filename=str(history),
            )
            family = mariadb_connector() if server.name == "mariadb" else mysql_connector()
            settings = {"bootstrap.servers": broker.address, "linger.ms": 0, **producer}
            capture = Stoppable(family, config, settings, general=general)
            return undisturbed(database, workload, capture, follower, history)

        yield play
    topics.delete(topics.names(prefix))


def undisturbed(
    database: FreshDatabase,
    workload: Sequence[str],
    capture: Stoppable,
    follower: Follower,
    history: Path,
) -> Recorded:
    database.execute(*BEFORE, f"INSERT INTO a (id) VALUES ({LAST})")
    capture.run(anything)  # the snapshot
    database.execute(f"DELETE FROM a WHERE id = {LAST}")
    capture.run(rows)  # so that the offset is one of the log
    shutil.copy(history, history.with_suffix(".before"))
    recorded = Recorded(capture, follower, history, capture.offset)
    database.execute(*workload)
    seen = Counter[bool]()
    end = End()

    def counted(change: Change) -> bool:
        seen[isinstance(change, EVENTS)] += 1
        return end(change)

    recorded.rewind()
    capture.run(counted)
    recorded.changes, recorded.messages = seen[True], recorded.written()
    return recorded


def anything(_: Change) -> bool:
    return True


def rows(change: Change) -> bool:
    return isinstance(change, RowChanges)


def stop_at_each(recorded: Recorded, step: int = 1) -> None:
    assert sum(map(len, recorded.messages.values())) > 5
    for number in range(1, recorded.changes, step):
        messages = recorded.play(0, first=number, stops=1)
        for topic, expected in recorded.messages.items():
            assert messages[topic] == expected, f"{topic}, stopped at change {number}"


@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.slow)])
def test_a_stop_at_every_event(database: FreshDatabase, record: Record, step: int) -> None:
    recorded = record(database)
    assert len([topic for topic, messages in recorded.messages.items() if messages]) >= 6
    assert recorded.changes > 30
    stop_at_each(recorded, step)


@pytest.mark.slow
def test_a_stop_at_every_event_of_compressed_transactions(
    database: FreshDatabase, record: Record
) -> None:
    stop_at_each(record(database, COMPRESSED))


@pytest.mark.slow
def test_a_stop_at_every_event_without_gtids(workspace: Workspace, record: Record) -> None:
    options = ["--gtid-mode=OFF", "--enforce-gtid-consistency=OFF"]
    with MySql97(workspace, options=options) as server, fresh_database(server) as database:
        stop_at_each(record(database))


def test_a_stop_at_every_event_of_transactions_that_are_taken_back(
    mariadb_database: FreshDatabase, record: Record
) -> None:
    stop_at_each(record_rollbacks(mariadb_database, record))


def test_rows_that_mysql_before_8_took_back_are_not_published(
    mysql56_database: FreshDatabase, record: Record
) -> None:
    record_rollbacks(mysql56_database, record)


def record_rollbacks(database: FreshDatabase, record: Record) -> Recorded:
    recorded = record(database, ROLLBACKS, transactions=False)
    rows = recorded.messages[next(topic for topic in recorded.messages if topic.endswith(".a"))]
    kept = [2, 4, 6, 7, 9, 10, 12, LAST]
    assert [value["after"]["id"] for _, value, _ in rows if value] == kept
    return recorded


def test_the_statements_of_rows_may_be_turned_off_within_a_transaction(
    mariadb_database: FreshDatabase, record: Record
) -> None:
    """MariaDB leaves their events out of the log, which were counted before the stop."""
    recorded = record(mariadb_database, STATEMENTS, transactions=False)
    capture, statements = recorded.capture, Counter[str]()
    without = dict(capture.config)
    for number in range(1, recorded.changes):
        recorded.rewind()
        end = End()
        capture.config = without | {"include.query": "true"}
        capture.run(either(nth(number), end))
        capture.config = without
        if not end.reached:
            capture.run(end)
        for topic, messages in recorded.written().items():
            statements.update(filter(None, map(take_query, messages)))
            assert messages == recorded.messages[topic], f"{topic}, stopped at change {number}"
    assert statements.keys() >= set(STATEMENTS[1:-3])


@pytest.mark.slow
def test_stops_at_many_events_of_one_run(database: FreshDatabase, record: Record) -> None:
    recorded = record(database, general=True)
    for every in (2, 5):
        assert recorded.play(every) == recorded.messages, f"stopped at every {every}th change"


def losing_connections(first: int, end: End) -> Chosen:
    """Lose the database again and again, each time one event later than the time before."""
    left, gap = first, first

    def chosen(change: Change) -> bool:
        nonlocal left, gap
        left -= isinstance(change, EVENTS)
        if not left:
            left = gap = gap + 1
            raise DatabaseUnavailableError("the connection is lost")
        return end(change)

    return chosen


def once(messages: list[Any]) -> list[Any]:
    return list({repr(message): message for message in messages}.values())


@pytest.mark.parametrize("general", [False, True], ids=["compiled", "general"])
def test_a_lost_connection_within_a_transaction_counts_no_event_twice(
    database: FreshDatabase, record: Record, general: bool
) -> None:
    """Messages may come twice, but with the very same numbers; BEGIN and END come once."""
    recorded = record(database, general=general)
    for first in (2, 6):
        recorded.rewind()
        recorded.capture.run(losing_connections(first, End()))
        messages = recorded.written()
        for topic, expected in recorded.messages.items():
            found = once(messages[topic])
            assert found == once(expected), f"{topic}, lost at event {first}"


@pytest.mark.slow
def test_stops_while_the_queue_is_full(database: FreshDatabase, record: Record) -> None:
    """With room for one message, every row of an event after the first has to wait."""
    recorded = record(database, **{"queue.buffering.max.messages": 1})
    for number in range(1, recorded.changes, 4):
        messages = recorded.play(0, first=number, stops=1)
        assert messages == recorded.messages, f"stopped at change {number}"


@pytest.mark.slow
def test_a_stop_at_every_event_of_mariadb(mariadb_database: FreshDatabase, record: Record) -> None:
    """Without transaction metadata, which Debezium's MariaDB connector restarts after a stop."""
    stop_at_each(record(mariadb_database, transactions=False))
