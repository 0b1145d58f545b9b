"""Records of configurations, as Kafka Connect 4.3 writes and reads them."""

from __future__ import annotations

import pytest

from connector.worker.config_store import ConfigStore
from connector.worker.state import TargetState
from connector.worker.storage.memory import MemoryLog

# Read from the config topic of a Kafka Connect 4.3 worker, shortened.
CONNECTS = {
    b"session-key": b'{"key":"x","algorithm":"HmacSHA256","creation-timestamp":1}',
    b"target-state-c-1": b'{"state":"PAUSED","state.v2":"STOPPED"}',
    b"connector-c-1": b'{"properties":{"connector.class":"X","tasks.max":"1","name":"c-1"}}',
    b"task-c-1-0": b'{"properties":{"connector.class":"X","task.class":"T"}}',
    b"task-c-1-1": b'{"properties":{"connector.class":"X","task.class":"T"}}',
    b"commit-c-1": b'{"tasks":1}',
    b"connector-old": b'{"properties":{"name":"old"}}',
    b"target-state-old": b'{"state":"PAUSED"}',
    b"connector-new": b'{"properties":{"name":"new"}}',
    b"target-state-gone": b'{"state":"PAUSED","state.v2":"PAUSED"}',
    b"task-gone-0": b'{"properties":{}}',
    b"tasks-fencing-c-1": b'{"task-count":1}',
    b"restart-connector-c-1": b'{"include-tasks":true,"only-failed":false}',
    b"logger-cluster-root": b'{"level":"DEBUG"}',
    b"of others \xff": b"\xff",
}


def store(log: MemoryLog) -> ConfigStore:
    opened = ConfigStore(log)
    opened.open()
    return opened


@pytest.mark.parametrize("count", ["null", '"1"', "true", "1.5"])
def test_a_count_of_tasks_that_is_none_is_ignored(count: str) -> None:
    log = MemoryLog(CONNECTS | {b"commit-c-1": b'{"tasks":%s}' % count.encode()})
    found = store(log).get("c-1")
    assert found is not None
    assert found.tasks == []


def test_a_clusters_records_are_read() -> None:
    configs = store(MemoryLog(CONNECTS))
    assert configs.names() == ["c-1", "new", "old"]
    found = configs.get("c-1")
    assert found is not None
    assert found.config == {"connector.class": "X", "tasks.max": "1", "name": "c-1"}
    assert found.target is TargetState.STOPPED
    assert found.tasks == [{"connector.class": "X", "task.class": "T"}]
    targets = [configs.get(name).target for name in ("old", "new")]  # type: ignore[union-attr] # both are there
    assert targets == [TargetState.PAUSED, TargetState.STARTED]


def test_records_are_those_of_connect() -> None:
    log = MemoryLog()
    configs = store(log)
    configs.put("c", {"a": "ä", "name": "c"}, TargetState.STOPPED)
    assert list(log.entries.items()) == [
        (b"target-state-c", b'{"state":"PAUSED","state.v2":"STOPPED"}'),
        (b"connector-c", '{"properties":{"a":"ä","name":"c"}}'.encode()),
    ]
    configs.put_target("c", TargetState.STARTED)
    configs.put_tasks("c", [{"a": "ä", "task.class": "T"}])
    assert list(log.entries.items())[1:] == [
        (b"target-state-c", b'{"state":"STARTED","state.v2":"STARTED"}'),
        (b"task-c-0", '{"properties":{"a":"ä","task.class":"T"}}'.encode()),
        (b"commit-c", b'{"tasks":1}'),
    ]


def test_what_is_stored_comes_back() -> None:
    log = MemoryLog()
    first = store(log)
    first.put("c", {"name": "c"}, TargetState.PAUSED)
    first.put_tasks("c", [{"task.class": "T"}])
    first.put("c", {"name": "c", "more": "x"}, None)
    assert store(log).get("c") == first.get("c")
    first.put_tasks("c", [])
    assert store(log).get("c") == first.get("c")
    first.remove("c")
    assert first.names() == store(log).names() == []


def test_other_keys_of_a_cluster_are_left_alone() -> None:
    log = MemoryLog(CONNECTS)
    configs = store(log)
    configs.remove("c-1")
    assert set(CONNECTS) - set(log.entries) == {b"connector-c-1", b"target-state-c-1"}


@pytest.mark.parametrize("value", [b"{", b"[]", b'{"properties":[]}', b'{"other":{}}', b"null"])
def test_a_broken_configuration_is_no_connector(value: bytes) -> None:
    assert store(MemoryLog({b"connector-c": value})).names() == []


@pytest.mark.parametrize(
    "value", [b"{", b'{"state.v2":"DANCING"}', b'{"state":["PAUSED"]}', b"[]", b"{}"]
)
def test_a_broken_target_state_is_started(value: bytes) -> None:
    configs = store(
        MemoryLog({b"connector-c": b'{"properties":{"name":"c"}}', b"target-state-c": value})
    )
    found = configs.get("c")
    assert found is not None
    assert found.target is TargetState.STARTED
