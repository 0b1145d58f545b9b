"""The broker stops, crashes and stays away while rows are written: capture goes on by itself."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

import pytest

from tests.fixtures.environment import LONG, Environment, environment
from tests.fixtures.load import Load
from tests.fixtures.replay import repeated
from tests.fixtures.worker import wait_for
from tools.stack import KafkaBroker, MySql97, Workspace

SMALL_QUEUE = {"producer_override_buffer_memory": "262144"}
STORAGES = pytest.mark.parametrize("files", [False, True], ids=["topics", "files"])


@pytest.fixture(scope="module")
def own_broker(workspace: Workspace) -> Iterator[KafkaBroker]:
    """A broker that may be stopped."""
    with KafkaBroker(workspace, heap="512m") as server:
        yield server


def wait_for_writes(load: Load, transactions: int) -> None:
    """Wait until the writer has done more."""
    expected = load.transactions + transactions
    wait_for(lambda: load.transactions >= expected, LONG, "more transactions")


def restart_under_load(at: Environment, crashes: tuple[bool, ...]) -> None:
    """Restart the broker again and again under load; compare at the end."""
    seed = random.randrange(1_000_000)
    print(f"seed {seed}")
    chance = random.Random(seed)
    at.create()
    with Load(at.server, at.name, seed) as load:
        at.wait_for_stream()
        for crash in crashes:
            at.wait_for_more(chance.randrange(50, 400))
            (at.broker.kill if crash else at.broker.stop)()
            wait_for_writes(load, chance.randrange(20, 200))
            at.broker.start()
        at.wait_for_more(50)
    at.finish()
    at.check()
    events = at.messages[at.topic()]
    print(
        f"{len(crashes)} restarts, {sum(crashes)} of them crashes; {load.transactions} "
        f"transactions, {len(events)} messages, {repeated(events)} repeated"
    )


@pytest.mark.parametrize("files", [pytest.param(False, marks=pytest.mark.slow), True])
def test_a_stop_and_a_crash(
    workspace: Workspace, own_broker: KafkaBroker, mysql: MySql97, files: bool
) -> None:
    """With topics the broker is stopped, with files it is killed."""
    with environment(workspace, own_broker, mysql, files=files) as at:
        restart_under_load(at, (files,))


@pytest.mark.slow
@STORAGES
def test_many_stops_and_crashes(
    workspace: Workspace, own_broker: KafkaBroker, mysql: MySql97, files: bool
) -> None:
    with environment(workspace, own_broker, mysql, files=files) as at:
        restart_under_load(at, (False, True) * 2)


@pytest.mark.slow
def test_a_full_queue(workspace: Workspace, own_broker: KafkaBroker, mysql: MySql97) -> None:
    """The broker is away for 15 s; then a clean stop and start: nothing is there twice."""
    with environment(workspace, own_broker, mysql, files=True) as at:
        at.create(**SMALL_QUEUE)
        at.wait_for_stream()
        with Load(mysql, at.name, 1, alters=False) as load:
            at.wait(lambda: at.count("ledger"), "all topics of the load")
            own_broker.stop()
            back = time.monotonic() + 15
            try:
                at.wait(lambda: "Kafka" in at.status()[1], "a status that names Kafka")
                assert at.status()[0] == "RUNNING"
                wait_for(lambda: time.monotonic() > back, 20)
                wait_for_writes(load, 1)
            finally:
                own_broker.start()
            at.wait_for_more(50)
            with at.client() as client:
                client.put(at.name, "stop")
                client.wait_for(at.name, "STOPPED")
                wait_for_writes(load, 20)
                client.put(at.name, "resume")
            at.wait_for_more(50)
        at.finish()
        at.wait(lambda: at.status() == ("RUNNING", ""), "a status without a trace", 30)
        at.check()
        assert repeated(at.messages[at.topic()]) == 0
