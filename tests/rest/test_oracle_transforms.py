"""Transforms and predicates in the REST API: definitions and validation as in Kafka Connect."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from connector.plugin_table import ROWS
from deploy.stack import ConnectWorker
from tests.fixtures.worker import WorkerProcess

CLASSES = [row.class_name for row in ROWS if row.kind in ("transformation", "predicate")]


def _definition(definition: dict[str, Any]) -> dict[str, Any]:
    """Return a definition without its text, which is our own."""
    left_out = ("documentation", "order")
    return {name: text for name, text in definition.items() if name not in left_out}


@pytest.mark.parametrize("class_name", CLASSES)
def test_the_keys_of_a_class(
    connect_worker: ConnectWorker, worker: WorkerProcess, class_name: str
) -> None:
    path = f"/connector-plugins/{class_name.replace('$', '%24')}/config"
    theirs, ours = (httpx.get(url + path, timeout=60) for url in (connect_worker.url, worker.url))
    assert list(map(_definition, ours.json())) == list(map(_definition, theirs.json()))


def test_the_classes_are_listed_with_their_versions(
    connect_worker: ConnectWorker, worker: WorkerProcess
) -> None:
    theirs, ours = (
        httpx.get(f"{url}/connector-plugins?connectorsOnly=false", timeout=60).json()
        for url in (connect_worker.url, worker.url)
    )
    assert {row["class"] for row in ours} >= set(CLASSES)
    assert [row for row in ours if row["class"] in CLASSES and row not in theirs] == []
