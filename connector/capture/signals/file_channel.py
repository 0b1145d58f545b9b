"""Signals from a file: a JSON object in each line. The file is removed when it is read."""

from __future__ import annotations

import logging
from pathlib import Path

from connector.capture.signals.signal import Signal, parse_document

log = logging.getLogger(__name__)


class FileChannel:
    """The channel ``file``.

    The file is renamed before it is read, so that no line is lost that is written meanwhile. A
    writer may have opened it before, so the next read takes what came behind, then removes the
    renamed file. A kill in between leaves it: its signals are read again.
    """

    def __init__(self, path: Path) -> None:
        self.fault = ""
        self._path = path
        self._taken = path.with_name(path.name + ".taken")
        self._done: int | None = None  # bytes of the renamed file that are read
        self._rest = b""

    def read(self) -> list[Signal]:
        """Return the signals of the file."""
        try:
            lines = self._lines()
        except OSError as error:
            fault = f"The signals in {self._path} cannot be read: {error}"
            if fault != self.fault:
                log.warning("%s", fault)
            self.fault = fault
            return []
        self.fault = ""
        found = (parse_document(line) for line in lines if line.strip())
        return [signal for signal in found if signal is not None]

    def _lines(self) -> list[str]:
        if self._done is not None:
            self._read_rest(self._done)
        if self._taken.exists() or self._take():
            data = self._taken.read_bytes()
            self._done = data.rfind(b"\n") + 1
            self._rest += data[: self._done]
        found, self._rest = self._rest, b""
        return found.decode("utf-8", "replace").splitlines()

    def _read_rest(self, done: int) -> None:
        """Read what was written to the renamed file since; remove it."""
        data = self._taken.read_bytes()
        self._taken.unlink()
        self._done = None
        self._rest += data[done:]

    def _take(self) -> bool:
        try:
            self._path.rename(self._taken)
        except FileNotFoundError:
            return False
        return True

    def seek(self, offset: int | None) -> None:
        """Do nothing: a file has no offsets."""

    def close(self, offset: int | None) -> None:  # noqa: ARG002 - a protocol
        """Remove a file that is read completely."""
        try:
            if self._done is not None and self._taken.stat().st_size == self._done:
                self._taken.unlink()
        except OSError as error:
            log.warning("The signals in %s will be read again: %s", self._taken, error)
