"""The positions that histories have reached in each partition, to skip redelivered events."""

from __future__ import annotations

import json
from collections.abc import Mapping

from sparksink.change_position import ChangePosition

Partition = tuple[str, int]
"""Topic and partition."""


class HistoryPositions:
    """The highest binlog position of each table and partition that a history has.

    Positions of a batch count after its commit: until then the batch may be repeated, and must
    see the positions from before.
    """

    def __init__(self, text: str | None = None) -> None:
        stored = json.loads(text or "{}")
        self._positions: dict[str, dict[Partition, ChangePosition]] = {
            table: {(one[0], one[1]): ChangePosition(one[2], one[3]) for one in positions}
            for table, positions in stored.items()
        }
        self._reached: dict[str, Mapping[Partition, ChangePosition]] = {}

    def positions(self, table: str) -> Mapping[Partition, ChangePosition]:
        """Return the positions of a table after the last complete batch."""
        return self._positions.get(table, {})

    def advance(self, table: str, positions: Mapping[Partition, ChangePosition]) -> None:
        """Set the positions of the present batch, which count after its commit."""
        self._reached[table] = positions

    def text(self) -> str | None:
        """Return all positions with those of this batch as JSON; None if there are none."""
        for table, reached in self._reached.items():
            before = self.positions(table)
            advanced = {
                one: max(position, before.get(one, position)) for one, position in reached.items()
            }
            self._positions[table] = {**before, **advanced}
        self._reached.clear()
        if not self._positions:
            return None
        stored = {
            table: [[*partition, *position] for partition, position in sorted(positions.items())]
            for table, positions in self._positions.items()
        }
        return json.dumps(stored, sort_keys=True)
