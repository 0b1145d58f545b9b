"""Reads chunks of several tables at the same time, each through a session of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from connector.capture.incremental.chunk_source import Chunk, ChunkReader, ChunkSource
from connector.capture.incremental.table_state import TableState
from connector.capture.table_schema import TableEventSchema
from connector.errors import StopError, TableChangedError

_MOST_THREADS = 64
"""The pool starts a thread only if there is work and all others are busy."""


@dataclass(slots=True)
class ChunkJob:
    """The next chunk of a table: what to read, and what came of it.

    ``chunk`` is None if the table has no rows, or if there is an ``error``.
    """

    table: TableState
    schema: TableEventSchema
    limit: int
    chunk: Chunk | None = None
    error: StopError | TableChangedError | None = None
    seconds: float = 0.0

    def run(self, reader: ChunkReader) -> None:
        """Read the chunk; of the table's state, only its highest key is set."""
        table = self.table
        try:
            if table.maximum is None:
                table.maximum = reader.maximum_key(self.schema, table.request)
            if table.maximum is None:
                return
            began = time.monotonic()
            self.chunk = reader.read(
                self.schema, table.request, table.position, table.maximum, self.limit
            )
            self.seconds = time.monotonic() - began
        except (StopError, TableChangedError) as error:
            self.error = error


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
        if len(jobs) == 1:
            jobs[0].run(self._source)
            return jobs
        while len(self._others) < len(jobs) - 1:
            self._others.append(self._source.another_reader())
        readers = (self._source, *self._others)
        pairs = zip(jobs, readers, strict=False)
        self._run_all([partial(job.run, reader) for job, reader in pairs])
        return jobs

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
