"""Records of statuses and active topics, as Kafka Connect 4.3 writes and reads them."""

from __future__ import annotations

from connector.worker.state import State
from connector.worker.status_store import Status, StatusStore
from connector.worker.storage.memory import MemoryLog

NOW = 1795259724288


def store(log: MemoryLog) -> StatusStore:
    opened = StatusStore(log, lambda: NOW)
    opened.open()
    return opened


def test_records_are_those_of_connect() -> None:
    log = MemoryLog()
    statuses = store(log)
    statuses.put_connector("a-b", Status(State.RUNNING, "127.0.0.1:8083", None, "3.6.1.Final"))
    statuses.put_task("a-b", 0, Status(State.FAILED, "127.0.0.1:8083", "E: x\n\tat y"))
    statuses.add_topics("a-b", 0, ["shop.orders", "shop.orders"])
    assert log.entries == {
        b"status-connector-a-b": (
            b'{"state":"RUNNING","trace":null,"worker_id":"127.0.0.1:8083","generation":0,'
            b'"version":"3.6.1.Final"}'
        ),
        b"status-task-a-b-0": (
            b'{"state":"FAILED","trace":"E: x\\n\\tat y","worker_id":"127.0.0.1:8083",'
            b'"generation":0,"version":null}'
        ),
        b"status-topic-shop.orders:connector-a-b": (
            b'{"topic":{"name":"shop.orders","connector":"a-b","task":0,'
            b'"discoverTimestamp":1795259724288}}'
        ),
    }


def test_a_clusters_records_are_read() -> None:
    statuses = store(
        MemoryLog(
            {
                b"status-connector-c": (
                    b'{"state":"STOPPED","trace":null,"worker_id":"w:1","generation":17,'
                    b'"version":"3.6.1.Final"}'
                ),
                b"status-task-c-1": b'{"state":"RUNNING","trace":null,"worker_id":"w:1"}',
                b"status-task-c-0": b'{"state":"FAILED","trace":"t","worker_id":"w:2"}',
                b"status-topic-a:connector-b:connector-c": b'{"topic":{}}',
                b"status-topic-t:connector-c": b'{"topic":{}}',
                b"of others \xff": b"\xff",
            }
        )
    )
    assert statuses.connector("c") == Status(State.STOPPED, "w:1", None, "3.6.1.Final")
    assert statuses.tasks("c") == {
        0: Status(State.FAILED, "w:2", "t"),
        1: Status(State.RUNNING, "w:1"),
    }
    assert statuses.topics("c") == ["t"]


def test_what_cannot_be_read_is_left_out() -> None:
    statuses = store(
        MemoryLog(
            {
                b"status-connector-a": b"{",
                b"status-connector-b": b'{"state":"DANCING","worker_id":"w"}',
                b"status-connector-c": b'{"state":"RUNNING"}',
                b"status-connector-d": b'{"state":"RUNNING","worker_id":"w:1"}',
                b"other": b'{"state":"RUNNING","worker_id":"w:1"}',
            }
        )
    )
    found = [name for name in "abcd" if statuses.connector(name)]
    assert found == ["d"]


def test_removing_leaves_nothing() -> None:
    log = MemoryLog()
    statuses = store(log)
    for name in ("c", "d"):
        statuses.put_connector(name, Status(State.RUNNING, "w"))
        statuses.put_task(name, 0, Status(State.RUNNING, "w"))
        statuses.add_topics(name, 0, ["t"])
    statuses.remove("c")
    statuses.remove("never")
    assert (statuses.connector("c"), statuses.tasks("c"), statuses.topics("c")) == (None, {}, [])
    assert sorted(log.entries) == [
        b"status-connector-d",
        b"status-task-d-0",
        b"status-topic-t:connector-d",
    ]


def test_no_topics_remain_after_a_reset() -> None:
    log = MemoryLog()
    statuses = store(log)
    statuses.add_topics("c", 0, ["b", "a"])
    assert store(log).topics("c") == ["b", "a"]
    statuses.reset_topics("c")
    assert statuses.topics("c") == []
    assert log.entries == {}
    statuses.add_topics("c", 0, ["a"])
    assert statuses.topics("c") == ["a"]
