"""A worker that keeps its state in Connect's three topics."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from confluent_kafka import Producer

from connector.kafka.topics import Topics as Admin
from tests.fixtures.topics import Topics
from tests.fixtures.worker import WorkerProcess, wait_for
from tests.rest.answers import Config
from tests.rest.conftest import MODULE
from tests.rest.ticker import CLASS, TASK_CLASS, VERSION, numbers
from tools.stack import KafkaBroker


def latest(topics: Topics, topic: str) -> dict[str, Any]:
    """Return the last value of each key of a topic."""
    found: dict[str, Any] = {}
    for message in topics.read(topic):
        assert message.key is not None
        found[message.key.decode()] = message.json()
    return {key: value for key, value in found.items() if value is not None}


def test_the_topics_are_made_as_connect_makes_them(
    kafka_worker: WorkerProcess, topics: Topics, name: str
) -> None:
    kafka_worker.start()
    admin = Admin({"bootstrap.servers": topics.bootstrap})
    for store, partitions in (("config", 1), ("offset", 25), ("status", 5)):
        assert topics.partitions(f"{name}-{store}") == partitions
        assert admin.setting(f"{name}-{store}", "cleanup.policy") == "compact"


def test_the_records_are_those_of_connect(
    kafka_worker: WorkerProcess, topics: Topics, name: str, ticker: Config
) -> None:
    worker = kafka_worker.start()
    worker.create(name, ticker)
    topics.wait_for(name, 20)
    config = {**ticker, "name": name}
    key = f'["{name}",{{"ticker":"{name}"}}]'
    wait_for(lambda: latest(topics, f"{name}-offset") == {key: {"n": 20}})
    mark = f"millrace-offset-of-{name}"  # our own; Connect skips it
    wait_for(lambda: latest(topics, f"{name}-config").get(mark) == {"ticker": name})
    records = [(m.key, m.json()) for m in topics.read(f"{name}-config")]
    assert [record for record in records if not (record[0] or b"").startswith(b"millrace-")] == [
        (f"target-state-{name}".encode(), {"state": "STARTED", "state.v2": "STARTED"}),
        (f"connector-{name}".encode(), {"properties": config}),
        (f"task-{name}-0".encode(), {"properties": {**config, "task.class": TASK_CLASS}}),
        (f"commit-{name}".encode(), {"tasks": 1}),
    ]
    status = {
        "state": "RUNNING",
        "trace": None,
        "worker_id": worker.worker_id,
        "generation": 0,
        "version": VERSION,
    }
    wait_for(lambda: len(latest(topics, f"{name}-status")) == 3)
    found = latest(topics, f"{name}-status")
    topic = found.pop(f"status-topic-{name}:connector-{name}")["topic"]
    assert (topic["name"], topic["connector"], topic["task"]) == (name, name, 0)
    assert found == {f"status-connector-{name}": status, f"status-task-{name}-0": status}
    worker.http.put(f"/connectors/{name}/stop")
    latest_configs = latest(topics, f"{name}-config")
    assert latest_configs[f"commit-{name}"] == {"tasks": 0}
    assert latest_configs[f"target-state-{name}"] == {"state": "PAUSED", "state.v2": "STOPPED"}
    worker.http.delete(f"/connectors/{name}")
    assert not {f"connector-{name}", mark} & latest(topics, f"{name}-config").keys()
    wait_for(lambda: latest(topics, f"{name}-status") == {})
    assert latest(topics, f"{name}-offset") == {key: {"n": 20}}


def test_a_worker_elsewhere_goes_on(
    kafka_worker: WorkerProcess,
    broker: KafkaBroker,
    topics: Topics,
    tmp_path: Path,
    name: str,
    ticker: Config,
) -> None:
    worker = kafka_worker.start()
    worker.create(name, {**ticker, "messages": "30"})
    worker.create(f"{name}-p", {**ticker, "topic": f"{name}-pt"}, "PAUSED")
    topics.wait_for(name, 10)
    assert worker.stop() == 0
    status = latest(topics, f"{name}-status")
    assert {record["state"] for key, record in status.items() if "topic" not in record} == {
        "UNASSIGNED"
    }

    folder = tmp_path / "elsewhere"
    folder.mkdir()
    settings = {
        key: text
        for key, text in worker.properties.items()
        if key not in ("listeners", "bootstrap.servers")
    }
    with WorkerProcess(folder, broker.address, settings, MODULE) as other:
        wait_for(lambda: other.states(name) == ("RUNNING", ["RUNNING"]))
        wait_for(lambda: other.states(f"{name}-p") == ("PAUSED", []))
        assert other.status(name)["connector"]["worker_id"] == other.worker_id
        assert numbers([got.value for got in topics.wait_for(name, 30)]) == list(range(1, 31))
        assert other.http.get(f"/connectors/{name}/topics").json() == {name: {"topics": [name]}}


def test_a_crash_loses_nothing(
    kafka_worker: WorkerProcess, topics: Topics, name: str, ticker: Config
) -> None:
    worker = kafka_worker.start()
    worker.create(name, {**ticker, "messages": "200", "interval.ms": "1"})
    topics.wait_for(name, 20)
    worker.kill()
    worker.start()
    wait_for(lambda: numbers([m.value for m in topics.read(name)])[-1] == 200, 30)
    assert set(numbers([m.value for m in topics.read(name)])) == set(range(1, 201))


def test_a_topic_that_would_forget_is_refused(
    kafka_worker: WorkerProcess, topics: Topics, name: str
) -> None:
    topics.create(f"{name}-config", cleanup_policy="delete")
    kafka_worker.start(wait=False)
    assert kafka_worker.wait(30) == 1
    assert (
        f"The worker cannot start: Topic {name}-config has cleanup.policy=delete, and would lose "
        f"entries in time. Set cleanup.policy=compact on topic {name}-config, or name another "
        "topic."
    ) in kafka_worker.log.read_text()


def test_a_config_topic_with_several_partitions_is_refused(
    kafka_worker: WorkerProcess, topics: Topics, name: str
) -> None:
    topics.create(f"{name}-config", partitions=2, cleanup_policy="compact")
    kafka_worker.start(wait=False)
    assert kafka_worker.wait(30) == 1
    assert "has more than one partition" in kafka_worker.log.read_text()


def test_creation_of_the_topics_can_be_switched_off(kafka_worker: WorkerProcess, name: str) -> None:
    kafka_worker.properties["internal.topics.automatic.creation.enable"] = "false"
    kafka_worker.start(wait=False)
    assert kafka_worker.wait(30) == 1
    text = f"Topic {name}-config does not exist, and the worker must not create it"
    assert text in kafka_worker.log.read_text()


def test_a_clusters_records_are_taken_over(
    kafka_worker: WorkerProcess, topics: Topics, name: str
) -> None:
    """What a Connect cluster wrote for two connectors, one stopped."""
    for store, partitions in (("config", 1), ("offset", 25), ("status", 5)):
        topics.create(f"{name}-{store}", partitions=partitions, cleanup_policy="compact")
    config = {"connector.class": CLASS, "topic": name, "messages": "9", "name": name}
    producer = Producer({"bootstrap.servers": topics.bootstrap, "partitioner": "murmur2_random"})
    for store, key, value in (
        ("config", "session-key", {"key": "x", "algorithm": "HmacSHA256"}),
        ("config", f"connector-{name}", {"properties": config}),
        ("config", f"task-{name}-0", {"properties": {**config, "task.class": TASK_CLASS}}),
        ("config", f"commit-{name}", {"tasks": 1}),
        ("config", f"target-state-{name}-s", {"state": "PAUSED", "state.v2": "STOPPED"}),
        ("config", f"connector-{name}-s", {"properties": {**config, "name": f"{name}-s"}}),
        ("config", f"commit-{name}-s", {"tasks": 0}),
        ("offset", json.dumps([name, {"ticker": name}], separators=(",", ":")), {"n": 6}),
    ):
        producer.produce(f"{name}-{store}", json.dumps(value), key)
    producer.flush()
    worker = kafka_worker.start()
    wait_for(lambda: worker.states(name) == ("RUNNING", ["RUNNING"]))
    wait_for(lambda: worker.states(f"{name}-s") == ("STOPPED", []))
    assert numbers([got.value for got in topics.wait_for(name, 3)]) == [7, 8, 9]
    assert worker.http.get(f"/connectors/{name}/config").json() == config
    assert "session-key" in latest(topics, f"{name}-config")
