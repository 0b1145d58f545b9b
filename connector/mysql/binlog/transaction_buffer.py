"""Buffers a transaction until its end, which decides which of its rows took effect.

MariaDB, and MySQL before 8.0, write a transaction that was rolled back, or a part of one before
ROLLBACK TO SAVEPOINT, to the log if it also did what a rollback cannot undo (temporary tables,
tables without transactions). All rows of such a transaction are rows of transactional tables: the
servers log those of other tables separately.
"""

from __future__ import annotations

import errno
import pickle
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from tempfile import TemporaryFile
from typing import IO, Any, Final

from connector.capture.change import LookAhead
from connector.errors import DiskFullError, StopError
from connector.mysql.binlog.events import (
    Began,
    BinlogEvent,
    Committed,
    GtidRead,
    QueryRan,
    Rotated,
    RowsChanged,
    RowsQueryRead,
    Unreadable,
    XaPrepared,
    XaStarted,
)
from connector.mysql.binlog.savepoints import read_savepoint, unknown_savepoint
from connector.mysql.binlog.tablemap import TableMap
from connector.mysql.binlog.whole_transactions import LogEvent, events_of

_IN_MEMORY: Final = 4 << 20  # bytes of row images that are held in memory at most
_EVENT_SIZE: Final = 400  # the approximate size of an event without its data


class TransactionBuffer:
    """Follows the events of one connection; used by one thread."""

    def __init__(self) -> None:
        self._held = _EventList()
        self._in_group = False
        self._savepoints: dict[str, int] = {}
        self._rolled_back: list[range] = []
        self._counts = [0, 0, 0]  # rolled back, malformed, large

    def take_counts(self) -> LookAhead | None:
        """Return the counts since the last call, None if there are none."""
        if not any(self._counts):
            return None
        counts, self._counts = LookAhead(*self._counts), [0, 0, 0]
        return counts

    def close(self) -> None:
        """Drop the events of the transaction that has not ended."""
        self._held.close()

    def release(self, events: Iterable[LogEvent]) -> Generator[LogEvent]:
        """Yield the events whose transaction has ended, in order.

        Rows that were rolled back are replaced by an event that only counts.
        """
        for event in events:
            if not isinstance(event, BinlogEvent):
                yield from self.release(events_of(event)) if self._in_group else (event,)
                continue
            if self._in_group and isinstance(event, GtidRead):
                self._counts[1] += 1
                yield from self._flush()
            self._in_group = self._in_group or _begins(event)
            if not self._in_group:
                yield event
                continue
            self._held.append(self._follow_savepoint(event))
            if self._ends(event):
                yield from self._flush()

    def _ends(self, event: BinlogEvent) -> bool:
        """Apply an event to the state of the transaction; return whether it is the last.

        A transaction that the end of a file truncates was not complete when the server crashed:
        the server rolled it back.
        """
        if isinstance(event, (Committed, XaPrepared)):
            return True
        if isinstance(event, Rotated) or (
            isinstance(event, QueryRan) and event.sql.upper() == "ROLLBACK"
        ):
            self._roll_back_to(0)
            self._counts[0] += 1
            return True
        return False

    def _follow_savepoint(self, event: BinlogEvent) -> BinlogEvent:
        """Note a savepoint, or a rollback to one; return the event, or why it is unreadable."""
        statement = read_savepoint(event.sql) if isinstance(event, QueryRan) else None
        if statement is None:
            return event
        if statement.action == "SAVEPOINT":
            self._savepoints[statement.name] = len(self._held)
        elif statement.name in self._savepoints:
            self._roll_back_to(self._savepoints[statement.name])
        else:
            return Unreadable(event.header, unknown_savepoint(statement))
        return event

    def _roll_back_to(self, first: int) -> None:
        self._rolled_back.append(range(first, len(self._held)))

    def _flush(self) -> Iterator[BinlogEvent]:
        rolled_back = self._rolled_back
        held = self._held
        self._counts[2] += held.is_large
        self._held, self._in_group = _EventList(), False
        self._savepoints, self._rolled_back = {}, []
        for number, event in enumerate(held.events()):
            if event.__class__ is RowsChanged and any(number in part for part in rolled_back):
                yield BinlogEvent(event.header)
            else:
                yield event


