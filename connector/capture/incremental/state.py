"""The state of incremental snapshots: which tables are to be read, and which failed."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from connector.capture.incremental.chunk_source import Key
from connector.capture.incremental.table_state import TableState
from connector.capture.snapshot_events import IncrementalProgress
from connector.capture.tables import TableId


@dataclass(slots=True)
class SnapshotState:
    """The tables to read, in their order, and those whose last snapshot failed, by name.

    ``identity`` is the id of the signal, ``chunk`` that of the present window. ``is_stopping``:
    tables are to be removed when the window ends. ``stored`` is what offsets have of all this,
    ``listed`` that of the list of tables; both are kept because there may be thousands of tables.
    Code that alters the state of a table calls `touch`.
    """

    tables: list[TableState] = field(default_factory=list)
    identity: str | None = None
    chunk: str | None = None
    paused: bool = False
    is_stopping: bool = False
    failed: dict[str, TableState] = field(default_factory=dict)
    stored: dict[str, Any] | None = None
    listed: str | None = None
    _names: tuple[str, ...] | None = None

    @property
    def running(self) -> bool:
        """Whether a table is left to be read."""
        return bool(self.tables)

    @property
    def is_initial(self) -> bool:
        """Whether the initial snapshot is not complete: a table of it is left, or failed."""
        return any(one.is_initial for one in self.tables) or any(
            one.is_initial for one in self.failed.values()
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tables to read."""
        if self._names is None:
            self._names = tuple(str(one.table) for one in self.tables)
        return self._names

    @property
    def requested(self) -> list[TableId]:
        """The tables to read, and those that failed."""
        return [one.table for one in (*self.tables, *self.failed.values())]

    @property
    def reasons(self) -> dict[str, str]:
        """Why tables failed."""
        return {name: one.reason for name, one in self.failed.items()}

    def find(self, table: TableId) -> TableState | None:
        """Return the first entry of a table."""
        return next((one for one in self.tables if one.table == table), None)

    def due(self, count: int, now: float, busy: Container[TableId] = ()) -> list[TableState]:
        """Return the first tables that may be read now, at most so many.

        A table that is there twice is not read again before its first entry is at its end.
        """
        found: list[TableState] = []
        seen: set[TableId] = set()
        for one in self.tables:
            if len(found) >= count:
                break
            if one.ready_at <= now and one.table not in busy and one.table not in seen:
                found.append(one)
            seen.add(one.table)
        return found

    def add(self, tables: Iterable[TableState]) -> None:
        """Add tables behind the others."""
        self.tables += tables
        self._list_changed()

    def remove(self, table: TableState) -> None:
        """Remove a table that is read, or is not to be read."""
        names = self._names
        is_first = self.tables[0] is table
        self.tables.remove(table)
        self._list_changed()
        if is_first and names is not None:
            self._names = names[1:]

    def keep(self, test: Callable[[TableState], bool]) -> None:
        """Keep the tables that pass a test."""
        self.tables = list(filter(test, self.tables))
        self._list_changed()

    def touch(self) -> None:
        """Note that the state of a table was altered."""
        self.stored = None

    def defer(self, table: TableState) -> None:
        """Read a table behind all others."""
        self.tables.remove(table)
        self.add([table])

    def spell(self, table: TableState, name: TableId) -> None:
        """Take the name of a table as its definition has it; servers may ignore case."""
        if table.table != name:
            table.request = replace(table.request, table=name)
            table.text = ""
            self._list_changed()

    def fail(self, table: TableState, reason: str) -> None:
        """Note that a table cannot be read; the caller removes it."""
        table.drop_chunk()
        table.reason = reason
        before = self.failed.get(str(table.table))
        table.is_initial |= before is not None and before.is_initial
        self.failed[str(table.table)] = table
        self.touch()

    def forget(self, names: Iterable[str]) -> list[TableState]:
        """Return failed tables, which are not reported any longer."""
        found = [self.failed.pop(name) for name in list(names) if name in self.failed]
        self.touch()
        return found

    def resume_failed(self, names: Iterable[str]) -> Iterator[TableState]:
        """Return failed tables to be read on behind their last chunk."""
        for one in self.forget(names):
            one.reason, one.failures, one.ready_at, one.stop = "", 0, 0.0, 0
            yield one

    def _list_changed(self) -> None:
        self._names = self.listed = None
        self.touch()

    def begin_chunk(self) -> str:
        """Return the id of the next window."""
        self.chunk = str(uuid.uuid4())
        return self.chunk

    def has_mark(self, mark: str) -> bool:
        """Whether a mark belongs to the present window; those from before a restart do not."""
        return self.chunk is not None and mark.startswith(self.chunk)

    def progress(self, table: TableState | None = None) -> IncrementalProgress:
        """Return how far the snapshot has come with a table, by default with the first one."""
        if table is None and self.tables:
            table = self.tables[0]
        if table is None:
            return IncrementalProgress()
        return IncrementalProgress(
            self.names,
            table.rows,
            self.chunk,
            key_text(table.position),
            key_text(table.chunk_end),
            key_text(table.maximum),
            self.paused,
            str(table.table),
        )


def key_text(key: Key | Sequence[Any] | None) -> str:
    """Return a key as notifications have it."""
    return ",".join("<null>" if value is None else str(value) for value in key or ())
