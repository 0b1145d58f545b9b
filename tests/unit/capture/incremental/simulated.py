"""A database of a few tables in memory: its log, its rows, and what reads both.

It implements the protocols of a source of chunks and of a stream. ``meanwhile`` runs at every step
that takes time, so that a writer can come between any two of them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from connector.capture.change import (
    Change,
    Emptied,
    HeartbeatDue,
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
from connector.capture.snapshot_events import Notification
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import Table, TableId
from connector.data.schema import INT32, STRING, struct
from connector.errors import (
    DatabaseUnavailableError,
    ReadOnlyServerError,
    ServerSwitchError,
    StopError,
)
from tests.unit.capture.incremental.in_turn import InTurn
from tests.unit.capture.incremental.simulated_time import QuickClock, RandomOrder

_IDLE = 5_000  # looks at the log after its end
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
    """The server; ``log`` holds what a stream yields for each transaction.

    Keys are those of one of ``tables`` each: the first one has the keys 0, count, 2 · count and so
    on. ``definitions`` are those of the tables by the length of the log at which they came.
    """

    rows: dict[int, Row] = field(default_factory=dict)
    log: list[Change] = field(default_factory=list)
    signal_schema: TableEventSchema = field(
        default_factory=lambda: schema(SIGNALS, "id", "type", "data")
    )
    meanwhile: Callable[[], None] = lambda: None
    tables: tuple[TableId, ...] = (TABLE,)
    definitions: list[tuple[int, TableEventSchema]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.definitions += ((0, schema(table, "id", "v")) for table in self.tables)

    @property
    def defined(self) -> TableEventSchema:
        """The present definition of the first table."""
        return self.definition(TABLE, len(self.log))

    def definition(self, table: TableId, number: int) -> TableEventSchema:
        """Return the definition of a table after so many entries of the log."""
        found = [one for at, one in self.definitions if one.table.id == table and at <= number]
        return found[-1]

    def table_of(self, key: int) -> TableId:
        """Return the table to which a key belongs."""
        return self.tables[key % len(self.tables)]

    def write(self, key: int, row: Row | None, moved_to: int | None = None) -> None:
        """Insert, update, delete a row, or give it another key."""
        before = self.rows.pop(key, None)
        if row is not None:
            self.rows[key if moved_to is None else moved_to] = row
        if before is None and row is None:
            return
        op: Any = "c" if before is None else "d" if row is None else "u"
        codec = self.definition(self.table_of(key), len(self.log))
        self.log.append(RowChanges(codec, op, [(before, row)], (len(self.log),)))

    def truncate(self, table: TableId = TABLE) -> None:
        for key in [key for key in self.rows if self.table_of(key) == table]:
            del self.rows[key]
        self.log.append(Emptied(table))

    def alter(self, table: TableId = TABLE) -> None:
        """Give a table another definition; its rows stay as they are."""
        self.log.append(SchemaChange("ALTER", "d", "ALTER TABLE", (), (len(self.log),)))
        self.definitions.append((len(self.log), schema(table, "id", "v")))

    def signal(self, identity: str, type_: str, data: str = "") -> None:
        row = (identity, type_, data)
        self.log.append(RowChanges(self.signal_schema, "c", [(None, row)], (len(self.log),)))

    def unsignal(self, identity: str) -> None:
        row = (identity, "", "")
        self.log.append(RowChanges(self.signal_schema, "d", [(row, None)], (len(self.log),)))


class Chunks:
    """Reads chunks of the tables; the stream has come to so many entries of the log."""

    def __init__(self, database: Database, *, deletes: bool = False) -> None:
        self._database = database
        self._deletes = deletes
        self._thread = threading.current_thread()
        self.streamed = len(database.log)
        self.faults = 0
        self.fault: type[DatabaseUnavailableError] = DatabaseUnavailableError
        self.refusals = 0
        self.refused_marks: list[bool] = []  # of the next ones
        self.has_writable = False
        self.searches: list[bool] = []  # whether each was in the thread of the capture
        self.is_lost = False
        self._is_interrupted = False
        self.pause: Callable[[], None] = lambda: None

    def tables(self) -> Sequence[TableId]:
        if self.is_lost:
            self.is_lost = False
            raise self.fault("gone")
        return self._database.tables

    def key(self, table: TableId) -> TableId:
        return table

    def row_estimates(self, tables: Collection[TableId]) -> Mapping[TableId, int | None]:
        return dict.fromkeys(tables, 10)

    def another_reader(self) -> Chunks:
        return self

    def schema(self, table: TableId) -> TableEventSchema | None:
        known = table in self._database.tables
        return self._database.definition(table, self.streamed) if known else None

    def key_columns(self, schema: TableEventSchema, request: TableRequest) -> tuple[str, ...]:
        return (request.surrogate_key,) if request.surrogate_key else schema.table.primary_key

    def open_window(self, chunk: str) -> None:
        self._mark()
        self._database.signal(f"{chunk}-open", "snapshot-window-open")
        self._step()

    def close_window(self, chunk: str) -> None:
        self._mark()
        if self._deletes:
            self._database.unsignal(f"{chunk}-open")
        else:
            self._database.signal(f"{chunk}-close", "snapshot-window-close")
        self._step()

    def maximum_key(self, schema: TableEventSchema, request: TableRequest) -> Key | None:  # noqa: ARG002 - a protocol
        self._step()
        keys = self._keys(request)
        return (max(keys),) if keys else None

    def _rows(self) -> Mapping[int, Row]:
        """Return the rows that are visible."""
        return self._database.rows

    def _keys(self, request: TableRequest) -> list[int]:
        return [key for key in self._rows() if self._database.table_of(key) == request.table]

    def read(
        self,
        schema: TableEventSchema,  # noqa: ARG002 - a protocol
        request: TableRequest,
        after: Key | None,
        until: Key | None,
        limit: int,
    ) -> Chunk:
        self._step()
        if self.refusals:
            self.refusals -= 1
            raise StopError("no such column")
        rows = self._rows()
        found = next_keys(self._keys(request), after, until, limit)
        chunk = chunk_of(rows, found)
        self._step()
        return chunk

    def chunk_ends(
        self,
        schema: TableEventSchema,  # noqa: ARG002 - a protocol
        request: TableRequest,
        after: Key | None,
        maximum: Key,
        limit: int,
        count: int,
    ) -> list[Key]:
        self._step()
        found = next_keys(self._keys(request), after, maximum, limit * count)
        self._step()
        return [(key,) for key in found[limit - 1 :: limit]]

    def source(self, window_end: Row, table: TableId) -> Row:  # noqa: ARG002 - a protocol
        return window_end

    def find_writable(self) -> None:
        self.searches.append(threading.current_thread() is self._thread)
        if self.has_writable:
            raise ServerSwitchError("another server takes marks")

    def interrupt(self) -> None:
        self._is_interrupted = True

    def close(self) -> None:
        self._is_interrupted = False

    def _mark(self) -> None:
        """Write a mark, unless the server is read-only at present."""
        self._step()
        if self.refused_marks and self.refused_marks.pop(0):
            raise ReadOnlyServerError("The server is running with --read-only")

    def _step(self) -> None:
        self.pause()
        if self._is_interrupted:
            self._is_interrupted = False
            raise DatabaseUnavailableError("interrupted")
        self._database.meanwhile()
        if self.faults:
            self.faults -= 1
            if not self.faults:
                raise self.fault("gone")


def next_keys(rows: Iterable[int], after: Key | None, until: Key | None, limit: int) -> list[int]:
    """Return the keys of the chunk behind a key, and not behind another one."""
    found = (key for key in rows if after is None or key > after[0])
    return sorted(key for key in found if until is None or key <= until[0])[:limit]


def chunk_of(rows: Mapping[int, Row], keys: Sequence[int]) -> Chunk:
    """Return the rows of some keys, at most two in each batch."""
    batches = [[rows[key] for key in keys[at : at + 2]] for at in range(0, len(keys), 2)]
    return Chunk(batches, (keys[-1],), 1) if keys else Chunk()


class Capture:
    """A capture of the database: starts at an offset, and yields until the log ends."""

    def __init__(
        self,
        database: Database,
        chunks: Chunks,
        size: int,
        *,
        deletes: bool,
        threads: int = 1,
        order: RandomOrder | None = None,
        clock: QuickClock | None = None,
    ) -> None:
        self.database = database
        self.chunks = chunks
        ahead = InTurn(order.chance if order else None)
        chunks.pause = ahead.pause
        self.incremental = IncrementalSnapshot(
            chunks,
            Notifications("p", ("sink",)),
            IncrementalOptions(size, threads=threads),
            clock or QuickClock(),
            order,
            ahead,
        )
        signals = SignalOptions(SIGNALS, reads_deletes=deletes)
        self.signals = Signals(signals, (), self.incremental)

    @property
    def reads(self) -> bool:
        """Whether a snapshot is not complete, and not paused."""
        return self.incremental.running and not self.incremental._state.paused

    def run(self, offset: dict[str, Any]) -> Iterator[Change]:
        """Yield the changes behind an offset."""
        self.signals.restore(offset)
        yield from self.signals.weave(self._stream(int(offset.get("n", 0))))

    def run_again(self, start: int) -> Iterator[Change]:
        """Yield the changes behind an entry of the log, as after an error of the stream."""
        self.signals.rewind()
        yield from self.signals.weave(self._stream(start))

    def _stream(self, start: int) -> Iterator[Change]:
        self.chunks.streamed = start
        yield HeartbeatDue()
        number, idle = start, 0
        while number < len(self.database.log) or self.reads:
            if number == len(self.database.log):  # it waits for something else than the log
                idle += 1
                assert idle < _IDLE, "the snapshot stands still"
                yield Progress(At(number))
                yield HeartbeatDue()
                continue
            change = self.database.log[number]
            number += 1
            self.chunks.streamed = number
            if isinstance(change, RowChanges):
                change = RowChanges(change.codec, change.op, list(change.rows), change.source)
            yield change
            yield Progress(At(number))
            yield HeartbeatDue()


def types(changes: Sequence[Change]) -> list[str]:
    return [change.type for change in changes if isinstance(change, Notification)]
