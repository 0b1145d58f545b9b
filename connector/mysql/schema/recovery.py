"""The tables of a connector made anew from its history, or from a snapshot of that and the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from connector.capture.history import HistoryStore, recover
from connector.capture.history.snapshot import HistorySnapshot, Mark, SnapshotFile
from connector.mysql.schema.database_schema import DatabaseSchema

Offset = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Recovery:
    """One recovery as of the position ``at``, which ``is_reached`` compares others with.

    ``basis`` is what a snapshot depends on besides the configuration: what the server says of
    how it reads names and statements.
    """

    store: HistoryStore
    snapshots: SnapshotFile | None
    partition: Mapping[str, Any]
    at: Offset
    is_reached: Callable[[Offset], bool]
    basis: Mapping[str, Any]
    prefer_ddl: bool = False

    def run(self, schema: DatabaseSchema) -> None:
        """Fill an empty schema.

        :raises HistoryError: the history cannot be read.
        """
        kept = self._kept()
        if kept is not None:
            schema.restore(kept.state, kept.tables)
        left_out = 0

        def is_reached(position: Offset) -> bool:
            nonlocal left_out
            reached = self.is_reached(position)
            left_out += not reached
            return reached

        count = recover(
            self.store.records(None if kept is None else kept.mark),
            self.partition,
            schema.tables,
            schema.replay,
            is_reached,
            schema.doubts.settle,
            schema.doubts.may_go_on,
            prefer_ddl=self.prefer_ddl,
        )
        if not left_out:  # else it is not known what stands where
            self._keep(schema, count)

    def _kept(self) -> HistorySnapshot | None:
        """Return the snapshot, if the position comes after it and the history goes on from it."""
        kept = None if self.snapshots is None else self.snapshots.load(self.basis)
        if kept is None or not self.is_reached(kept.position) or not self.store.holds(kept.mark):
            return None
        return kept

    def _keep(self, schema: DatabaseSchema, count: int) -> None:
        """Write a new snapshot if it is worth while; what is in doubt stays in the history."""
        if self.snapshots is None or count < self.snapshots.worth:
            return
        mark: Mark | None = self.store.last()
        state = schema.state()
        if mark is not None and state is not None:
            snapshot = HistorySnapshot(mark, self.at, state, list(schema.tables))
            self.snapshots.save(snapshot, self.basis)
