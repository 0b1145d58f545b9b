"""What all mirrors have in common: a table of the source and the one that mirrors it."""

from __future__ import annotations

from dataclasses import dataclass

from sparksink.config.table import Mirror as Rules
from sparksink.evolve.target_table import TargetTable
from sparksink.state.sink_state import SinkState


@dataclass(frozen=True, slots=True)
class MirroredTable:
    """A table and its mirror; ``name`` is ``db.table`` of the source."""

    name: str
    target: TargetTable
    rules: Rules
    state: SinkState


class TableMirror:
    """Writes the changes of one table of the source into another."""

    def __init__(self, mirrored: MirroredTable) -> None:
        self.target = mirrored.target
        self._name = mirrored.name
        self._rules = mirrored.rules
        self._state = mirrored.state
