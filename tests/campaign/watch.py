"""Watches the worker over the whole campaign: its memory and its log."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path
from typing import Final

from tools.stack import MillraceWorker
from tools.stack.errors import StackError

_INTERVAL: Final = 0.2


class Watch:
    """Samples the worker's peak memory in a thread of its own; reads its log on request."""

    def __init__(self, worker: MillraceWorker) -> None:
        self._worker = worker
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)
        self._read = 0  # bytes of the log
        self._text = ""
        self.peak_megabytes = 0

    def start(self) -> None:
        """Begin to sample."""
        self._thread.start()

    def end(self) -> None:
        """Stop sampling."""
        self._ended.set()
        if self._thread.ident is not None:
            self._thread.join(10)

    def take_peak(self) -> int:
        """Return the peak in MB since the last call."""
        peak, self.peak_megabytes = self.peak_megabytes, 0
        return peak

    def read_log(self) -> None:
        """Read what was logged since the last call."""
        with self._worker.log.open("rb") as log:
            log.seek(self._read)
            data = log.read()
        self._read += len(data)
        self._text = data.decode(errors="replace")

    @property
    def unacknowledged_stops(self) -> int:
        """How many stops Kafka did not answer in time, in the part of the log that was read."""
        return self._text.count("messages are not acknowledged at the stop")

    def tracebacks(self) -> list[str]:
        """Return the tracebacks in the part of the log that was read."""
        _, *found = self._text.split("Traceback (most recent call last)")
        return [text[:3000] for text in found]

    def _run(self) -> None:
        while not self._ended.wait(_INTERVAL):
            with suppress(StackError, OSError, ValueError):
                status = Path(f"/proc/{self._worker.pid}/status").read_text()
                [line] = [line for line in status.splitlines() if line.startswith("VmRSS:")]
                self.peak_megabytes = max(self.peak_megabytes, int(line.split()[1]) // 1000)
