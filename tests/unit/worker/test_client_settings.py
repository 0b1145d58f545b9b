"""The settings of the connectors' Kafka clients that come from the worker file."""

from __future__ import annotations

import pytest

from connector.kafka.keys import ClientKind
from connector.worker.worker_config import parse_worker_config
from tests.fixtures.idle_worker import WORKER, WorkerLogs
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


TOP_LEVEL = {
    "security.protocol": "SASL_PLAINTEXT",
    "sasl.mechanism": "PLAIN",
    "request.timeout.ms": "7000",
    "key.converter.schemas.enable": "false",
}


def test_an_admin_client_takes_the_top_level_of_the_worker_file_too() -> None:
    """As in Kafka Connect (Worker.adminConfigs); its own prefix counts above the top level."""
    worker = parse_worker_config(WORKER | TOP_LEVEL | {"admin.sasl.mechanism": "SCRAM-SHA-256"})
    assert worker.client_settings("admin") == {
        "bootstrap.servers": "127.0.0.1:1",
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "SCRAM-SHA-256",
        "request.timeout.ms": "7000",
    }


@pytest.mark.parametrize("kind", ["producer", "consumer"])
def test_other_clients_of_connectors_take_what_is_under_their_prefix(kind: ClientKind) -> None:
    worker = parse_worker_config(WORKER | TOP_LEVEL | {f"{kind}.client.id": "x"})
    assert worker.client_settings(kind) == {"bootstrap.servers": "127.0.0.1:1", "client.id": "x"}
