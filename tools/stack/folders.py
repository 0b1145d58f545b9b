"""Where downloads and the data of runs lie, and how processes keep out of each other's way."""

from __future__ import annotations

import fcntl
import itertools
import logging
import os
import shutil
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, Self

from tools.stack.progress import log_progress

STACK: Final = Path(__file__).parents[2] / ".stack"

log = logging.getLogger(__name__)


class Workspace:
    """The downloads, and one folder for the data of one run.

    A context manager: at the end the run's folder is removed. Folders of runs that were
    killed are removed by the next one: each run holds a lock on its own as long as it lives.
    """

    def __init__(self, stack: Path = STACK) -> None:
        self.downloads = stack / "downloads"
        self._runs = stack / "run"
        self._numbers = itertools.count(1)
        self.downloads.mkdir(parents=True, exist_ok=True)
        self._runs.mkdir(exist_ok=True)
        self._sweep()
        self.run = self._runs / f"{time.strftime('%Y%m%d-%H%M%S')}-{uuid.uuid4().hex[:6]}"
        self._lock = hold(self._owner(self.run))
        self.run.mkdir()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def folder(self, name: str) -> Path:
        """Make a new folder of this run; ``name`` gets a number."""
        folder = self.run / f"{name}-{next(self._numbers)}"
        folder.mkdir()
        return folder

    def close(self) -> None:
        """Remove the run's folder."""
        if self._lock is None:
            return
        shutil.rmtree(self.run, ignore_errors=True)
        self._owner(self.run).unlink(missing_ok=True)
        os.close(self._lock)
        self._lock = None

    def _sweep(self) -> None:
        for run in self._runs.iterdir():
            if not run.is_dir():
                continue
            lock = hold(self._owner(run))
            if lock is None:
                continue
            shutil.rmtree(run, ignore_errors=True)
            self._owner(run).unlink(missing_ok=True)
            os.close(lock)

    def _owner(self, run: Path) -> Path:
        return run.with_name(run.name + ".lock")


def hold(lock: Path) -> int | None:
    """Lock a file until its descriptor, which is returned, is closed; None: somebody has it."""
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


@contextmanager
def locked(lock: Path, what: str) -> Iterator[None]:
    """Hold a lock file for a block; wait for the process that has it."""
    with lock.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            log.info("%s: another process is fetching it, waiting", what)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def once(target: Path, what: str, build: Callable[[Path], None]) -> Path:
    """Return ``target``, a folder that ``build`` fills if it does not exist.

    ``build`` fills a folder of another name, which gets its own only when complete; of
    several processes one builds and the others wait.
    """
    if target.exists():
        return target
    with locked(target.with_name(target.name + ".lock"), what):
        if target.exists():
            return target
        partial = target.with_name(target.name + ".partial")
        with suppress(FileNotFoundError):
            shutil.rmtree(partial)
        partial.mkdir()
        begun = time.monotonic()
        log.info("%s: fetching", what)
        with log_progress(what, target.parent):
            build(partial)
        partial.rename(target)
        log.info("%s: fetched in %.0f s", what, time.monotonic() - begun)
    return target
