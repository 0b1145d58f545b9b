"""Reading, altering and resetting offsets (KIP-875)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.fixtures.topics import Topics
from tests.fixtures.worker import JSON, WorkerProcess, wait_for
from tests.rest.answers import Config, error
from tests.rest.ticker import numbers

DONE = (
    "The Connect framework-managed offsets for this connector have been {0} successfully. "
    "However, if this connector manages offsets externally, they will need to be manually {0} in "
    "the system that the connector uses."
)


def offsets(worker: WorkerProcess, name: str) -> Any:
    return worker.http.get(f"/connectors/{name}/offsets").json()


def entry(name: str, number: int | None) -> dict[str, Any]:
    return {"partition": {"ticker": name}, "offset": None if number is None else {"n": number}}


@pytest.fixture
def stopped(worker: WorkerProcess, topics: Topics, name: str, ticker: Config) -> str:
    """A connector that has sent 20 numbers and stopped."""
    worker.create(name, ticker)
    wait_for(lambda: offsets(worker, name) == {"offsets": [entry(name, 20)]})
    worker.http.put(f"/connectors/{name}/stop")
    worker.wait_for_states(name, "STOPPED")
    return name


def test_a_new_connector_has_none(worker: WorkerProcess, name: str, ticker: Config) -> None:
    worker.create(name, ticker, "STOPPED")
    assert offsets(worker, name) == {"offsets": []}


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999"])
def test_numbers_that_json_cannot_express_are_refused(
    worker: WorkerProcess, stopped: str, number: str
) -> None:
    """Stored, they would make the offsets unreadable for Kafka Connect."""
    body = json.dumps({"offsets": [entry(stopped, 7)]}).replace("7", number)
    answer = worker.http.patch(f"/connectors/{stopped}/offsets", content=body, headers=JSON)
    assert answer.status_code == 400, answer.text
    assert offsets(worker, stopped) == {"offsets": [entry(stopped, 20)]}


def test_unknown_connectors(worker: WorkerProcess) -> None:
    expected = (404, 404, "Connector x not found")
    body = {"offsets": [entry("x", 1)]}
    assert error(worker.http.get("/connectors/x/offsets")) == expected
    assert error(worker.http.patch("/connectors/x/offsets", json=body)) == expected
    assert error(worker.http.delete("/connectors/x/offsets")) == expected


@pytest.mark.parametrize("state", ["RUNNING", "PAUSED"])
def test_only_stopped_connectors_take_changes(
    worker: WorkerProcess, name: str, ticker: Config, state: str
) -> None:
    worker.create(name, ticker, state)
    text = (
        "Connectors must be in the STOPPED state before their offsets can be modified. This can be "
        "done for the specified connector by issuing a 'PUT' request to the "
        f"'/connectors/{name}/stop' endpoint"
    )
    path = f"/connectors/{name}/offsets"
    assert error(worker.http.patch(path, json={"offsets": [entry(name, 1)]})) == (400, 400, text)
    assert error(worker.http.delete(path)) == (400, 400, text)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("[]", "Cannot deserialize value of type"),
        ("{}", "Partitions / offsets need to be provided for an alter offsets request"),
        ('{"key": []}', 'Unrecognized field "key"'),
        ('{"offsets": []}', "Partitions / offsets need to be provided"),
        ('{"offsets": null}', "Partitions / offsets need to be provided"),
        ('{"offsets": {}}', "Cannot deserialize value of type"),
        ('{"offsets": [123]}', "Cannot construct instance of"),
        ('{"offsets": [{"key": "val"}]}', 'Unrecognized field "key"'),
        ('{"offsets": [{"partition": []]}]}', "Unexpected character ("),
        ('{"offsets": [{"partition": {}, "offset": null}]}', "partition for a source connector"),
        ('{"offsets": [{"offset": null}]}', "partition for a source connector"),
        ('{"offsets": [{"partition": {"a": [1]}, "offset": {"n": 1}}]}', "primitive types"),
    ],
)
def test_bodies_that_make_no_sense(
    worker: WorkerProcess, stopped: str, body: str, text: str
) -> None:
    answer = worker.http.patch(
        f"/connectors/{stopped}/offsets",
        content=body,
        headers={"Content-Type": "application/json"},
    )
    status, code, message = error(answer)
    assert (status, code) == (400, 400)
    assert text in message
    assert offsets(worker, stopped) == {"offsets": [entry(stopped, 20)]}


def test_altering(worker: WorkerProcess, topics: Topics, stopped: str) -> None:
    path = f"/connectors/{stopped}/offsets"
    other = {"partition": {"other": True}, "offset": {"n": 1, "big": 2**60, "text": "ä", "r": 0.5}}
    answer = worker.http.patch(path, json={"offsets": [entry(stopped, 15), other]})
    assert (answer.status_code, answer.json()) == (200, {"message": DONE.format("altered")})
    assert offsets(worker, stopped) == {"offsets": [entry(stopped, 15), other]}
    removed = [{"partition": {"other": True}, "offset": None}]
    assert worker.http.patch(path, json={"offsets": removed}).status_code == 200
    assert offsets(worker, stopped) == {"offsets": [entry(stopped, 15)]}
    worker.http.put(f"/connectors/{stopped}/resume")
    sent = numbers([got.value for got in topics.wait_for(stopped, 25)])
    assert sent == [*range(1, 21), *range(16, 21)]


def test_resetting(worker: WorkerProcess, topics: Topics, stopped: str) -> None:
    path = f"/connectors/{stopped}/offsets"
    for _ in range(2):
        answer = worker.http.delete(path)
        assert (answer.status_code, answer.json()) == (200, {"message": DONE.format("reset")})
        assert offsets(worker, stopped) == {"offsets": []}
    worker.http.put(f"/connectors/{stopped}/resume")
    sent = numbers([got.value for got in topics.wait_for(stopped, 40)])
    assert sent == [*range(1, 21), *range(1, 21)]


def test_offsets_before_the_first_start(
    worker: WorkerProcess, topics: Topics, name: str, ticker: Config
) -> None:
    worker.create(name, ticker, "STOPPED")
    body = {"offsets": [entry(name, 15)]}
    assert worker.http.patch(f"/connectors/{name}/offsets", json=body).status_code == 200
    worker.http.put(f"/connectors/{name}/resume")
    sent = numbers([got.value for got in topics.wait_for(name, 5)])
    assert sent == [16, 17, 18, 19, 20]


def test_offsets_outlive_their_connector(
    worker: WorkerProcess, topics: Topics, stopped: str, ticker: Config
) -> None:
    worker.http.delete(f"/connectors/{stopped}")
    worker.create(stopped, {**ticker, "messages": "22"})
    sent = numbers([got.value for got in topics.wait_for(stopped, 22)])
    assert sent == list(range(1, 23))


def test_an_offsets_topic_of_its_own(
    worker: WorkerProcess, topics: Topics, name: str, ticker: Config
) -> None:
    own = f"{name}-offsets"
    topics.create(own, cleanup_policy="compact")
    worker.create(name, {**ticker, "offsets.storage.topic": own})
    wait_for(lambda: offsets(worker, name) == {"offsets": [entry(name, 20)]})
    last = topics.read(own)[-1]
    assert (last.key, last.value) == (f'["{name}",{{"ticker":"{name}"}}]'.encode(), b'{"n":20}')
    worker.http.put(f"/connectors/{name}/stop")
    worker.wait_for_states(name, "STOPPED")
    assert worker.http.delete(f"/connectors/{name}/offsets").status_code == 200
    assert offsets(worker, name) == {"offsets": []}
    assert topics.read(own)[-1].value is None
