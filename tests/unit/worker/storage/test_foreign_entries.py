"""Entries of the worker's topics that others wrote, or that are damaged, do not end its start."""

from __future__ import annotations

from pathlib import Path

import pytest

from connector.errors import DamagedOffsetError, StopError
from connector.worker.config_store import ConfigStore
from connector.worker.offsets.log_store import LogOffsetStore
from connector.worker.status_store import StatusStore
from connector.worker.storage.file import FileLog, JsonFormat
from connector.worker.storage.memory import MemoryLog

DEEP = b"[" * 100_000
SHOP = {"server": "shop"}
STORED = {b'["c",{"server":"shop"}]': b'{"pos":4}'}


def offsets(key: bytes, value: bytes) -> LogOffsetStore:
    store = LogOffsetStore(MemoryLog({**STORED, key: value}))
    store.open()
    return store


@pytest.mark.parametrize(
    "key",
    [
        b'["c",{"server":["shop"]}]',
        b'["c",{"server":{"name":"shop"}}]',
        b'["\\x",{"server":"shop"}]',
        b'["\xff",{"server":"shop"}]',
        b"5",
        DEEP,
    ],
)
def test_an_entry_that_no_connector_writes_is_skipped(key: bytes) -> None:
    assert offsets(key, b"{}").load("c", SHOP) == {"pos": 4}


@pytest.mark.parametrize(("key", "value"), [(next(iter(STORED)), DEEP), (b'["c",' + DEEP, b"{}")])
def test_an_entry_that_cannot_be_read_damages_its_connector_only(key: bytes, value: bytes) -> None:
    store = offsets(key, value)
    with pytest.raises(DamagedOffsetError):
        store.load("c", SHOP)
    assert store.load("other", SHOP) is None


@pytest.mark.parametrize(
    "value",
    [
        DEEP,
        b'{"state":"DESTROYED","worker_id":"w:1"}',
        b'{"state":"FAILED","worker_id":"w:1","trace":5}',
        b'{"state":"RUNNING","worker_id":null}',
    ],
)
def test_a_status_that_cannot_be_shown_is_ignored(value: bytes) -> None:
    store = StatusStore(MemoryLog({b"status-connector-c": value}), lambda: 1)
    store.open()
    assert store.connector("c") is None


def test_a_configuration_that_is_nested_too_deeply_is_ignored() -> None:
    store = ConfigStore(MemoryLog({b"connector-c": DEEP, b"target-state-d": DEEP}))
    store.open()
    assert store.names() == []


def test_values_of_a_configuration_are_texts() -> None:
    """Others cannot be shown: the list of all connectors would fail."""
    properties = b'{"properties":{"tasks.max":1,"x":true,"list":["a"],"none":null,"y":"z"}}'
    store = ConfigStore(MemoryLog({b"connector-c": properties}))
    store.open()
    (stored,) = [store.get(name) for name in store.names()]
    assert stored is not None
    assert stored.config == {
        "tasks.max": "1",
        "x": "true",
        "list": '["a"]',
        "none": None,
        "y": "z",
    }


def test_a_file_that_is_nested_too_deeply_is_damaged(tmp_path: Path) -> None:
    file = tmp_path / "configs.json"
    file.write_bytes(DEEP)
    with pytest.raises(StopError, match="is damaged: nested too deeply"):
        FileLog(file, JsonFormat()).read()
