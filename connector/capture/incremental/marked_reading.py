"""Reads chunks between two marks of the log, in a thread, while the stream goes on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from connector.capture.change import Change, RowChanges, Waiting
from connector.capture.incremental.ahead import ReadAhead
from connector.capture.incremental.missed_changes import MissedChanges
from connector.capture.incremental.parallel import ChunkJob
from connector.capture.incremental.reading import TableReading
from connector.capture.incremental.refused_marks import RefusedMarks
from connector.capture.tables import TableId
from connector.errors import (
    DatabaseUnavailableError,
    ReadOnlyServerError,
    StopError,
    TableChangedError,
)

_BRIEFLY: Final = 0.01  # seconds
_STEP: Final = 0.25  # seconds: the task looks around between two steps of a wait


class MarkedReading:
    """The chunks that are being read; used by the thread of the capture.

    Only marks and SELECTs are the other thread's. What is read is decided before, by the
    definitions that the stream has come to, and taken into the windows when it is settled. Until
    then the changes of the log are noted.
    """

    def __init__(
        self, reading: TableReading, refused: RefusedMarks, ahead: ReadAhead | None = None
    ) -> None:
        self._reading = reading
        self._refused = refused
        self._ahead = ahead or ReadAhead()
        self._missed = MissedChanges(skips_unchanged=reading.options.skips_unchanged)
        self._mark = ""
        self._jobs: list[ChunkJob] = []

    @property
    def is_done(self) -> bool:
        """Whether chunks can be settled without waiting."""
        return self._ahead.is_done

    @property
    def is_idle(self) -> bool:
        """Whether no chunk is being read, so that no change of the log replaces a row."""
        return not self._ahead.is_running and self._reading.windows.phase == "idle"

    def begin(self) -> Iterator[Change]:
        """Begin to read the next chunks; none may be left to be settled."""
        yield from self._decide(self._begin())

    def settle(self) -> Iterator[Change]:
        """Take the chunks into their windows; wait for them.

        If a SELECT takes long, the task can stop meanwhile, and handles deliveries.
        """
        if self._ahead.is_running:
            self.wait_briefly()
            while not self._ahead.is_done:
                yield Waiting("")
                self._ahead.wait(_STEP)
            yield from self._decide(self._take())

    def wait_briefly(self) -> None:
        """Wait for chunks that are read soon, as most are.

        The stream would have few changes in so short a time, and each look at it has its cost.
        """
        self._ahead.wait(_BRIEFLY)

    def deduplicate(self, change: RowChanges) -> None:
        """Drop what a change of the log replaces, now or when the rows are there."""
        if not self._ahead.is_running:
            self._reading.windows.deduplicate(change)
            return
        self._missed.note(change)
        if self._missed.are_many:
            self._ahead.wait()

    def open(self) -> None:
        """Note that the log has come to the first mark."""
        (self._missed if self._ahead.is_running else self._reading.windows).open()

    def alter(self, table: TableId) -> None:
        """Drop the rows of a table that was truncated."""
        (self._missed if self._ahead.is_running else self._reading.windows).alter(table)

    def drop(self) -> None:
        """Drop the chunks; a SELECT that runs is interrupted."""
        self._interrupt()
        self._ahead.drop()

    def close(self) -> None:
        """End the thread; a SELECT that runs is interrupted."""
        self._interrupt()
        self._ahead.close()

    def _interrupt(self) -> None:
        """Let the other thread end soon: a SELECT may take minutes, and its rows are not needed.

        It may open a session at this moment, and use it. So it is interrupted until it has ended.
        """
        self.wait_briefly()
        while self._ahead.is_running and not self._ahead.is_done:
            self._reading.readers.interrupt()
            self.wait_briefly()

    def _begin(self) -> Iterator[Change]:
        self._mark = self._reading.begin()
        self._missed.clear()
        self._jobs = yield from self._reading.plan()
        self._ahead.start(self._read)

    def _read(self) -> bool:
        """Read the chunks, in the other thread; return whether the second mark is written."""
        chunks = self._reading.chunks
        chunks.open_window(self._mark)
        self._reading.readers.read(self._jobs)
        if not all(job.has_rows for job in self._jobs):
            return False
        chunks.close_window(self._mark)
        return True

    def _take(self) -> Iterator[Change]:
        is_marked = self._ahead.take()
        yield from self._reading.take(self._jobs)
        if not is_marked:  # a table is at its end: others follow between the same marks
            yield from self._reading.read_further()
            self._reading.chunks.close_window(self._mark)
        self._missed.replay(self._reading.windows)
        self._refused.note(None)

    def _decide(self, steps: Iterator[Change]) -> Iterator[Change]:
        """Yield what steps yield, and decide what an error of them leads to."""
        reading = self._reading
        try:
            yield from steps
        except (ReadOnlyServerError, DatabaseUnavailableError) as error:
            if isinstance(error, ReadOnlyServerError):
                reading.chunks.find_writable()
            reading.drop_windows()
            self._refused.note(error)
            reading.is_due = reading.state.running
        except (StopError, TableChangedError) as error:
            reading.drop_windows()
            reason = f"Watermarks cannot be written: {error} {error.remedy}".strip()
            yield from reading.refuse_all(reason)
            reading.is_due = reading.state.running
