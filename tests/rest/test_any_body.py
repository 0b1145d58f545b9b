"""Whatever is sent, the fault is never the server's."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fixtures.worker import JSON, WorkerProcess
from tests.rest.ticker import CLASS

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(
    """name config initial_state tasks offsets partition offset level connector.class tasks.max
    transforms transforms.a.type predicates topic.creation.groups topic.creation.default.partitions
    key.converter producer.override.acks errors.tolerance topic""".split()
)
BODIES = st.dictionaries(KEYS, VALUES | st.dictionaries(KEYS, VALUES, max_size=4), max_size=5)
CALLS = st.sampled_from(
    [
        ("POST", "/connectors"),
        ("PUT", "/connectors/any%2Fbody/config"),
        ("PATCH", "/connectors/any%2Fbody/config"),
        ("PATCH", "/connectors/any%2Fbody/offsets"),
        ("PUT", "/connector-plugins/Ticker/config/validate"),
        ("PUT", "/admin/loggers/any.body"),
    ]
)


@settings(max_examples=300, deadline=None)
@given(CALLS, BODIES | VALUES)
def test_any_json(worker: WorkerProcess, call: tuple[str, str], body: object) -> None:
    method, path = call
    answer = worker.http.request(method, path, content=json.dumps(body), headers=JSON)
    assert answer.status_code < 500, answer.text
    if answer.status_code >= 400:
        assert answer.json()["error_code"] == answer.status_code


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(KEYS | TEXTS, st.none() | TEXTS, max_size=6))
def test_any_configuration_can_be_validated(worker: WorkerProcess, config: dict[str, str]) -> None:
    answer = worker.http.put(
        "/connector-plugins/Ticker/config/validate", json={**config, "connector.class": CLASS}
    )
    assert answer.status_code == 200, answer.text
    assert answer.json()["error_count"] == sum(
        len(entry["value"]["errors"]) for entry in answer.json()["configs"]
    )


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=40))
def test_any_bytes(worker: WorkerProcess, body: bytes) -> None:
    answer = worker.http.post("/connectors", content=body, headers=JSON)
    assert answer.status_code == 400
