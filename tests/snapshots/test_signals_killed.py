"""Signals of a file and of the REST API, and a kill: what is done with them is stored by then."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.environment import LONG, Environment, environment
from tests.snapshots.resumable import keys_read
from tools.stack import DatabaseServer, KafkaBroker, Workspace
from tools.stack.http import http

ROWS = 20_000
NEVER = 3_600_000  # ms


@pytest.fixture
def at(
    workspace: Workspace, broker: KafkaBroker, mysql: DatabaseServer, tmp_path: Path
) -> Iterator[Environment]:
    """A connector that reads signals, and whose offsets are not stored by time."""
    properties = {"offset.flush.interval.ms": NEVER}
    with environment(workspace, broker, mysql, rows=ROWS, properties=properties) as made:
        made.create(
            snapshot_mode="no_data",
            read_only="true",
            signal_enabled_channels="file,rest",
            signal_file=str(tmp_path / "signals"),
            signal_poll_interval_ms="200",
            incremental_snapshot_chunk_size="10",
        )
        await_stream(made)
        yield made


def await_stream(at: Environment) -> None:
    """Wait until a row that is written is captured."""
    numbers = itertools.count(1)

    def is_captured() -> bool:
        at.server.execute(f"INSERT INTO {at.name}.finish VALUES ({next(numbers)})")
        return at.count("finish") > 0

    at.wait(is_captured, "a row of the log")


def check_after_kill(at: Environment) -> None:
    """Kill the worker; another one reads all rows."""
    at.worker.kill()
    assert at.count() < ROWS, "the snapshot was over before the kill"
    at.worker.start()
    at.wait(lambda: at.status()[0] == "RUNNING", "the task to run")
    at.wait_for_count(ROWS)
    at.wait(lambda: len(set(read(at))) == ROWS, "all rows", LONG)


def read(at: Environment) -> list[int]:
    at.read()
    return keys_read(at)


def test_a_signal_whose_file_was_removed(at: Environment, tmp_path: Path) -> None:
    path = tmp_path / "signals"
    data = {"data-collections": [f"{at.name}.items"]}
    path.write_text(json.dumps({"id": "1", "type": "execute-snapshot", "data": data}) + "\n")
    at.wait(lambda: not list(tmp_path.iterdir()), "the file to be removed")
    check_after_kill(at)


def test_a_signal_that_the_rest_api_shows_as_read(at: Environment) -> None:
    url = f"{at.worker.url}/connectors/{at.name}/signals"
    data = {"data-collections": [f"{at.name}.items"]}
    assert http.post(url, json={"type": "execute-snapshot", "data": data}).status_code == 202

    def states() -> list[Any]:
        return [one["state"] for one in http.get(url).json()["signals"]]

    at.wait(lambda: states() == ["READ"], "the signal to be read")
    check_after_kill(at)
