"""Reads the next chunks while the rows of the last ones are emitted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager

from connector.capture.change import Change
from connector.errors import MillraceError

ReadStep = Callable[[], Iterable[Change]]


class ReadAhead:
    """Runs a step in a thread of its own, while its caller does nothing but emit rows.

    A chunk takes the database about as long as its rows take this process: both at the same time
    make an incremental snapshot faster. The stream waits meanwhile, as it does without the thread,
    so no change of the log comes between the step's begin and its end.
    """

    def __init__(self) -> None:
        self._pool: ThreadPoolExecutor | None = None

    @contextmanager
    def running(self, step: ReadStep) -> Iterator[Iterator[Change]]:
        """Run a step during the block, which ends with it.

        The value yields the step's changes, and raises its error, when they are iterated.
        """
        if self._pool is None:
            self._pool = ThreadPoolExecutor(1, "chunks")
        future = self._pool.submit(CollectedStep, step)
        try:
            yield _changes(future)
        finally:
            wait([future])

    def close(self) -> None:
        """End the thread."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None


def _changes(outcome: Future[CollectedStep]) -> Iterator[Change]:
    yield from outcome.result()


class CollectedStep:
    """What a step has yielded; to iterate raises the error that ended it, behind its changes."""

    def __init__(self, step: ReadStep) -> None:
        self._changes: list[Change] = []
        self._error: MillraceError | None = None
        try:
            for change in step():
                self._changes.append(change)
        except MillraceError as error:
            self._error = error

    def __iter__(self) -> Iterator[Change]:
        """Yield the changes, and raise."""
        yield from self._changes
        if self._error is not None:
            raise self._error
