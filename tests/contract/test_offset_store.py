"""What every offset store does."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from connector.errors import DamagedOffsetError, StopError, TransientError
from connector.kafka.log import KafkaLog, LogWriter
from connector.plugin import OffsetStore, Primitive
from connector.worker.config_store import ConfigStore
from connector.worker.offset_changes import alter
from connector.worker.offsets.layered import LayeredOffsetStore
from connector.worker.offsets.log_store import LogOffsetStore
from connector.worker.offsets.loss_guard import GuardedOffsetStore
from connector.worker.storage import Log, LogEntry
from connector.worker.storage.file import FileLog
from connector.worker.storage.java_map import JavaMapFormat
from connector.worker.storage.memory import MemoryLog
from tests.fixtures.topics import Topics

Open = Callable[[], OffsetStore]
SHOP = {"server": "shop"}
OFFSET: dict[str, Primitive] = {
    "ts_sec": 1795259723,
    "file": "binlog.000001",
    "pos": 5975,
    "gtids": None,
    "snapshot": True,
    "name": 'Ünï "q" \\ \x01',
    "ratio": 0.5,
    "big": 2**63,
}


@pytest.fixture(
    params=["memory", "file", pytest.param("kafka", marks=pytest.mark.servers), "layered"]
)
def open_store(request: pytest.FixtureRequest, tmp_path: Path, topics: Topics) -> Iterator[Open]:
    """Return a function that opens the store again, as the next start of a worker does."""
    if request.param == "kafka":
        yield from _kafka(topics)
    elif request.param == "file":
        yield lambda: _opened(FileLog(tmp_path / "offsets", JavaMapFormat()))
    else:
        own, shared = MemoryLog(), MemoryLog()
        if request.param == "memory":
            yield lambda: _opened(own)
        else:
            yield lambda: LayeredOffsetStore(_opened(own), _opened(shared))


def _opened(log: Log) -> LogOffsetStore:
    store = LogOffsetStore(log)
    store.open()
    return store


def _kafka(topics: Topics) -> Iterator[Open]:
    topic = f"offsets-{uuid.uuid4().hex}"
    topics.create(topic, partitions=25, cleanup_policy="compact")
    config = {"bootstrap.servers": topics.bootstrap}
    writer = LogWriter(config)
    yield lambda: _opened(KafkaLog(topic, config, writer))
    writer.close()
    topics.delete([topic])


def test_an_unknown_partition_has_no_offset(open_store: Open) -> None:
    store = open_store()
    assert store.load("c", SHOP) is None
    assert list(store.items("c")) == []


def test_a_saved_offset_survives_a_restart_with_its_types(open_store: Open) -> None:
    open_store().save("c", SHOP, OFFSET)
    found = open_store().load("c", SHOP)
    assert found == OFFSET
    assert list(found) == list(OFFSET)
    assert [type(value) for value in found.values()] == [type(v) for v in OFFSET.values()]


def test_a_new_offset_replaces_the_old_one_as_a_whole(open_store: Open) -> None:
    store = open_store()
    store.save("c", SHOP, {"a": 1, "b": 2})
    store.save("c", SHOP, {"a": 3})
    assert store.load("c", SHOP) == {"a": 3}
    assert open_store().load("c", SHOP) == {"a": 3}


def test_connectors_and_partitions_are_kept_apart(open_store: Open) -> None:
    store = open_store()
    store.save("c", {"s": "1"}, {"n": 1})
    store.save("c", {"s": 1}, {"n": 2})
    store.save("c", {"s": True}, {"n": 3})
    store.save("d", {"s": "1"}, {"n": 4})
    again = open_store()
    assert [again.load("c", {"s": key}) for key in ("1", 1, True)] == [{"n": 1}, {"n": 2}, {"n": 3}]
    assert len(again.items("c")) == 3
    assert list(again.items("d")) == [({"s": "1"}, {"n": 4})]


def test_the_order_of_a_partitions_keys_does_not_matter(open_store: Open) -> None:
    store = open_store()
    store.save("c", {"server": "s", "database": "d"}, {"n": 1})
    store.save("c", {"database": "d", "server": "s"}, {"n": 2})
    found = open_store().items("c")
    assert list(found) == [({"server": "s", "database": "d"}, {"n": 2})]
    assert list(found[0][0]) == ["server", "database"]


def test_saving_none_removes_an_offset(open_store: Open) -> None:
    store = open_store()
    store.save("c", SHOP, {"n": 1})
    store.save("c", {"server": "other"}, {"n": 2})
    store.save("c", SHOP, None)
    store.save("c", {"server": "never"}, None)
    for each in (store, open_store()):
        assert each.load("c", SHOP) is None
        assert list(each.items("c")) == [({"server": "other"}, {"n": 2})]


def test_reset_removes_all_offsets_of_a_connector_and_may_be_repeated(open_store: Open) -> None:
    store = open_store()
    store.save("c", {"s": 1}, {"n": 1})
    store.save("c", {"s": 2}, {"n": 2})
    store.save("d", {"s": 1}, {"n": 3})
    store.reset("c")
    store.reset("c")
    for each in (store, open_store()):
        assert list(each.items("c")) == []
        assert each.load("d", {"s": 1}) == {"n": 3}


@pytest.mark.parametrize("value", [[1], {"a": 1}, b"x"])
def test_only_primitives_are_stored(open_store: Open, value: object) -> None:
    store = open_store()
    with pytest.raises(StopError, match="may only contain primitive types as values, but field n"):
        store.save("c", SHOP, {"n": value})  # type: ignore[dict-item] # the fault under test
    assert store.load("c", SHOP) is None


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (b'["shop",{"server":"shop"}]', b"{"),
        (b'["shop",{"server":"shop"}]', b"[]"),
        (b'["shop",{"server":', b'{"pos":4}'),
    ],
)
def test_a_damaged_entry_fails_its_connector_until_it_is_reset(key: bytes, value: bytes) -> None:
    log = MemoryLog()
    log.write([(key, value)])
    store = _opened(log)
    with pytest.raises(DamagedOffsetError, match="The offset of connector shop is damaged"):
        store.load("shop", SHOP)
    assert store.load("other", SHOP) is None
    store.reset("shop")
    assert store.load("shop", SHOP) is None
    assert log.read() == {}


class FullDisk(MemoryLog):
    """A log that takes a number of writes."""

    writes = 0

    def write(self, entries: Sequence[LogEntry]) -> None:
        if not self.writes:
            raise TransientError("no space left")
        self.writes -= 1
        super().write(entries)


@pytest.mark.parametrize("writes", [0, 1])
@pytest.mark.parametrize("layered", [False, True])
def test_several_offsets_are_stored_together_or_not_at_all(writes: int, layered: bool) -> None:
    log = FullDisk()
    store: OffsetStore = _opened(log)
    if layered:
        store = LayeredOffsetStore(store, _opened(MemoryLog()))
    guarded = GuardedOffsetStore(store, ConfigStore(MemoryLog()))
    log.writes = writes
    with suppress(TransientError):
        alter(guarded, "c", [(SHOP, {"pos": 4}), ({"server": "other"}, {"pos": 5})])
    log.writes = 9
    assert len(guarded.items("c")) == 2 * writes
