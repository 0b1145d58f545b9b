"""The offset stores of a worker: the shared one, and those of connectors with their own topic."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Final

from connector.kafka.keys import KINDS
from connector.plugin import OffsetStore
from connector.worker.offsets.layered import LayeredOffsetStore
from connector.worker.offsets.log_store import LogOffsetStore
from connector.worker.offsets.loss_guard import ExpectedPartitions, GuardedOffsetStore
from connector.worker.storage import Log

_TOPIC: Final = "offsets.storage.topic"
_OVERRIDES: Final = tuple(f"{kind}.override." for kind in KINDS)
_SERVERS: Final = tuple(f"{prefix}bootstrap.servers" for prefix in _OVERRIDES)
_SNAPSHOT_WITHOUT_OFFSET: Final = frozenset({"always", "when_needed"})


def offsets_settings(config: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return the keys of a configuration on which the place of its offsets depends."""
    if not config.get(_TOPIC):
        return {}
    return {
        key: text for key, text in config.items() if key == _TOPIC or key.startswith(_OVERRIDES)
    }


class OffsetStores:
    """The worker's store and those of connectors with ``offsets.storage.topic``.

    ``open_topic(topic, config)`` returns the log of such a topic; it may block on the broker.
    """

    def __init__(
        self,
        shared: LogOffsetStore,
        open_topic: Callable[[str, Mapping[str, str]], Log],
        expected: ExpectedPartitions,
    ) -> None:
        self.shared = shared
        self._open_topic = open_topic
        self._expected = expected
        self._own: dict[tuple[str | None, ...], LogOffsetStore] = {}
        self._lock = threading.Lock()

    def store_of(self, config: Mapping[str, str]) -> OffsetStore:
        """Return the store for a connector's resolved configuration.

        With a snapshot mode that snapshots whenever there is no offset, a lost one is no error.

        :raises TransientError: its own topic cannot be read at present.
        :raises StopError: its own topic cannot be used.
        """
        store = self._store(config)
        if config.get("snapshot.mode", "").strip().lower() in _SNAPSHOT_WITHOUT_OFFSET:
            return store
        return GuardedOffsetStore(store, self._expected)

    def _store(self, config: Mapping[str, str]) -> OffsetStore:
        topic = (config.get(_TOPIC) or "").strip()
        if not topic:
            return self.shared
        place = (topic, *map(config.get, _SERVERS))  # clusters have topics of the same name
        with self._lock:
            own = self._own.get(place)
            if own is None:
                own = LogOffsetStore(self._open_topic(topic, config))
                own.open()
                self._own[place] = own
        return LayeredOffsetStore(own, self.shared)
