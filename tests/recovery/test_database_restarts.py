"""The database stops, crashes and comes back while rows are written: capture goes on by itself."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

import pytest

from tests.fixtures.environment import Environment, environment
from tests.fixtures.load import Load
from tests.fixtures.replay import repeated
from tests.fixtures.worker import wait_for
from tools.stack import DatabaseServer, KafkaBroker, MariaDb, MySql97, Workspace

GOES_ON_WITHIN = 5.0  # seconds; not the minute that a dead connection takes to time out


@pytest.fixture(scope="module")
def durable(workspace: Workspace) -> Iterator[MySql97]:
    """A server whose commits survive its crash."""
    with MySql97(workspace, durable=True) as server:
        yield server


def restart(server: DatabaseServer, *, crash: bool) -> None:
    (server.kill if crash else server.stop)()
    server.start()


def restart_under_load(at: Environment, crashes: tuple[bool, ...]) -> None:
    """Restart the database again and again under load; compare at the end."""
    seed = random.randrange(1_000_000)
    print(f"seed {seed}")
    chance = random.Random(seed)
    at.create()
    with Load(at.server, at.name, seed) as load:
        at.wait_for_stream()
        for crash in crashes:
            at.wait_for_more(chance.randrange(50, 400))
            restart(at.server, crash=crash)
        at.wait_for_more(50)
    at.finish()
    assert at.status()[0] == "RUNNING"
    at.check()
    events = at.messages[at.topic()]
    print(
        f"{len(crashes)} restarts, {sum(crashes)} of them crashes; {load.transactions} "
        f"transactions, {len(events)} messages, {repeated(events)} repeated"
    )


def test_a_stop_and_a_crash(workspace: Workspace, broker: KafkaBroker, durable: MySql97) -> None:
    with environment(workspace, broker, durable) as at:
        restart_under_load(at, (False, True))


@pytest.mark.slow
def test_many_stops_and_crashes(
    workspace: Workspace, broker: KafkaBroker, durable: MySql97
) -> None:
    with environment(workspace, broker, durable) as at:
        restart_under_load(at, (True, False) * 4)


@pytest.mark.slow
def test_stops_and_crashes_of_mariadb(workspace: Workspace, broker: KafkaBroker) -> None:
    with (
        MariaDb(workspace, durable=True) as server,
        environment(workspace, broker, server) as at,
    ):
        restart_under_load(at, (True, False, True, False))


def test_the_status_reports_an_unavailable_database(
    workspace: Workspace, broker: KafkaBroker, durable: MySql97
) -> None:
    with environment(workspace, broker, durable) as at:
        at.create()
        at.wait_for_stream()
        durable.stop()
        try:
            at.wait(lambda: at.status()[1], "a trace", 30)
            state, reason = at.status()
        finally:
            durable.start()
        assert state == "RUNNING"
        assert "database" in reason.lower() or "connect" in reason.lower(), reason
        at.finish()
        at.wait(lambda: at.status() == ("RUNNING", ""), "a status without a trace", 30)
        at.check()


def dump_threads(server: DatabaseServer) -> set[int]:
    rows = server.query(
        "SELECT id FROM information_schema.processlist WHERE command LIKE 'Binlog Dump%%'"
    )
    return {row[0] for row in rows}


def test_a_killed_dump_connection(
    workspace: Workspace, broker: KafkaBroker, durable: MySql97
) -> None:
    with environment(workspace, broker, durable) as at:
        at.create()
        at.wait_for_stream()
        ended: set[int] = set()
        for number in range(3):
            [thread] = wait_for(lambda: dump_threads(durable) - ended, 30, "a new dump thread")
            ended.add(thread)
            durable.execute(f"KILL {thread}", f"INSERT INTO {at.name}.finish VALUES ({number})")
            killed = time.monotonic()
            at.wait_for_count(number + 1, "finish")
            assert time.monotonic() - killed < GOES_ON_WITHIN
        at.finish(99)
        at.check()
        assert repeated(at.messages[at.topic("finish")]) == 0
