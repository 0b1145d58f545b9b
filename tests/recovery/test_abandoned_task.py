"""A task that hangs is abandoned: it does nothing any more when its successor runs beside it."""

from __future__ import annotations

from tests.fixtures.environment import ITEMS_OF_START, Environment, environment
from tests.fixtures.topics import Message
from tools.stack import KafkaBroker, MariaDb, MySql97, Workspace

_BLOCKED = (
    "SELECT COUNT(*) FROM information_schema.PROCESSLIST "
    "WHERE STATE LIKE 'Waiting for table%' AND USER = 'capture'"
)


def test_a_snapshot_that_hangs_writes_nothing_beside_its_successor(
    workspace: Workspace, broker: KafkaBroker, mysql: MySql97
) -> None:
    _hang_and_replace(workspace, broker, mysql)


def test_a_snapshot_of_mariadb_that_hangs(
    workspace: Workspace, broker: KafkaBroker, mariadb: MariaDb
) -> None:
    _hang_and_replace(workspace, broker, mariadb)


def _hang_and_replace(workspace: Workspace, broker: KafkaBroker, server: MySql97 | MariaDb) -> None:
    properties = {"task.shutdown.graceful.timeout.ms": 1000}
    with environment(workspace, broker, server, properties=properties) as at:
        with server.connect(database=at.name) as connection, connection.cursor() as cursor:
            cursor.execute("LOCK TABLES items WRITE, ledger WRITE, finish WRITE")
            at.create(snapshot_locking_mode="none", snapshot_lock_timeout_ms="120000")
            _wait_for_blocked_sessions(at, 1)
            with at.client() as client:
                client.call("POST", f"/connectors/{at.name}/restart?includeTasks=true")
            at.wait(lambda: "was abandoned" in at.worker.log.read_text(), "an abandoned task")
            _wait_for_blocked_sessions(at, 2)
            cursor.execute("UNLOCK TABLES")
        at.wait_for_stream()
        at.finish()
        at.check()
        assert _operations(at.messages[at.topic()]) == {"r": ITEMS_OF_START}


def _wait_for_blocked_sessions(at: Environment, count: int) -> None:
    at.wait(lambda: at.server.query(_BLOCKED) == [(count,)], f"{count} blocked sessions")


def _operations(messages: list[Message]) -> dict[str, int]:
    found: dict[str, int] = {}
    for message in messages:
        event = message.payload()
        assert event is not None
        found[event["op"]] = found.get(event["op"], 0) + 1
    return found
