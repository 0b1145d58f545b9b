"""Which store holds the offsets of a connector: the worker's, or one on a topic of its own."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

from connector.worker.offsets.layered import LayeredOffsetStore
from connector.worker.offsets.log_store import LogOffsetStore
from connector.worker.offsets.loss_guard import KnownOffsetStore

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from connector.plugin import OffsetStore
    from connector.worker.offsets.loss_guard import KnownPartitions
    from connector.worker.storage import Log

_SNAPSHOT_WITHOUT_OFFSET: Final = frozenset({"always", "when_needed"})


class OffsetPlaces:
    """The worker's store and those of connectors with ``offsets.storage.topic``.

    ``open_topic(topic, config)`` returns the log of such a topic; it may block on the broker.
    """

    def __init__(
        self,
        shared: LogOffsetStore,
        open_topic: Callable[[str, Mapping[str, str]], Log],
        known: KnownPartitions,
    ) -> None:
        self.shared = shared
        self._open_topic = open_topic
        self._known = known
        self._own: dict[str, LogOffsetStore] = {}
        self._lock = threading.Lock()

    def of(self, config: Mapping[str, str]) -> OffsetStore:
        """Return the store for a connector's resolved configuration.

        Where the configuration wants a snapshot whenever there is no offset, none is missed.

        :raises TransientError: its own topic cannot be read now.
        :raises StopError: its own topic cannot be used.
        """
        store = self._store(config)
        if config.get("snapshot.mode", "").strip().lower() in _SNAPSHOT_WITHOUT_OFFSET:
            return store
        return KnownOffsetStore(store, self._known)

    def _store(self, config: Mapping[str, str]) -> OffsetStore:
        topic = (config.get("offsets.storage.topic") or "").strip()
        if not topic:
            return self.shared
        with self._lock:
            own = self._own.get(topic)
            if own is None:
                own = LogOffsetStore(self._open_topic(topic, config))
                own.open()
                self._own[topic] = own
        return LayeredOffsetStore(own, self.shared)
