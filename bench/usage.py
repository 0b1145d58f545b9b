"""What a process costs: CPU time and memory, with all its children."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Final, Self

import psutil

_SAMPLE_SECONDS: Final = 0.25  # looking at all processes takes some milliseconds


class Usage:
    """Watches a process tree; as a context manager for a block.

    ``cpu_seconds`` is the CPU time used in the block, ``peak_bytes`` the most resident memory
    that was seen.
    """

    def __init__(self, pid: int) -> None:
        self.cpu_seconds = 0.0
        self.peak_bytes = 0
        self._root = psutil.Process(pid)
        self._done = threading.Event()
        self._sampler = threading.Thread(target=self._sample, name="usage", daemon=True)

    def __enter__(self) -> Self:
        self._before = self._cpu()
        self._sampler.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._sampler.join()
        self.cpu_seconds = self._cpu() - self._before

    def _sample(self) -> None:
        while not self._done.wait(_SAMPLE_SECONDS):
            self.peak_bytes = max(self.peak_bytes, self._resident())

    def _tree(self) -> Iterator[psutil.Process]:
        yield self._root
        yield from self._root.children(recursive=True)

    def _cpu(self) -> float:
        total = 0.0
        for process in self._tree():
            with suppress(psutil.NoSuchProcess):
                times = process.cpu_times()
                total += times.user + times.system
        return total

    def _resident(self) -> int:
        total = 0
        for process in self._tree():
            with suppress(psutil.NoSuchProcess):
                total += process.memory_info().rss
        return total
