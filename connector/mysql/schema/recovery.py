"""Rebuilds the tables of a connector from its history, or from a snapshot of it and the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from connector.capture.history import HistoryStore, recover
from connector.capture.history.record import RecordedPosition
from connector.capture.history.snapshot import HistoryMark, HistorySnapshot, SnapshotFile
from connector.capture.progress import Recovered
from connector.mysql.schema.database_schema import DatabaseSchema


@dataclass(frozen=True, slots=True)
class Recovery:
    """One recovery as of the position ``at``; ``is_reached`` compares recorded positions with it.

    ``basis`` are the server variables that a history snapshot depends on, in addition to the
    configuration.
    """

    store: HistoryStore
    snapshots: SnapshotFile | None
    partition: Mapping[str, Any]
    at: RecordedPosition
    is_reached: Callable[[RecordedPosition], bool]
    basis: Mapping[str, Any]
    prefer_ddl: bool = False

    def run(self, schema: DatabaseSchema) -> Recovered:
        """Fill an empty schema; return which records applied behind the snapshot.

        :raises HistoryError: the history cannot be read.
        """
        loaded = self._load_snapshot()
        if loaded is not None:
            schema.restore(loaded.state, loaded.tables)
        excluded = 0

        def is_reached(position: RecordedPosition) -> bool:
            nonlocal excluded
            reached = self.is_reached(position)
            excluded += not reached
            return reached

        found = recover(
            self.store.records(None if loaded is None else loaded.mark),
            self.partition,
            schema.tables,
            schema.replay,
            is_reached,
            schema.unparsed.mark_resolved,
            schema.must_replay,
            prefer_ddl=self.prefer_ddl,
        )
        if not excluded:  # otherwise the last record is not that of the position
            self._save_snapshot(schema, found.changes)
        return found

    def _load_snapshot(self) -> HistorySnapshot | None:
        """Return the snapshot, if it is not after the position and the history contains its end."""
        found = None if self.snapshots is None else self.snapshots.load(self.basis)
        if found is None or not self.is_reached(found.position) or not self.store.holds(found.mark):
            return None
        return found

    def _save_snapshot(self, schema: DatabaseSchema, count: int) -> None:
        """Save a new snapshot if it saves enough time and no table has an unresolved schema."""
        if self.snapshots is None or count < self.snapshots.worth:
            return
        mark: HistoryMark | None = self.store.last()
        state = schema.state()
        if mark is not None and state is not None:
            snapshot = HistorySnapshot(mark, self.at, state, list(schema.tables))
            self.snapshots.save(snapshot, self.basis)
