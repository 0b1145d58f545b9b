"""Reads several tables at the same time: a thread for each session, one consumer of all rows.

Each table is read by one session, so that its rows keep their order; which table's rows come
next depends on the server. The queue between the threads is bounded.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from connector.capture.change import Row
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import TableId
from connector.errors import TableChangedError
from connector.mysql.snapshot.table_reader import TableReader

_BATCHES: Final = 4  # that wait for each session, of some 64 KB
_CHECK_INTERVAL: Final = 0.2  # seconds between checks whether to stop, while the queue is full


@dataclass(frozen=True, slots=True)
class TableStart:
    """The start of a table: its number, its schema and the server's time in microseconds."""

    table: int
    codec: TableEventSchema
    micros: int


@dataclass(frozen=True, slots=True)
class RowBatch:
    """Some rows of a table; none at its end."""

    table: int
    rows: list[Row]


@dataclass(frozen=True, slots=True)
class TableAltered:
    """A table that cannot be read: its definition changed before any of its rows was read."""

    table: int
    error: TableChangedError


@dataclass(frozen=True, slots=True)
class _Failure:
    error: BaseException


class _ReaderClosedError(Exception):
    """The consumer of the rows has closed the reader."""


class ParallelReader:
    """Reads tables through several sessions, each session the next table in order.

    ``codec_of`` is called by one thread at a time.
    """

    def __init__(
        self,
        readers: Sequence[TableReader],
        tables: Sequence[TableId],
        codec_of: Callable[[TableId], TableEventSchema],
    ) -> None:
        self._tables = iter(enumerate(tables))
        self._codec_of = codec_of
        self._lock = threading.Lock()
        self._first_has_rows = threading.Event()
        self._stopping = threading.Event()
        self._items: queue.Queue[TableStart | RowBatch | TableAltered | _Failure] = queue.Queue(
            _BATCHES * len(readers)
        )
        self._left = len(tables)
        self._threads = [
            threading.Thread(target=self._work, args=(reader,), name=f"snapshot-{number}")
            for number, reader in enumerate(readers)
        ]

    def items(self) -> Iterator[TableStart | RowBatch | TableAltered]:
        """Yield the items of all sessions; the first rows are those of the first table.

        :raises MillraceError: a session failed.
        """
        for thread in self._threads:
            thread.start()
        while self._left:
            item = self._items.get()
            if isinstance(item, _Failure):
                raise item.error
            if isinstance(item, TableAltered) or (isinstance(item, RowBatch) and not item.rows):
                self._left -= 1
            yield item

    def close(self) -> None:
        """End the threads; a session that has not read its table to the end becomes unusable."""
        self._stopping.set()
        self._first_has_rows.set()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()

    def _work(self, reader: TableReader) -> None:
        try:
            while (start := self._begin(reader)) is not None:
                self._put(start)
                self._read(reader, start)
        except _ReaderClosedError:
            return
        except BaseException as error:  # noqa: BLE001 - raised again where the rows are consumed
            self._fail(error)

    def _read(self, reader: TableReader, start: TableStart) -> None:
        try:
            for rows in reader.rows_as_defined(start.codec):
                if rows:
                    self._emit(RowBatch(start.table, rows))
            self._emit(RowBatch(start.table, []))
        except TableChangedError as error:
            self._emit(TableAltered(start.table, error))

    def _begin(self, reader: TableReader) -> TableStart | None:
        with self._lock:
            number, table = next(self._tables, (0, None))
            if table is None:
                return None
            codec = self._codec_of(table)
        return TableStart(number, codec, reader.now_micros())

    def _emit(self, item: RowBatch | TableAltered) -> None:
        if item.table:
            self._first_has_rows.wait()
        self._put(item)
        if not item.table:
            self._first_has_rows.set()

    def _put(self, item: TableStart | RowBatch | TableAltered) -> None:
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
