"""From Kafka Connect to Millrace and back, on the same three topics."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.fixtures.worker import WorkerProcess, wait_for
from tests.rest.oracle_config import MYSQL
from tools.stack import ConnectWorker, KafkaBroker, MySql97, Workspace

pytestmark = [pytest.mark.oracle, pytest.mark.slow]


def state_of(url: str) -> dict[str, Any]:
    """Return what a worker knows, without what belongs to one worker."""
    found = httpx.get(f"{url}/connectors?expand=info&expand=status").json()
    state = {}
    for name, entry in found.items():
        info, status = entry["info"], entry["status"]
        state[name] = (
            info["config"],
            info["tasks"],
            status["connector"]["state"],
            [task["state"] for task in status["tasks"]],
            httpx.get(f"{url}/connectors/{name}/offsets").json(),
            httpx.get(f"{url}/connectors/{name}/tasks").json(),
        )
    return state


def call(method: str, url: str, path: str, body: Any = None) -> None:
    answer = httpx.request(method, url + path, json=body, timeout=60)
    assert answer.status_code < 300, answer.text


def config_of(mysql: MySql97, broker: KafkaBroker, prefix: str) -> dict[str, str]:
    return {
        "connector.class": MYSQL,
        "tasks.max": "1",
        "topic.prefix": prefix,
        "database.hostname": mysql.host,
        "database.port": str(mysql.port),
        "database.user": "root",
        "database.password": "root",
        "database.server.id": "71234",
        "schema.history.internal.kafka.bootstrap.servers": broker.address,
        "schema.history.internal.kafka.topic": f"{prefix}-history",
    }


def offsets(prefix: str, position: int) -> dict[str, Any]:
    offset = {"file": "binlog.000001", "pos": position, "snapshot": "INITIAL"}
    return {"offsets": [{"partition": {"server": prefix}, "offset": offset}]}


def create(url: str, connector: str, config: dict[str, str], state: str) -> None:
    body = {"name": connector, "config": config, "initial_state": state}
    call("POST", url, "/connectors", body)


def test_there_and_back(
    workspace: Workspace, broker: KafkaBroker, mysql: MySql97, tmp_path: Path, name: str
) -> None:
    config = partial(config_of, mysql, broker)
    one, two, three = f"{name}-1", f"{name}-2-3", f"{name} strange/ä"
    connect = ConnectWorker(workspace, broker, group=name)
    with connect:
        create(connect.url, one, config(one), "STOPPED")
        create(connect.url, two, config(two), "PAUSED")
        call("PATCH", connect.url, f"/connectors/{one}/offsets", offsets(one, 4))
        before = state_of(connect.url)
        assert before[one][2:5] == ("STOPPED", [], offsets(one, 4))

    settings = {
        "group.id": name,
        "config.storage.topic": f"{name}-configs",
        "offset.storage.topic": f"{name}-offsets",
        "status.storage.topic": f"{name}-status",
    }
    with WorkerProcess(tmp_path, broker.address, settings) as worker:
        wait_for(lambda: state_of(worker.url) == before, 20)  # UNASSIGNED at first
        worker.create(three, config("three"), "STOPPED")
        path = worker.path(three, "offsets")
        assert worker.http.patch(path, json=offsets("three", 5)).status_code == 200
        call("PATCH", worker.url, f"/connectors/{one}/offsets", offsets(one, 6))
        call("PUT", worker.url, f"/connectors/{two}/stop")
        call("PATCH", worker.url, f"/connectors/{two}/config", {"tombstones.on.delete": "false"})
        call("PUT", worker.url, f"/connectors/{one}/pause")
        assert worker.http.delete(worker.path(three)).status_code == 204
        worker.create(f"{name}-4", config("four"), "STOPPED")
        after = state_of(worker.url)
        assert worker.stop() == 0

    with connect:
        wait_for(lambda: state_of(connect.url) == after, 20)
        for connector in (one, two, f"{name}-4"):
            call("DELETE", connect.url, f"/connectors/{connector}")
