"""An offset that was stored and is gone fails its connector; a reset is no loss."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from connector.errors import DamagedOffsetError
from connector.worker.config_store import ConfigStore
from connector.worker.offsets.log_store import LogOffsetStore
from connector.worker.offsets.stores import OffsetStores
from connector.worker.state import TargetState
from connector.worker.storage.memory import MemoryLog

SHOP = {"server": "shop"}


class Worker:
    """The stores of one worker after another, over logs that survive them."""

    def __init__(self) -> None:
        self.configs, self.offsets = MemoryLog(), MemoryLog()
        self.restart()

    def restart(self) -> None:
        self.store = ConfigStore(self.configs)
        self.store.open()
        shared = LogOffsetStore(self.offsets)
        shared.open()
        self.stores = OffsetStores(shared, lambda *_: MemoryLog(), self.store)

    def load(self, **config: str) -> Mapping[str, object] | None:
        named = {key.replace("_", "."): text for key, text in config.items()}
        return self.stores.store_of(named).load("c", SHOP)


@pytest.fixture
def worker() -> Worker:
    """A worker whose connector has stored an offset."""
    found = Worker()
    found.store.put("c", {"name": "c"}, TargetState.STARTED)
    assert found.load() is None
    found.stores.store_of({}).save("c", SHOP, {"pos": 4})
    return found


def test_a_lost_offset_fails_the_connector(worker: Worker) -> None:
    worker.offsets.entries.clear()
    worker.restart()
    with pytest.raises(DamagedOffsetError, match="offset of connector c is gone"):
        worker.load()


def test_an_offset_is_still_expected_when_that_of_another_partition_is_removed(
    worker: Worker,
) -> None:
    worker.stores.store_of({}).save("c", {"server": "other"}, None)
    worker.offsets.entries.clear()
    worker.restart()
    with pytest.raises(DamagedOffsetError):
        worker.load()


def test_another_partition_is_new(worker: Worker) -> None:
    worker.offsets.entries.clear()
    worker.restart()
    assert worker.stores.store_of({}).load("c", {"server": "other"}) is None


def test_a_mode_that_takes_a_snapshot_anyway_misses_none(worker: Worker) -> None:
    worker.offsets.entries.clear()
    worker.restart()
    assert worker.stores.store_of({"snapshot.mode": "when_needed"}).load("c", SHOP) is None


def test_after_a_reset_none_is_missed(worker: Worker) -> None:
    worker.stores.store_of({}).reset("c")
    worker.restart()
    assert worker.load() is None


def test_after_an_offset_is_removed_none_is_missed(worker: Worker) -> None:
    worker.stores.store_of({}).save("c", SHOP, None)
    worker.restart()
    assert worker.load() is None


def test_a_connector_that_is_created_again_is_new(worker: Worker) -> None:
    worker.store.remove("c")
    worker.offsets.entries.clear()
    worker.restart()
    assert worker.load() is None


def test_the_last_offset_of_a_partition_decides_whether_one_is_expected(worker: Worker) -> None:
    store = worker.stores.store_of({})
    store.save_all("c", [({"server": "other"}, {"pos": 5}), (SHOP, {"pos": 6})])
    assert worker.store.expected_partition("c") == SHOP
    store.save_all("c", [(SHOP, {"pos": 7}), (SHOP, None)])
    assert worker.load() is None
    worker.restart()
    assert worker.load() is None
