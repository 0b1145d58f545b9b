"""Topics that a connector has written to, and the creation of topics."""

from __future__ import annotations

import gc
from pathlib import Path
from weakref import ref

from connector.kafka.topics import Topics as Admin
from tests.fixtures.topics import Topics
from tests.fixtures.worker import WorkerProcess, wait_for
from tests.rest.answers import Config, error
from tests.rest.conftest import MODULE


def written(worker: WorkerProcess, name: str) -> list[str]:
    body: dict[str, dict[str, list[str]]] = worker.http.get(f"/connectors/{name}/topics").json()
    assert list(body) == [name]
    assert list(body[name]) == ["topics"]
    return body[name]["topics"]


def test_topics_of_connectors_are_kept_apart(
    worker: WorkerProcess, name: str, ticker: Config
) -> None:
    other = f"{name}-other"
    worker.create(name, ticker)
    worker.create(other, {**ticker, "topic": other})
    wait_for(lambda: written(worker, name) and written(worker, other))
    assert (written(worker, name), written(worker, other)) == ([name], [other])
    worker.http.delete(f"/connectors/{other}")


def test_a_reset_removes_all_topics(worker: WorkerProcess, name: str, ticker: Config) -> None:
    worker.create(name, ticker)
    wait_for(lambda: written(worker, name))
    wait_for(lambda: len(worker.http.get(f"/connectors/{name}/offsets").json()["offsets"]))
    worker.http.put(f"/connectors/{name}/pause")
    worker.wait_for_states(name, "PAUSED", "PAUSED")
    reset = worker.http.put(f"/connectors/{name}/topics/reset")
    assert (reset.status_code, reset.content) == (202, b"")
    assert written(worker, name) == []
    worker.http.put(f"/connectors/{name}/config", json={**ticker, "messages": "40"})
    worker.http.put(f"/connectors/{name}/resume")
    wait_for(lambda: written(worker, name) == [name])


def test_a_connector_created_again_has_none(
    worker: WorkerProcess, name: str, ticker: Config
) -> None:
    worker.create(name, ticker)
    wait_for(lambda: written(worker, name))
    worker.http.delete(f"/connectors/{name}")
    assert written(worker, name) == []
    worker.create(name, ticker, "STOPPED")
    assert written(worker, name) == []


def test_unknown_connectors_have_none(worker: WorkerProcess) -> None:
    assert written(worker, "x") == []
    assert worker.http.put("/connectors/x/topics/reset").status_code == 202


def test_tracking_can_be_switched_off(tmp_path: Path, topics: Topics) -> None:
    for key, path, text in (
        ("topic.tracking.enable", "topics", "Topic tracking is disabled."),
        ("topic.tracking.allow.reset", None, "Topic tracking reset is disabled."),
    ):
        properties = {"offset.storage.file.filename": str(tmp_path / key), key: "false"}
        with WorkerProcess(tmp_path, topics.bootstrap, properties, MODULE) as worker:
            if path:
                answer = worker.http.get(f"/connectors/x/{path}")
                assert error(answer) == (403, 403, text)
            answer = worker.http.put("/connectors/x/topics/reset")
            assert error(answer) == (403, 403, text)


def _setting(topics: Topics, topic: str, key: str) -> str | None:
    return Admin({"bootstrap.servers": topics.bootstrap}).setting(topic, key)


def test_a_topic_is_created_by_its_group(
    worker: WorkerProcess, topics: Topics, name: str, ticker: Config
) -> None:
    groups = {
        "topic.creation.groups": "kept",
        "topic.creation.default.replication.factor": "1",
        "topic.creation.default.partitions": "2",
        "topic.creation.kept.include": ".*-kept",
        "topic.creation.kept.retention.ms": "-1",
        "topic.creation.kept.partitions": "3",
    }
    worker.create(name, {**ticker, **groups})
    worker.create(f"{name}-2", {**ticker, **groups, "topic": f"{name}-kept"})
    topics.wait_for(name, 20)
    topics.wait_for(f"{name}-kept", 20)
    assert [topics.partitions(topic) for topic in (name, f"{name}-kept")] == [2, 3]
    assert _setting(topics, name, "retention.ms") == "604800000"
    assert _setting(topics, f"{name}-kept", "retention.ms") == "-1"
    worker.http.delete(f"/connectors/{name}-2")


def test_a_topic_that_is_there_is_taken_as_it_is(
    worker: WorkerProcess, topics: Topics, name: str, ticker: Config
) -> None:
    topics.create(name, partitions=4)
    worker.create(name, ticker)
    topics.wait_for(name, 20)
    assert topics.partitions(name) == 4


def test_a_topic_that_the_broker_refuses_fails_the_task(
    worker: WorkerProcess, name: str, ticker: Config
) -> None:
    worker.create(name, {**ticker, "topic": f"{name}/bad"})
    worker.wait_for_states(name, "RUNNING", "FAILED")
    first = worker.status(name)["tasks"][0]["trace"].splitlines()[0]
    assert first.startswith(f"ProduceError: Topic {name}/bad cannot be used: ")
    assert first.endswith("the topic exists, and restart the task.")


def test_creation_of_topics_can_be_switched_off(
    topics: Topics, tmp_path: Path, name: str, ticker: Config
) -> None:
    properties = {
        "offset.storage.file.filename": str(tmp_path / "offsets"),
        "topic.creation.enable": "false",
    }
    with WorkerProcess(tmp_path, topics.bootstrap, properties, MODULE) as worker:
        worker.create(name, ticker)
        worker.wait_for_states(name, "RUNNING", "FAILED")
        first = worker.status(name)["tasks"][0]["trace"].splitlines()[0]
        assert first == (
            f"StopError: Topic {name} cannot be used: it does not exist, and the worker must not "
            "create it (topic.creation.enable=false). Create the topic, then restart the task."
        )
        topics.create(name)
        worker.http.post(f"/connectors/{name}/tasks/0/restart")
        worker.wait_for_states(name, "RUNNING", "RUNNING")


def test_a_refused_request_keeps_no_frame(topics: Topics, name: str) -> None:
    """Frames hold the receipts of messages: offsets would wait for a collection of cycles."""
    admin = Admin({"bootstrap.servers": topics.bootstrap})
    topics.create(name)

    class Held:
        pass

    def request() -> ref[Held]:
        held = Held()
        assert admin.partitions(f"{name}-missing") is None
        assert not admin.create(name, 1, 1)
        return ref(held)

    gc.disable()
    try:
        assert request()() is None
    finally:
        gc.enable()
        admin.close()
        topics.delete([name])
