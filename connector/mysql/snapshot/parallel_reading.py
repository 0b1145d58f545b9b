"""Reads tables by several sessions: a thread for each session, one consumer of all rows.

A table is read by one session, in its order, or split into ranges of keys that any session reads.
Which rows come next depends on the server; but the first rows of a table are those of its first
range, and the first rows of all those of the first table. The queue between the threads is bounded.
"""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import TableId
from connector.errors import TableChangedError
from connector.mysql.native_rows import Batch
from connector.mysql.snapshot.table_chunks import WHOLE, ChunkPlanner, TableChunk
from connector.mysql.snapshot.table_reader import TableReader

_BATCHES: Final = 4  # that wait for each session, of some 64 KB
_CHECK_INTERVAL: Final = 0.2  # seconds between checks whether to stop, while the queue is full


@dataclass(frozen=True, slots=True)
class TableStart:
    """The start of a table: its number, its schema, the server's time in microseconds."""

    table: int
    codec: TableEventSchema
    micros: int
    chunks: int


@dataclass(frozen=True, slots=True)
class ChunkStart:
    """The start of a range of keys."""

    table: int
    chunk: TableChunk


@dataclass(frozen=True, slots=True)
class RowBatch:
    """Some rows of a range of keys; none at its end."""

    table: int
    chunk: TableChunk
    rows: Batch


@dataclass(frozen=True, slots=True)
class TableEnd:
    """The end of a table."""

    table: int


@dataclass(frozen=True, slots=True)
class TableAltered:
    """A table that cannot be read to its end: its definition changed. No more rows come."""

    table: int
    chunk: TableChunk
    error: TableChangedError


@dataclass(frozen=True, slots=True)
class _Failure:
    error: BaseException


Item = TableStart | ChunkStart | RowBatch | TableEnd | TableAltered


class _ReaderClosedError(Exception):
    """The consumer of the rows has closed the reader."""


class ParallelReader:
    """Reads tables through several sessions, each session the next range of keys in order.

    ``codec_of`` and ``planner`` are used by one thread at a time.
    """

    def __init__(
        self,
        readers: Sequence[TableReader],
        tables: Sequence[TableId],
        codec_of: Callable[[TableId], TableEventSchema],
        planner: ChunkPlanner | None = None,
    ) -> None:
        self._tables = iter(enumerate(tables))
        self._codec_of = codec_of
        self._planner = planner
        self._lock = threading.Lock()
        self._pending: deque[tuple[int, TableEventSchema, TableChunk]] = deque()
        self._have_rows: dict[int, threading.Event] = {}
        self._stopping = threading.Event()
        self._items: queue.Queue[Item | _Failure] = queue.Queue(_BATCHES * len(readers))
        self._left = len(tables)
        self._threads = [
            threading.Thread(target=self._work, args=(reader,), name=f"snapshot-{number}")
            for number, reader in enumerate(readers)
        ]

    def items(self) -> Iterator[Item]:
        """Yield the items of all sessions; the first rows are those of the first table.

        :raises MillraceError: a session failed.
        """
        for thread in self._threads:
            thread.start()
        chunks_left: dict[int, int] = {}
        while self._left:
            item = self._items.get()
            if isinstance(item, _Failure):
                raise item.error
            if isinstance(item, TableStart):
                chunks_left[item.table] = item.chunks
            elif item.table not in chunks_left:
                continue  # it was altered
            yield item
            if isinstance(item, TableAltered):
                del chunks_left[item.table]
                self._left -= 1
            elif isinstance(item, RowBatch) and not item.rows:
                chunks_left[item.table] -= 1
                if not chunks_left[item.table]:
                    self._left -= 1
                    yield TableEnd(item.table)

    def close(self) -> None:
        """End the threads; a session that has not read its range to the end becomes unusable."""
        self._stopping.set()
        with self._lock:
            for event in self._have_rows.values():
                event.set()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()

    def _work(self, reader: TableReader) -> None:
        try:
            if self._planner is not None:
                self._planner.prepare(reader.connection)
            while (start := self._begin(reader)) is not None:
                self._read(reader, *start)
        except _ReaderClosedError:
            return
        except BaseException as error:  # noqa: BLE001 - raised again where the rows are consumed
            self._fail(error)

    def _read(
        self, reader: TableReader, table: int, codec: TableEventSchema, chunk: TableChunk
    ) -> None:
        self._put(ChunkStart(table, chunk))
        try:
            for rows in reader.rows_as_defined(codec, chunk.clause):
                if rows:
                    self._emit(RowBatch(table, chunk, rows))
            self._emit(RowBatch(table, chunk, []))
        except TableChangedError as error:
            with self._lock:
                self._pending = deque(one for one in self._pending if one[0] != table)
            self._emit(TableAltered(table, chunk, error))

    def _begin(self, reader: TableReader) -> tuple[int, TableEventSchema, TableChunk] | None:
        """Take the next range; split the next table if there is none."""
        with self._lock:
            if not self._pending:
                number, table = next(self._tables, (0, None))
                if table is None:
                    return None
                codec = self._codec_of(table)
                planner = self._planner
                chunks = (WHOLE,) if planner is None else planner.chunks(reader, codec.table)
                self._have_rows[number] = threading.Event()
                self._put(TableStart(number, codec, reader.now_micros(), len(chunks)))
                self._pending.extend((number, codec, chunk) for chunk in chunks)
            return self._pending.popleft()

    def _emit(self, item: RowBatch | TableAltered) -> None:
        """Emit an item of a range behind the first one of those that come first."""
        if item.table:
            self._have_rows[0].wait()
        if item.chunk.number:
            self._have_rows[item.table].wait()
        self._put(item)
        self._have_rows[item.table].set()

    def _put(self, item: Item) -> None:
        while not self._stopping.is_set():
            try:
                self._items.put(item, timeout=_CHECK_INTERVAL)
            except queue.Full:
                continue
            return
        raise _ReaderClosedError

    def _fail(self, error: BaseException) -> None:
        while not self._stopping.is_set():
            try:
                self._items.put(_Failure(error), timeout=_CHECK_INTERVAL)
            except queue.Full:
                continue
            return
