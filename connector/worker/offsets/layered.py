"""Offsets of a connector with its own ``offsets.storage.topic``.

Its own topic takes precedence. The worker's is read where that is empty, and is kept up to date so
that the setting can be removed again. As in Kafka Connect (KIP-618), an offset is removed from
the worker's store first: a crash in between must not restore an old offset.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from connector.errors import MillraceError
from connector.plugin import Offset, OffsetStore, Partition

_log = logging.getLogger(__name__)


class LayeredOffsetStore:
    """A connector's own store in front of the worker's store."""

    def __init__(self, own: OffsetStore, shared: OffsetStore) -> None:
        self._own = own
        self._shared = shared

    def load(self, connector: str, partition: Partition) -> Offset | None:
        """Return the offset from the own store, else from the shared one."""
        own = self._own.load(connector, partition)
        return self._shared.load(connector, partition) if own is None else own

    def save(self, connector: str, partition: Partition, offset: Offset | None) -> None:
        """Write to both; only the own store must succeed unless the offset is removed."""
        self.save_all(connector, [(partition, offset)])

    def save_all(self, connector: str, offsets: Sequence[tuple[Partition, Offset | None]]) -> None:
        """Write several offsets to both, as `save` does."""
        removed = [pair for pair in offsets if pair[1] is None]
        if removed:
            self._shared.save_all(connector, removed)
        self._own.save_all(connector, offsets)
        stored = [pair for pair in offsets if pair[1] is not None]
        if not stored:
            return
        try:
            self._shared.save_all(connector, stored)
        except MillraceError as error:
            _log.warning("The worker's copy of an offset of %s is behind: %s", connector, error)

    def items(self, connector: str) -> Sequence[tuple[Partition, Offset]]:
        """Return the partitions of both, the own store's offset where both have one."""
        own = list(self._own.items(connector))
        known = [partition for partition, _ in own]
        shared = self._shared.items(connector)
        return own + [item for item in shared if item[0] not in known]

    def reset(self, connector: str) -> None:
        """Remove all offsets of the connector, the shared ones first."""
        self._shared.reset(connector)
        self._own.reset(connector)
