"""Detects lost offsets: those of connectors that have stored one before.

Without an offset a connector takes a snapshot. That is right for a new connector and after a
reset, and wrong when the stored offset was lost.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Protocol

from connector.errors import DamagedOffsetError, MillraceError
from connector.plugin import Offset, OffsetStore, Partition

_log = logging.getLogger(__name__)


class ExpectedPartitions(Protocol):
    """Stores for which partition a connector has stored an offset."""

    def expected_partition(self, connector: str) -> Partition | None:
        """Return the partition, None for a connector that has never stored an offset."""

    def put_expected_partition(self, connector: str, partition: Partition | None) -> None:
        """Store or remove the partition; raises as `Log.write` does."""


class GuardedOffsetStore:
    """An offset store that raises an error for an offset that was stored and is gone."""

    def __init__(self, store: OffsetStore, expected: ExpectedPartitions) -> None:
        self._store = store
        self._expected = expected

    def load(self, connector: str, partition: Partition) -> Offset | None:
        """Return the offset of a partition.

        :raises DamagedOffsetError: there was one, and it is gone.
        """
        offset = self._store.load(connector, partition)
        if offset is None and self._expected.expected_partition(connector) == dict(partition):
            raise DamagedOffsetError(connector, "is gone, although it was stored before")
        return offset

    def save(self, connector: str, partition: Partition, offset: Offset | None) -> None:
        """Replace the offset of a partition, and store that it has one."""
        self.save_all(connector, [(partition, offset)])

    def save_all(self, connector: str, offsets: Sequence[tuple[Partition, Offset | None]]) -> None:
        """Replace several offsets, and store that one of the partitions has an offset."""
        expected = self._expected.expected_partition(connector)
        last = {frozenset(partition.items()): (partition, offset) for partition, offset in offsets}
        stored = [dict(partition) for partition, offset in last.values() if offset is not None]
        removed = any(dict(at) == expected for at, offset in last.values() if offset is None)
        if removed:
            self._expected.put_expected_partition(connector, None)
        self._store.save_all(connector, offsets)
        if not stored or (not removed and expected in stored):
            return
        try:
            self._expected.put_expected_partition(connector, stored[-1])
        except MillraceError as error:
            _log.warning(
                "Cannot record that connector %s has an offset, so the loss of its offset would "
                "not be detected: %s",
                connector,
                error,
            )

    def items(self, connector: str) -> Sequence[tuple[Partition, Offset]]:
        """Return every partition of a connector with its offset."""
        return self._store.items(connector)

    def reset(self, connector: str) -> None:
        """Remove all offsets of a connector, for a new snapshot."""
        self._expected.put_expected_partition(connector, None)
        self._store.reset(connector)
