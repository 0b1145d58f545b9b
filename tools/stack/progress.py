"""A sign of life while something is fetched."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

_LOG_SECONDS: Final = 5.0

log = logging.getLogger(__name__)


@contextmanager
def log_progress(what: str, folder: Path, every: float = _LOG_SECONDS) -> Iterator[None]:
    """Log every few seconds how much has come into a folder while a block runs."""
    done = threading.Event()
    before = size(folder)

    def report() -> None:
        while not done.wait(every):
            log.info("%s: %d MB on disk so far", what, max(0, size(folder) - before) // 1_000_000)

    reporter = threading.Thread(target=report, name="progress", daemon=True)
    reporter.start()
    try:
        yield
    finally:
        done.set()
        reporter.join()


def size(folder: Path) -> int:
    """Return how many bytes the files of a folder have; files may come and go meanwhile."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                total += os.lstat(os.path.join(place, name)).st_size  # noqa: PTH118 - many files
    return total
