"""Signals from a file: a JSON object a line. It is removed when what they led to is stored."""

from __future__ import annotations

import logging
from pathlib import Path

from connector.capture.signals.signal import Signal, parse_document

log = logging.getLogger(__name__)


class FileChannel:
    """The channel ``file``.

    The file is renamed before it is read, so that no line is lost that is written meanwhile. A
    writer may have opened it before: the renamed file is removed when a further look at it finds
    no line, and all of its signals are acknowledged. A kill before leaves it: they are read again.
    """

    def __init__(self, path: Path) -> None:
        self.fault = ""
        self._path = path
        self._taken = path.with_name(path.name + ".taken")
        self._done: int | None = None  # bytes of the renamed file that are read
        self._is_acknowledged = False

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
        found = b"" if self._done is None else self._read_on(self._done)
        if self._done is None and (self._taken.exists() or self._take()):
            data = self._taken.read_bytes()
            self._done = data.rfind(b"\n") + 1
            found += data[: self._done]
        self._is_acknowledged = not found and self._is_acknowledged
        return found.decode("utf-8", "replace").splitlines()

    def _read_on(self, done: int) -> bytes:
        """Read what was written to the renamed file since, also without an end of the line."""
        found = self._taken.read_bytes()[done:]
        if found:
            self._done = done + len(found)
        elif self._is_acknowledged:
            self._remove()
        return found

    def _remove(self) -> None:
        self._taken.unlink()
        self._done = None

    def _take(self) -> bool:
        try:
            self._path.rename(self._taken)
        except FileNotFoundError:
            return False
        return True

    def seek(self, offset: int | None) -> None:
        """Do nothing: a file has no offsets."""

    def acknowledge(self) -> None:
        """Note that what was read need not be read again: the file may be removed."""
        self._is_acknowledged = True

    def close(self, offset: int | None) -> None:  # noqa: ARG002 - a protocol
        """Remove a file whose signals are all acknowledged."""
        try:
            is_read = self._done is not None and self._taken.stat().st_size == self._done
            if is_read and self._is_acknowledged:
                self._remove()
        except OSError as error:
            log.warning("The signals in %s will be read again: %s", self._taken, error)