def _begins(event: BinlogEvent) -> bool:
    if isinstance(event, GtidRead):
        return event.begins and not event.standalone
    return isinstance(event, (Began, XaStarted))


class _EventList:
    """A list of events of any size: beyond a limit they are in a temporary file."""

    def __init__(self) -> None:
        self._events: list[BinlogEvent] = []
        self._size = self._count = self._written = 0
        self._file: IO[bytes] | None = None
        self._tables: list[TableMap] = []

    def __len__(self) -> int:
        return self._count

    @property
    def is_large(self) -> bool:
        """Whether a part of it is in a file."""
        return self._file is not None

    def append(self, event: BinlogEvent) -> None:
        """Add an event."""
        self._events.append(event)
        self._count += 1
        self._size += _EVENT_SIZE
        if isinstance(event, (RowsChanged, RowsQueryRead)):
            self._size += event.size
        if self._size > _IN_MEMORY:
            self._write()

    def events(self) -> Iterator[BinlogEvent]:
        """Yield all events, once."""
        if self._file is not None:
            with self._file_errors():
                self._file.seek(0)
            try:
                for _ in range(self._written):
                    yield from _Unpickler(self._file, self._tables).load()
            finally:
                self.close()
        yield from self._events

    def _write(self) -> None:
        """Move what is in memory to the file."""
        for event in self._events:
            if isinstance(event, RowsChanged):
                event.trim()
        with self._file_errors():
            if self._file is None:
                self._file = TemporaryFile(prefix="millrace-")  # noqa: SIM115 - it lives longer
            _Pickler(self._file, self._tables).dump(self._events)
        for event in self._events:
            if isinstance(event, RowsChanged):
                event.release_images()  # the reader holds its last event until the next has come
        self._written += 1
        self._events, self._size = [], 0

    @contextmanager
    def _file_errors(self) -> Iterator[None]:
        """Turn errors of the file into those of a capture.

        :raises DiskFullError: there is no space for the transaction, or no folder that has some.
        :raises StopError: the file cannot be created or written.
        """
        try:
            yield
        except OSError as error:
            self.close()
            text = f"A large transaction cannot be written to a temporary file: {error.strerror}"
            folder = "the folder that the environment variable TMPDIR names"
            # to find a folder, `tempfile` writes to each that there is
            if DiskFullError.is_cause(error) or error.errno == errno.ENOENT:
                raise DiskFullError(f"{text}. Provide space in {folder}.") from error
            raise StopError(text, f"Check the permissions of {folder}.") from error

    def close(self) -> None:
        """Remove the file."""
        with suppress(OSError):  # on a full disk the buffer cannot be flushed
            if self._file is not None:
                self._file.close()


class _Pickler(pickle.Pickler):
    """Writes events, with numbers in place of tables: plans know tables by identity."""

    def __init__(self, file: IO[bytes], tables: list[TableMap]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._tables = tables
        self._numbers = {id(table): number for number, table in enumerate(tables)}

    def persistent_id(self, obj: Any) -> int | None:
        if not isinstance(obj, TableMap):
            return None
        if id(obj) not in self._numbers:
            self._numbers[id(obj)] = len(self._tables)
            self._tables.append(obj)
        return self._numbers[id(obj)]


class _Unpickler(pickle.Unpickler):
    """Reads what `_Pickler` wrote; the file has no name, so that no other process can change it."""

    def __init__(self, file: IO[bytes], tables: list[TableMap]) -> None:
        super().__init__(file)
        self._tables = tables

    def persistent_load(self, pid: int) -> TableMap:
        return self._tables[pid]
