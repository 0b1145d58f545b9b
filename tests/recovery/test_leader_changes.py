"""A partition whose leader changes while a capture writes: nothing is lost, the order stays."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest

from connector.kafka.ordered_topic import OrderedTopic
from tests.fixtures.kafka_cluster import KafkaCluster
from tests.fixtures.topics import Topics
from tests.fixtures.worker import wait_for
from tests.recovery.sender import Sender
from tools.stack import Workspace

pytestmark = pytest.mark.slow

CHANGES = 3


@pytest.fixture(scope="module")
def cluster(workspace: Workspace) -> Iterator[KafkaCluster]:
    with KafkaCluster(workspace) as cluster:
        yield cluster


@pytest.mark.parametrize("crash", [True, False])
@pytest.mark.parametrize("idempotent", [True, False])
def test_messages_while_the_leader_changes(
    cluster: KafkaCluster, crash: bool, idempotent: bool
) -> None:
    topic = f"led-{crash}-{idempotent}".lower()
    cluster.create(topic)
    sender = Sender(Topics(cluster.address), topic, cluster.address, enable_idempotence=idempotent)

    def send() -> None:
        sender.send(200)

    for _ in range(CHANGES):
        _change_leader(cluster, topic, send, crash=crash)
        sender.check()
    sender.finish()
    arrived = sender.arrived()
    first_times = list(dict.fromkeys(arrived))
    assert first_times == list(range(1, sender.sent + 1))
    if idempotent:
        assert arrived == first_times


@pytest.mark.parametrize("crash", [True, False])
def test_the_schema_history_while_the_leader_changes(cluster: KafkaCluster, crash: bool) -> None:
    topic = f"history-{crash}".lower()
    cluster.create(topic)
    address = {"bootstrap.servers": cluster.address}
    history = OrderedTopic(topic, address, {**address, "socket.timeout.ms": 2000})
    written: list[bytes] = []

    def write() -> None:
        values = [b"%d" % number for number in range(len(written), len(written) + 20)]
        history.write(values)
        written.extend(values)

    for _ in range(CHANGES):
        _change_leader(cluster, topic, write, crash=crash)
    found = [value for _, value in history.read()]
    history.close()
    assert list(dict.fromkeys(found)) == written


def _change_leader(
    cluster: KafkaCluster, topic: str, write: Callable[[], None], *, crash: bool
) -> None:
    """End the leader while messages are written, start it again, and let it lead again."""
    old = cluster.leader(topic)
    leader = cluster.brokers[old]
    write()
    (leader.kill if crash else leader.stop)()
    _write_until(write, lambda: cluster.leader(topic) not in (0, -1, old))
    leader.start()
    _write_until(write, lambda: cluster.in_sync(topic) == len(cluster.brokers))
    cluster.move_back(topic)
    _write_until(write, lambda: cluster.leader(topic) == old)


def _write_until(write: Callable[[], None], reached: Callable[[], bool]) -> None:
    def written_and_reached() -> bool:
        write()
        return reached()

    wait_for(written_and_reached, 60)
    write()
    time.sleep(0.1)
