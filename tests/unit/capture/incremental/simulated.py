"""A database of one table in memory: its log, its rows, and what reads both.

It implements the protocols of a source of chunks and of a stream. ``meanwhile`` runs at every step
that takes time, so that a writer can come between any two of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from connector.capture.change import (
    Change,
    Emptied,
    HeartbeatDue,
    Notification,
    Progress,
    Row,
    RowChanges,
    SchemaChange,
)
from connector.capture.incremental.chunk_source import Chunk, Key, TableRequest
from connector.capture.incremental.pace import IncrementalOptions
from connector.capture.incremental.snapshot import IncrementalSnapshot
from connector.capture.notifications import Notifications
from connector.capture.signals.processor import SignalOptions, Signals
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import Table, TableId
from connector.data.schema import INT32, STRING, struct
from connector.errors import DatabaseUnavailableError, StopError

_IDLE = 500  # looks at the log after its end
SIGNALS, TABLE = TableId("d", "signals"), TableId("d", "t")


@dataclass(frozen=True)
class At:
    """A position: the number of entries that are done."""

    number: int

    def to_offset(self) -> dict[str, Any]:
        return {"n": self.number}


def schema(table: TableId, *columns: str, keys: tuple[int, ...] = (0,)) -> TableEventSchema:
    value = struct("v", *((name, STRING) for name in columns), optional=True)
    key = struct("k", *((columns[slot], INT32) for slot in keys))
    primary = tuple(columns[slot] for slot in keys)
    return TableEventSchema(Table(table, (), primary), str(table), key, value, value, (), keys)


@dataclass
class Database:
    """The server; ``log`` holds what a stream yields for each transaction."""

    rows: dict[int, Row] = field(default_factory=dict)
    log: list[Change] = field(default_factory=list)
    signal_schema: TableEventSchema = field(
        default_factory=lambda: schema(SIGNALS, "id", "type", "data")
    )
    defined: TableEventSchema = field(default_factory=lambda: schema(TABLE, "id", "v"))
    meanwhile: Callable[[], None] = lambda: None

    def write(self, key: int, row: Row | None, moved_to: int | None = None) -> None:
        """Insert, update, delete a row, or give it another key."""
        before = self.rows.pop(key, None)
        if row is not None:
            self.rows[key if moved_to is None else moved_to] = row
        if before is None and row is None:
            return
        op: Any = "c" if before is None else "d" if row is None else "u"
        self.log.append(RowChanges(self.defined, op, [(before, row)], (len(self.log),)))

    def truncate(self) -> None:
        self.rows.clear()
        self.log.append(Emptied(TABLE))

    def alter(self) -> None:
        """Give the table another definition; its rows stay as they are."""
        self.defined = schema(TABLE, "id", "v")
        self.log.append(SchemaChange("ALTER", "d", "ALTER TABLE t", (), (len(self.log),)))

    def signal(self, identity: str, type_: str, data: str = "") -> None:
        row = (identity, type_, data)
        self.log.append(RowChanges(self.signal_schema, "c", [(None, row)], (len(self.log),)))

    def unsignal(self, identity: str) -> None:
        row = (identity, "", "")
        self.log.append(RowChanges(self.signal_schema, "d", [(row, None)], (len(self.log),)))


class Chunks:
    """Reads chunks of the table; ``seen`` is the definition that the stream has come to."""

    def __init__(self, database: Database, *, deletes: bool = False) -> None:
        self._database = database
        self._deletes = deletes
        self.seen = database.defined
        self.faults = 0
        self.refusals = 0
        self.closed = 0

    def tables(self) -> Sequence[TableId]:
        return (TABLE,)

    def schema(self, table: TableId) -> TableEventSchema | None:
        return self.seen if table == TABLE else None

    def key_columns(self, schema: TableEventSchema, request: TableRequest) -> tuple[str, ...]:
        return (request.surrogate_key,) if request.surrogate_key else schema.table.primary_key

    def open_window(self, chunk: str) -> None:
        self._step()
        self._database.signal(f"{chunk}-open", "snapshot-window-open")
        self._step()

    def close_window(self, chunk: str) -> None:
        self._step()
        if self._deletes:
            self._database.unsignal(f"{chunk}-open")
        else:
            self._database.signal(f"{chunk}-close", "snapshot-window-close")
        self._step()

    def maximum_key(self, schema: TableEventSchema, request: TableRequest) -> Key | None:  # noqa: ARG002 - a protocol
        self._step()
        return (max(self._database.rows),) if self._database.rows else None

    def read(
        self,
        schema: TableEventSchema,  # noqa: ARG002 - a protocol
        request: TableRequest,  # noqa: ARG002 - a protocol
        after: Key | None,
        maximum: Key,
        limit: int,
    ) -> Chunk:
        self._step()
        if self.refusals:
            self.refusals -= 1
            raise StopError("no such column")
        rows = self._database.rows
        found = next_keys(rows, after, maximum, limit)
        self._step()
        return chunk_of(rows, found)

    def source(self, window_end: Row, table: TableId) -> Row:  # noqa: ARG002 - a protocol
        return window_end

    def close(self) -> None:
        self.closed += 1

    def _step(self) -> None:
        self._database.meanwhile()
        if self.faults:
            self.faults -= 1
            if not self.faults:
                raise DatabaseUnavailableError("gone")


def next_keys(rows: Iterable[int], after: Key | None, maximum: Key, limit: int) -> list[int]:
    """Return the keys of the chunk behind a key."""
    return sorted(key for key in rows if after is None or after[0] < key <= maximum[0])[:limit]


def chunk_of(rows: Mapping[int, Row], keys: Sequence[int]) -> Chunk:
    """Return the rows of some keys, those that are still there."""
    if not keys:
        return Chunk([])
    return Chunk([rows[key] for key in keys if key in rows], (keys[-1],), 1)


class QuickClock:
    """A clock that goes on whenever it is read: retries do not wait for long."""

    def __init__(self, step: float = 60.0) -> None:
        self._seconds = 0.0
        self._step = step

    def __call__(self) -> float:
        self._seconds += self._step
        return self._seconds


class Capture:
    """A capture of the database: starts at an offset, and yields until the log ends."""

    def __init__(self, database: Database, chunks: Chunks, size: int, *, deletes: bool) -> None:
        self.database = database
        self.chunks = chunks
        options = IncrementalOptions(size)
        notifications = Notifications("p", ("sink",))
        self.incremental = IncrementalSnapshot(chunks, notifications, options, QuickClock())
        signals = SignalOptions(SIGNALS, reads_deletes=deletes)
        self.signals = Signals(signals, (), self.incremental)

    def run(self, offset: dict[str, Any]) -> Iterator[Change]:
        """Yield the changes behind an offset."""
        self.signals.restore(offset)
        yield from self.signals.weave(self._stream(int(offset.get("n", 0))))

    def _stream(self, start: int) -> Iterator[Change]:
        self.chunks.seen = self._definition(start)
        yield HeartbeatDue()
        number, idle = start, 0
        while number < len(self.database.log) or self.incremental.running:
            if number == len(self.database.log):  # it waits for something else than the log
                idle += 1
                assert idle < _IDLE, "the snapshot stands still"
                yield Progress(At(number))
                yield HeartbeatDue()
                continue
            change = self.database.log[number]
            number += 1
            if isinstance(change, SchemaChange):
                self.chunks.seen = self._definition(number)
            if isinstance(change, RowChanges):
                change = RowChanges(change.codec, change.op, list(change.rows), change.source)
            yield change
            yield Progress(At(number))
            yield HeartbeatDue()

    def _definition(self, number: int) -> TableEventSchema:
        """Return the definition of the table after so many entries of the log."""
        changes = [c for c in self.database.log[number:] if isinstance(c, SchemaChange)]
        return self.database.defined if not changes else schema(TABLE, "id", "v")


def types(changes: Sequence[Change]) -> list[str]:
    return [change.type for change in changes if isinstance(change, Notification)]
