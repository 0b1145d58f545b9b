"""How far histories have come in each partition: what is told again lies before that."""

from __future__ import annotations

import json
from collections.abc import Mapping

from sparksink.change_position import ChangePosition

Partition = tuple[str, int]
"""A topic, and the number of a partition of it."""


class HistoryPositions:
    """Of each table and partition the greatest place of the log that its history holds.

    What a batch has reached counts from its commit on: until then it may be repeated, and must
    then find what it has found before.
    """

    def __init__(self, text: str | None = None) -> None:
        told = json.loads(text or "{}")
        self._places: dict[str, dict[Partition, ChangePosition]] = {
            table: {(one[0], one[1]): ChangePosition(one[2], one[3]) for one in places}
            for table, places in told.items()
        }
        self._reached: dict[str, Mapping[Partition, ChangePosition]] = {}

    def positions(self, table: str) -> Mapping[Partition, ChangePosition]:
        """Return the places of a table as of the last batch that is complete."""
        return self._places.get(table, {})

    def advance(self, table: str, places: Mapping[Partition, ChangePosition]) -> None:
        """Take what a batch has come to; it does not count yet."""
        self._reached[table] = places

    def text(self) -> str | None:
        """Return all places with those of this batch, to be kept; None where there are none."""
        for table, reached in self._reached.items():
            before = self.positions(table)
            further = {one: max(place, before.get(one, place)) for one, place in reached.items()}
            self._places[table] = {**before, **further}
        self._reached.clear()
        if not self._places:
            return None
        told = {
            table: [[*partition, *place] for partition, place in sorted(places.items())]
            for table, places in self._places.items()
        }
        return json.dumps(told, sort_keys=True)
