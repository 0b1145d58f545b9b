"""Source offsets: where each connector goes on after a restart.

A *partition* tells what is read (``{"server": "shop"}``), an *offset* how far. Both are flat
maps of JSON primitives, and their key order is kept: Kafka Connect compares keys byte by byte.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

Primitive = str | int | float | bool | None
Partition = Mapping[str, Primitive]
Offset = Mapping[str, Primitive]


class OffsetStore(Protocol):
    """Keeps the last committed offset of each partition of each connector.

    All methods may be called from any thread. They are safe to repeat.
    """

    def load(self, connector: str, partition: Partition) -> Offset | None:
        """Return the committed offset of a partition, None when there is none."""

    def save(self, connector: str, partition: Partition, offset: Offset | None) -> None:
        """Replace the offset of a partition; None removes it. Returns once that is durable.

        :raises TransientError: the storage does not answer; nothing is known to be stored.
        :raises StopError: the storage refuses the write for good.
        """

    def items(self, connector: str) -> Sequence[tuple[Partition, Offset]]:
        """Return every partition of a connector with its offset."""

    def reset(self, connector: str) -> None:
        """Remove all offsets of a connector; raises as `save` does."""
