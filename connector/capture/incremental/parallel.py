"""Reads chunks at the same time, of several tables or of one, each through its own session."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from connector.capture.incremental.chunk_source import (
    Chunk,
    ChunkReader,
    ChunkRows,
    ChunkSource,
    Key,
)
from connector.capture.incremental.table_state import TableState
from connector.capture.table_schema import TableEventSchema
from connector.errors import SessionRefusedError, StopError, TransientError

_MOST_THREADS = 64
"""The pool starts a thread only if there is work and all others are busy."""
_SLACK = 2
"""A part that another one follows may have so many times the rows that were planned."""


@dataclass(slots=True)
class ChunkPart:
    """The rows of a chunk that one thread reads; ``until`` is None if only ``limit`` ends them."""

    after: Key | None
    until: Key | None
    limit: int
    chunk: Chunk = field(default_factory=Chunk)
    seconds: float = 0.0


@dataclass(slots=True)
class ChunkJob:
    """The next chunk of a table: what to read, and what came of it.

    So many ``threads`` read ``limit`` rows each, one behind the other. ``chunk`` is None if the
    table has no rows, or if there is an ``error``. ``row_size`` is in bytes.
    """

    table: TableState
    schema: TableEventSchema
    limit: int
    threads: int = 1
    chunk: Chunk | None = None
    error: StopError | TransientError | None = None
    seconds: float = 0.0
    row_size: int = 0
    parts: list[ChunkPart] = field(default_factory=list)

    @property
    def has_rows(self) -> bool:
        """Whether rows were read."""
        return self.error is None and self.chunk is not None and self.chunk.count > 0

    def plan(self, reader: ChunkReader) -> None:
        """Decide what each thread reads; of the table's state, only its highest key is set."""
        table, request = self.table, self.table.request
        try:
            if table.maximum is None:
                table.maximum = reader.maximum_key(self.schema, request)
            if table.maximum is None:
                return
            begin, ends = table.position, list[Key]()
            if self.threads > 1:
                known = (begin, table.maximum, self.limit, self.threads - 1)
                ends = reader.chunk_ends(self.schema, request, *known)
        except SessionRefusedError:
            raise
        except (StopError, TransientError) as error:
            self.error = error
            return
        # Rows that came behind the key at which a part ends may be many: the next chunk reads them.
        self.parts = [
            ChunkPart(after, until, _SLACK * self.limit)
            for after, until in zip([begin, *ends], ends, strict=False)
        ]
        last = ends[-1] if ends else begin
        # Nothing bounds the first rows of a table, as in Debezium.
        self.parts.append(ChunkPart(last, table.maximum if last is not None else None, self.limit))

    def read(self, part: ChunkPart, reader: ChunkReader) -> None:
        """Read a part."""
        began = time.monotonic()
        try:
            part.chunk = reader.read(
                self.schema, self.table.request, part.after, part.until, part.limit
            )
        except SessionRefusedError:
            raise
        except (StopError, TransientError) as error:
            self.error = error
        part.seconds = time.monotonic() - began

    def join(self) -> None:
        """Make one chunk of the parts, up to one that has more rows than it may."""
        if self.error is not None or not self.parts:
            return
        batches, end = list[ChunkRows](), None
        for part in self.parts:
            batches += part.chunk.batches
            end = part.chunk.end or end
            if part.chunk.is_cut or part.chunk.count >= part.limit:
                break
        self.chunk = Chunk(batches, end)
        self.seconds = max(part.seconds for part in self.parts)
        count = sum(part.chunk.count for part in self.parts)
        self.row_size = sum(part.chunk.size for part in self.parts) // count if count else 0


class RunAll(Protocol):
    """Runs steps, perhaps at the same time, and returns when all have ended.

    It raises the error of one that failed.
    """

    def __call__(self, steps: Sequence[Callable[[], None]]) -> None:
        """Run the steps."""


class ChunkReaders:
    """The readers of one capture: the source itself, and one more for each other thread."""

    def __init__(self, source: ChunkSource, run_all: RunAll | None = None) -> None:
        self._source = source
        self._pool: ThreadPoolExecutor | None = None
        self._run_all = run_all or self._run_in_threads
        self._others: list[ChunkReader] = []

    def read(self, jobs: Sequence[ChunkJob]) -> Iterable[ChunkJob]:
        """Read the chunks and return them in their order."""
        self._run([job.plan for job in jobs])
        self._run([partial(job.read, part) for job in jobs for part in job.parts])
        for job in jobs:
            job.join()
        return jobs

    def _run(self, steps: Sequence[Callable[[ChunkReader], None]]) -> None:
        """Run steps at the same time, each with a reader of its own."""
        while len(self._others) < len(steps) - 1:
            self._others.append(self._source.another_reader())
        readers = (self._source, *self._others)
        calls = [partial(step, reader) for step, reader in zip(steps, readers, strict=False)]
        if len(calls) > 1:
            self._run_all(calls)
        elif calls:
            calls[0]()

    def interrupt(self) -> None:
        """Make the statements fail that run at this moment; any thread may call this."""
        for reader in (self._source, *self._others):
            reader.interrupt()

    def close(self) -> None:
        """Close the connections, also that of the source."""
        for reader in (self._source, *self._others):
            reader.close()
        self._others.clear()
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    def _run_in_threads(self, steps: Sequence[Callable[[], None]]) -> None:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(_MOST_THREADS, "chunk")
        others = [self._pool.submit(step) for step in steps[1:]]
        try:
            steps[0]()
        finally:  # no reader may be in use when the caller goes on
            wait(others)
        for other in others:
            other.result()
