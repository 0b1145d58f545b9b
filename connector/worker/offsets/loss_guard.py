"""Offsets that must exist: those of connectors that stored one before.

Without an offset a connector takes a snapshot. That is right for a new connector and after a
reset, and wrong when the stored offset was lost.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Protocol

from connector.errors import DamagedOffsetError, MillraceError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from connector.plugin import Offset, OffsetStore, Partition

_log = logging.getLogger(__name__)


class KnownPartitions(Protocol):
    """Remembers for which partition a connector has stored an offset."""

    def known_partition(self, connector: str) -> Partition | None:
        """Return the partition, None for a connector that never stored an offset."""

    def put_known_partition(self, connector: str, partition: Partition | None) -> None:
        """Remember or forget the partition; raises as `Log.write` does."""


class KnownOffsetStore:
    """An offset store that refuses to be without an offset that it had."""

    def __init__(self, store: OffsetStore, known: KnownPartitions) -> None:
        self._store = store
        self._known = known

    def load(self, connector: str, partition: Partition) -> Offset | None:
        """Return the offset of a partition.

        :raises DamagedOffsetError: there was one, and it is gone.
        """
        offset = self._store.load(connector, partition)
        if offset is None and self._known.known_partition(connector) == dict(partition):
            raise DamagedOffsetError(connector, "is gone, although it was stored before")
        return offset

    def save(self, connector: str, partition: Partition, offset: Offset | None) -> None:
        """Replace the offset of a partition, and remember that there is one."""
        if offset is None:
            self._known.put_known_partition(connector, None)
        self._store.save(connector, partition, offset)
        if offset is None or self._known.known_partition(connector) == dict(partition):
            return
        try:
            self._known.put_known_partition(connector, partition)
        except MillraceError as error:
            _log.warning("A lost offset of connector %s would go unnoticed: %s", connector, error)

    def items(self, connector: str) -> Sequence[tuple[Partition, Offset]]:
        """Return every partition of a connector with its offset."""
        return self._store.items(connector)

    def reset(self, connector: str) -> None:
        """Remove all offsets of a connector: the user wants a new snapshot."""
        self._known.put_known_partition(connector, None)
        self._store.reset(connector)
