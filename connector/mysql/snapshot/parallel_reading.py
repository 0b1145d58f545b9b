"""Tables read at the same time: a thread for each session, one consumer of all rows.

Each table is read by one session, so that its rows keep their order; which table's rows come
next depends on the server. What waits to be consumed is bounded.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from connector.capture.change import Row
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import TableId
from connector.errors import TableChangedError
from connector.mysql.snapshot.table_reader import TableReader

_BATCHES: Final = 4  # that wait for each session, of some 64 KB
_LOOK: Final = 0.2  # seconds after which a session that waits for room looks whether to stop


@dataclass(frozen=True, slots=True)
class Begun:
    """A table begins: its number, its codec and the server's time in microseconds."""

    table: int
    codec: TableEventSchema
    micros: int


@dataclass(frozen=True, slots=True)
class Read:
    """Some rows of a table; none: it is at its end."""

    table: int
    rows: list[Row]


@dataclass(frozen=True, slots=True)
class Changed:
    """A table cannot be read: its definition changed before any of its rows was read."""

    table: int
    error: TableChangedError


@dataclass(frozen=True, slots=True)
class _Failed:
    error: BaseException


class _StoppedError(Exception):
    """Nobody wants the rows any more."""


class ParallelReading:
    """Reads some tables through several sessions, in their order as far as the sessions allow.

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
        self._first_begun = threading.Event()
        self._stopping = threading.Event()
        self._items: queue.Queue[Any] = queue.Queue(_BATCHES * len(readers))
        self._left = len(tables)
        self._threads = [
            threading.Thread(target=self._work, args=(reader,), name=f"snapshot-{number}")
            for number, reader in enumerate(readers)
        ]

    def items(self) -> Iterator[Begun | Read | Changed]:
        """Yield what is read; rows of other tables come after the first ones of the first table.

        :raises MillraceError: what a session met.
        """
        for thread in self._threads:
            thread.start()
        while self._left:
            item = self._items.get()
            if isinstance(item, _Failed):
                raise item.error
            if isinstance(item, Changed) or (isinstance(item, Read) and not item.rows):
                self._left -= 1
            yield item

    def close(self) -> None:
        """End the threads; a session that is amid a table cannot be used any more."""
        self._stopping.set()
        self._first_begun.set()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()

    def _work(self, reader: TableReader) -> None:
        try:
            while (begun := self._begin(reader)) is not None:
                self._put(begun)
                self._read(reader, begun)
        except _StoppedError:
            return
        except BaseException as error:  # noqa: BLE001 - raised again where the rows are consumed
            self._fail(error)

    def _read(self, reader: TableReader, begun: Begun) -> None:
        try:
            for rows in reader.rows_as_defined(begun.codec):
                if rows:
                    self._tell(Read(begun.table, rows))
            self._tell(Read(begun.table, []))
        except TableChangedError as error:
            self._tell(Changed(begun.table, error))

    def _begin(self, reader: TableReader) -> Begun | None:
        with self._lock:
            number, table = next(self._tables, (0, None))
            if table is None:
                return None
            codec = self._codec_of(table)
        return Begun(number, codec, reader.now_micros())

    def _tell(self, item: Read | Changed) -> None:
        if item.table:
            self._first_begun.wait()
        self._put(item)
        if not item.table:
            self._first_begun.set()

    def _put(self, item: Begun | Read | Changed) -> None:
        while not self._stopping.is_set():
            try:
                self._items.put(item, timeout=_LOOK)
            except queue.Full:
                continue
            return
        raise _StoppedError

    def _fail(self, error: BaseException) -> None:
        while not self._stopping.is_set():
            try:
                self._items.put(_Failed(error), timeout=_LOOK)
            except queue.Full:
                continue
            return
