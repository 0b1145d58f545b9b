"""The settings of the connectors' Kafka clients that come from the worker file."""

from __future__ import annotations

import pytest

from tests.fixtures.idle_worker import WorkerLogs
from tests.unit.worker.herder_states import IDLE, states

ADMIN_LISTENER = {
    "admin.listeners": "https://127.0.0.1:8084",
    "admin.listeners.https.ssl.keystore.location": "/etc/rest.pem",
}


@pytest.mark.parametrize("worker", [{"admin.listeners": ""}, ADMIN_LISTENER])
def test_an_admin_listener_is_no_setting_of_the_admin_client(
    memory: WorkerLogs, worker: dict[str, str]
) -> None:
    herder = memory.herder(worker)
    herder.create("c", {**IDLE, "admin.override.client.id": "x"})
    assert states(herder) == ("RUNNING", ["RUNNING"])
