"""Failover among the servers of ``database.hostname``: nothing is lost, nothing invented."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from connector.capture.change import RowChanges
from connector.capture.signals.signal import SnapshotRequest
from connector.errors import DatabaseUnavailableError, PositionLostError
from connector.mysql.heartbeat_action import HeartbeatAction
from connector.mysql.session.addresses import Address, Addresses
from connector.mysql.session.connection_settings import ConnectionSettings
from tests.fixtures.replicas import REPLICAS
from tests.fixtures.worker import wait_for
from tests.recovery.following import Following
from tests.recovery.primary_pair import Pair
from tools.stack import OWNER, Workspace


@pytest.fixture(params=["mysql", "mariadb"])
def pair(request: pytest.FixtureRequest, workspace: Workspace) -> Iterator[Pair]:
    made, options, source_is, start, stop = REPLICAS[request.param]
    with ExitStack() as servers:
        primary = servers.enter_context(made(workspace))
        primary.execute("CREATE DATABASE shop", "CREATE TABLE shop.t (id INT PRIMARY KEY)")
        replica = servers.enter_context(made(workspace, options=options))
        replica.execute(source_is.format(port=primary.port), start)
        pair = Pair(primary, replica, stop, start)
        pair.insert(primary, 1)
        pair.await_replica(1)
        yield pair


@pytest.fixture
def follow(pair: Pair, tmp_path: Path) -> Iterator[Callable[..., Following]]:
    history = {
        "schema__history__internal": "io.debezium.storage.file.history.FileSchemaHistory",
        "schema__history__internal__file__filename": str(tmp_path / "history"),
    }
    with ExitStack() as opened:

        def begin(offset: dict[str, Any] | None = None, **own: str) -> Following:
            more = history | own
            return opened.enter_context(
                closing(Following((pair.primary, pair.replica), offset, **more))
            )

        yield begin


@contextmanager
def lagging_replica(pair: Pair, capture: Following) -> Iterator[None]:
    """For the block, the replica cannot apply a row that it has and that is captured."""
    with pair.replica.connect(autocommit=True) as session, session.cursor() as cursor:
        cursor.execute("LOCK TABLES shop.t READ")
        pair.insert(pair.primary, 2)
        capture.await_ids(1, 2)
        time.sleep(1)  # until the replica has received it
        yield
        cursor.execute("UNLOCK TABLES")


def test_a_capture_goes_over_to_the_replica_and_back(
    pair: Pair, follow: Callable[..., Following]
) -> None:
    capture = follow()
    capture.await_ids(1)
    pair.insert(pair.primary, 2, 3)
    capture.await_ids(1, 2, 3)
    pair.await_replica(3)
    pair.primary.kill()
    pair.replica.execute(pair.stop)
    pair.insert(pair.replica, 4)
    capture.await_ids(1, 2, 3, 4)
    assert capture.reasons
    pair.insert(pair.replica, 5)
    capture.await_ids(1, 2, 3, 4, 5)
    capture.close()
    again = follow(capture.offset)
    pair.insert(pair.replica, 6)
    again.await_ids(6)


def test_a_server_that_lost_transactions_is_refused(
    pair: Pair, follow: Callable[..., Following]
) -> None:
    """Its rows replace others with the same numbers: no topic may hold both."""
    capture = follow()
    capture.await_ids(1)
    pair.replica.execute(pair.stop)
    pair.insert(pair.primary, 2)
    capture.await_ids(1, 2)
    pair.primary.kill()
    pair.insert(pair.replica, 3, 4, 5)
    capture.await_reason("its history diverges: it does not have ")
    assert capture.ids == [1, 2]
    pair.primary.start()
    pair.insert(pair.primary, 6)
    capture.await_ids(1, 2, 6)
    assert capture.error is None


def test_a_blocking_snapshot_does_not_read_a_replica_that_lags_behind(
    pair: Pair, follow: Callable[..., Following]
) -> None:
    """Its rows would be older than what was streamed, and their changes never come again."""
    capture = follow()
    capture.await_ids(1)
    request = SnapshotRequest(("shop.t",))
    with lagging_replica(pair, capture):
        capture.close()
        pair.primary.kill()
        source, at = capture.source, capture.source.position(capture.offset)
        source.open()
        with pytest.raises(DatabaseUnavailableError, match="it has not executed "):
            list(source.read_again(request, at, None))
        source.close()
    pair.await_replica(2)
    source.open()
    changes = source.read_again(request, at, None)
    rows = [row for change in changes if isinstance(change, RowChanges) for row in change.rows]
    assert [after[0] for _, after in rows if after is not None] == [1, 2]


def test_without_a_server_left_to_wait_for_a_diverged_one_stops_the_capture(
    pair: Pair, follow: Callable[..., Following]
) -> None:
    capture = follow()
    capture.await_ids(1)
    pair.replica.execute(pair.stop)
    pair.insert(pair.primary, 2)
    capture.await_ids(1, 2)
    capture.close()
    pair.insert(pair.replica, 3, 4, 5)
    both = f"127.0.0.1:{pair.replica.port}, [::ffff:127.0.0.1]:{pair.replica.port}"
    again = follow(capture.offset, database__hostname=both)
    wait_for(lambda: again.error is not None, 30, "the error")
    assert isinstance(again.error, PositionLostError)
    assert "its history diverges: it does not have " in str(again.error)
    assert "Let database.hostname name a server that has these" in again.error.remedy
    assert again.ids == []


def test_a_replica_that_lags_behind_is_waited_for(
    pair: Pair, follow: Callable[..., Following]
) -> None:
    capture = follow()
    capture.await_ids(1)
    with lagging_replica(pair, capture):
        pair.primary.kill()
        capture.await_reason("it has not executed ")
        assert capture.ids == [1, 2]
    pair.await_replica(2)
    pair.replica.execute(pair.stop)
    pair.insert(pair.replica, 3)
    capture.await_ids(1, 2, 3)


def test_the_first_server_need_not_answer_at_the_first_start(
    pair: Pair, follow: Callable[..., Following]
) -> None:
    pair.primary.kill()
    pair.replica.execute(pair.stop)
    capture = follow()
    capture.await_ids(1)
    pair.insert(pair.replica, 2)
    capture.await_ids(1, 2)


def test_statements_of_heartbeats_go_to_the_captured_server(pair: Pair) -> None:
    """Although the session to the server before still works."""
    addresses = Addresses([Address("127.0.0.1", pair.primary.port)])
    settings = ConnectionSettings("", user=OWNER.user, password=OWNER.password, servers=addresses)
    action = HeartbeatAction(settings, "INSERT INTO shop.t VALUES (@@port)")
    action.run()
    addresses.current = Address("127.0.0.1", pair.replica.port)
    action.run()
    action.close()
    query = "SELECT id FROM shop.t WHERE id > 1"
    assert pair.primary.query(query) == [(pair.primary.port,)]
    pair.await_replica(pair.primary.port)
    assert (pair.replica.port,) in pair.replica.query(query)


def test_an_initial_snapshot_that_loses_its_server_is_complete_on_the_other_one(
    pair: Pair, follow: Callable[..., Following]
) -> None:
    """Rows that the other server has are read there, whatever was read before."""
    rows = range(2, 401)
    values = ", ".join(f"({number}, REPEAT('x', 1000))" for number in rows)
    pair.primary.execute(
        "ALTER TABLE shop.t ADD v VARCHAR(1000)",
        f"INSERT INTO shop.t VALUES {values}",
    )
    pair.await_replica(rows[-1])
    slow = "SELECT *, SLEEP(0.01) AS s FROM shop.t"
    capture = follow(
        snapshot__select__statement__overrides="shop.t",
        snapshot__select__statement__overrides__shop__t=slow,
    )
    wait_for(lambda: capture.ids, 30, "rows of the snapshot")
    pair.primary.kill()
    assert len(set(capture.ids)) < len(rows), "the snapshot was over before the server ended"
    pair.replica.execute(pair.stop)
    pair.insert(pair.replica, 1000)
    expected = {1, *rows, 1000}
    wait_for(lambda: set(capture.ids) == expected or capture.error, 60, "all rows")
    assert capture.error is None
    assert set(capture.ids) == expected
    pair.insert(pair.replica, 1001)
    wait_for(lambda: 1001 in capture.ids or capture.error, 30, "the stream")
    assert capture.ids.count(1001) == 1
