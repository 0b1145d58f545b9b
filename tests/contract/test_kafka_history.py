"""The schema history in a topic while Kafka is away."""

from __future__ import annotations

from collections.abc import Generator

from connector.capture.history import HistoryRecord, HistoryStore
from connector.capture.history.kafka import KafkaHistory
from connector.fence import Fence
from connector.kafka.ordered_topic import OrderedTopic
from connector.kafka.topics import Topics as Admin
from tools.stack import KafkaBroker, Workspace


def test_an_interrupted_snapshot_does_not_wait_for_kafka(workspace: Workspace) -> None:
    """Python drops a generator's errors: this one could only be printed."""
    reasons: list[str] = []
    with KafkaBroker(workspace) as broker:
        fence = Fence()
        settings = {"bootstrap.servers": broker.address}
        topic = OrderedTopic("history", settings, settings, fence=fence)
        store = KafkaHistory("history", topic, Admin(settings))
        store.prepare()
        broker.kill()
        snapshot = _append_one(store)
        next(snapshot)
        fence.observer = reasons.append
        snapshot.close()
        store.close()
    assert reasons == []


def _append_one(store: HistoryStore) -> Generator[None]:
    with store.buffering():
        store.append(HistoryRecord.of({"server": "s"}, {"pos": 4}, "shop", "DROP TABLE t", (), 1))
        yield
