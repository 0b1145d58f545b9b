"""Reads the tables of incremental snapshots chunk by chunk, and decides what errors lead to."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from connector.capture.backoff import Backoff
from connector.capture.change import Change, FailedTables, PositionText, Row, RowChanges
from connector.capture.incremental.chunk_source import ChunkSource
from connector.capture.incremental.pace import ChunkSize, IncrementalOptions
from connector.capture.incremental.parallel import ChunkJob, ChunkReaders
from connector.capture.incremental.reports import SnapshotReports
from connector.capture.incremental.state import SnapshotState
from connector.capture.incremental.stops import remove_stopped
from connector.capture.incremental.table_state import TableState
from connector.capture.incremental.window import Windows, read_changes
from connector.capture.snapshot_events import ChunkedReadEnded, TableScan
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import TableId
from connector.errors import (
    MillraceError,
    SessionRefusedError,
    StopError,
    TableChangedError,
    TransientError,
)

log = logging.getLogger(__name__)

_UNKNOWN: Final = "It is not captured or does not exist."
_NO_KEY: Final = (
    "It has no key. Set message.key.columns for it, and name a column as surrogate-key."
)
_AT_ONCE: Final = 4  # attempts for a table whose definition the stream has yet to come to
RETRIES: Final = Backoff(first=1.0, longest=15.0, attempts=4)
"""How often a chunk is read again that the database refuses; then its table fails."""
_TRANSIENT: Final = 10  # attempts after errors such as a KILL or a lock


@dataclass(slots=True)
class TableReading:
    """Reads chunks of the tables of a state into windows.

    The methods yield what the capture has to emit. A chunk that cannot be read is read again after
    a pause, in which other tables go on; then its table fails, and keeps how far it is read.
    ``is_due``: a chunk is to be read as soon as that is possible.
    """

    chunks: ChunkSource
    readers: ChunkReaders
    reports: SnapshotReports
    options: IncrementalOptions
    windows: Windows
    clock: Callable[[], float]
    state: SnapshotState = field(default_factory=SnapshotState)
    _sizes: dict[TableId, ChunkSize] = field(default_factory=dict)
    is_due: bool = False
    _free: int = 0

    def begin(self) -> str:
        """Begin to read chunks; return the mark of their window."""
        self._free = self.options.threads
        self.windows.begin()
        return self.state.begin_chunk()

    def plan(self) -> Generator[Change, None, list[ChunkJob]]:
        """Return a chunk to read of each table that is read now; none if no thread is free.

        Threads that no table needs read further rows of those tables.
        """
        jobs = list[ChunkJob]()
        while not jobs and (tables := self._due()):
            for one in tables:
                schema = yield from self._schema(one)
                if schema is not None:
                    rows, share = self._size(one).rows, self._free // len(tables)
                    jobs.append(ChunkJob(one, schema, rows, share))
        return jobs

    def _due(self) -> list[TableState]:
        return self.state.due(self._free, self.clock(), self.windows.tables)

    def take(self, jobs: Iterable[ChunkJob]) -> Iterator[Change]:
        """Take chunks that were read into their windows; a table that is at its end makes room."""
        for job in jobs:
            yield from self._take(job)
            if job.table.table in self.windows.tables:
                self._free -= job.threads

    def read_further(self) -> Iterator[Change]:
        """Read chunks of further tables as long as there is room."""
        while jobs := (yield from self.plan()):
            yield from self.take(self.readers.read(jobs))

    def close_windows(self, end: Row, text: PositionText | None) -> list[RowChanges]:
        """Return the rows that are left in the windows, and end their chunks.

        :param end: the source block of the second mark; ``text`` is its position.
        """
        emitted = list[RowChanges]()
        for schema, batches, is_void in self.windows.close():
            table = self.state.find(schema.table.id)
            if batches and not is_void:
                source = self.chunks.source(end, schema.table.id)
                emitted += read_changes(schema, batches, source, text)
            if table is not None and is_void:
                table.drop_chunk()
            elif table is not None:
                table.end_chunk()
        self.state.touch()
        return emitted

    def emit(self, changes: Iterable[RowChanges]) -> Iterator[RowChanges]:
        """Yield the rows of chunks, and note how long that takes."""
        for change in changes:
            table, rows, began = change.codec.table.id, len(change.rows), self.clock()
            yield change
            size = self._sizes.get(table)
            if size is not None and rows:
                size.note_emission(rows, self.clock() - began)

    def drop_windows(self) -> None:
        """Drop the rows of the windows: their chunks are read again."""
        self.windows.clear()
        for table in self.state.tables:
            table.drop_chunk()
        self.state.touch()

    def _size(self, one: TableState) -> ChunkSize:
        options = self.options
        return self._sizes.setdefault(
            one.table, ChunkSize(options.chunk_size, options.chunk_seconds)
        )

    def _schema(self, one: TableState) -> Generator[Change, None, TableEventSchema | None]:
        """Return the schema of a table; None if it cannot be read, which ends it."""
        schema = self.chunks.schema(one.table)
        if schema is not None:
            self.state.spell(one, schema.table.id)
        if schema is None:
            yield from self._take_absence(one)
            return None
        one.is_known = True
        try:
            columns = self.chunks.key_columns(schema, one.request)
        except SessionRefusedError:
            raise
        except (StopError, TransientError) as error:
            yield from self._take_error(one, error)
            return None
        if not one.fits(columns):
            log.warning("The key of table %s was altered: it is read again", one.table)
            one.restart()
        one.key_columns = columns
        self.state.touch()
        if columns and schema.key_slots:
            return schema
        yield from self.fail(one, "NO_PRIMARY_KEY", _NO_KEY)
        return None

    def _take_absence(self, one: TableState) -> Iterator[Change]:
        """Take that a table was dropped or renamed, or is not captured.

        Another table may take its name, whose rows have no events: an initial snapshot waits for it
        until all others are read.
        """
        if one.is_initial or one.is_renamed:
            one.failures += 1
            if one.failures > RETRIES.attempts and not self._others_exist():
                yield from self.end_table(one, "SKIPPED")
                return
            one.ready_at = self.clock() + RETRIES.delay(one.failures)
            self.state.defer(one)
        elif one.is_started or one.is_known:
            yield from self.refuse(one, _UNKNOWN)
        else:
            yield from self.fail(one, "UNKNOWN_SCHEMA", _UNKNOWN)

    def _others_exist(self) -> bool:
        return any(self.chunks.schema(one.table) is not None for one in self.state.tables)

    def _take(self, job: ChunkJob) -> Iterator[Change]:
        """Take what came of reading a chunk."""
        one, chunk = job.table, job.chunk
        if job.error is not None:
            yield from self._take_chunk_error(job, job.error)
        elif chunk is None or not chunk.count:
            yield from self.end_table(one, "EMPTY" if chunk is None else "SUCCEEDED")
        else:
            self._size(one).adapt(chunk.count // len(job.parts), job.seconds, job.row_size)
            self.windows.fill(job.schema, chunk.batches)
            one.begin_chunk(chunk)
            self.state.touch()
            yield self.state.progress(one)
            yield from self.reports.chunk(self.state, one)

    def _take_chunk_error(self, job: ChunkJob, error: MillraceError) -> Iterator[Change]:
        one = job.table
        if isinstance(error, TableChangedError) and one.failures < _AT_ONCE:
            one.failures += 1
            self.windows.fill(job.schema, [])  # the stream comes to the new definition first
            self.windows.alter(one.table)
            return
        yield from self._take_error(one, error)

    def _take_error(self, one: TableState, error: MillraceError) -> Iterator[Change]:
        reason = f"{error} {error.remedy}".strip()
        if isinstance(error, TableChangedError):
            yield from self.refuse(one, reason, at_once=_AT_ONCE)
        elif isinstance(error, TransientError):
            yield from self.refuse(one, reason, _TRANSIENT)
        else:
            yield from self.refuse(one, reason)

    def refuse(
        self, one: TableState, reason: str, retries: int = RETRIES.attempts, at_once: int = 0
    ) -> Iterator[Change]:
        """Read a chunk again later that cannot be read now; at last, its table fails.

        :param at_once: how many of its failures were attempts without a pause.
        """
        one.failures += 1
        attempt = one.failures - at_once
        if attempt > retries:
            yield from self.fail(one, "SQL_EXCEPTION", reason)
            return
        delay = RETRIES.delay(attempt)
        one.ready_at = self.clock() + delay
        log.warning(
            "A chunk of table %s cannot be read; next attempt in %.1f s: %s",
            one.table,
            delay,
            reason,
        )

    def refuse_all(self, reason: str) -> Iterator[Change]:
        """Read the chunks of all tables again later; at last, the tables fail."""
        for table in list(self.state.tables):
            yield from self.refuse(table, reason)

    def fail(self, one: TableState, status: str, reason: str) -> Iterator[Change]:
        """End a table, and report it until it is read or stopped."""
        log.warning("The incremental snapshot of table %s failed: %s", one.table, reason)
        self.state.fail(one, reason)
        yield FailedTables(self.state.reasons)
        yield from self.end_table(one, status)

    def forget(self, names: Iterable[str]) -> Iterator[Change]:
        """Report tables no longer that are read or stopped."""
        if self.state.forget(names):
            yield FailedTables(self.state.reasons)

    def end_table(self, one: TableState, status: str) -> Iterator[Change]:
        """End a table; publish that, and the end of the snapshot if it was the last."""
        log.info("Incremental snapshot of %s: %s", one.table, status)
        was_initial = self.state.is_initial
        if status in ("SUCCEEDED", "EMPTY"):
            yield from self.forget([str(one.table)])
        yield from self.reports.table(self.state, one, status)
        if one.is_initial:
            yield TableScan(one.table, (), one.rows)
        yield from self.remove(one)
        yield from self.end_initial(was_initial=was_initial)

    def remove(self, one: TableState) -> Iterator[Change]:
        """Go on without a table."""
        state = self.state
        state.remove(one)
        self._sizes.pop(one.table, None)
        if not state.running:
            yield from self.reports.publish_completed(state)
            state.identity, state.paused = None, False
        yield state.progress()

    def stop_tables(self) -> Iterator[Change]:
        """Remove the tables that are to be stopped, the one that is read last of them."""
        state = self.state
        if not state.is_stopping or not state.running:
            return
        was_initial = state.is_initial
        stopped, current = remove_stopped(state)
        if current is not None:
            yield from self.remove(current)
        yield from self.end_initial(was_initial=was_initial)
        yield from self.reports.publish_aborted(state, stopped)

    def end_initial(self, *, was_initial: bool) -> Iterator[Change]:
        """Report the end of the initial snapshot, if it was not complete and is now."""
        if was_initial and not self.state.is_initial:
            yield ChunkedReadEnded()
