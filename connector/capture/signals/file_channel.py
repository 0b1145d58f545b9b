"""Signals from a file: a JSON object in each line. The file is emptied when it is read."""

from __future__ import annotations

import logging
from pathlib import Path

from connector.capture.signals.signal import Signal, parse_document

log = logging.getLogger(__name__)


class FileChannel:
    """The channel ``file``."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> list[Signal]:
        """Return the signals of the file, and empty it."""
        try:
            lines = self._path.read_text("utf-8").splitlines()
            if lines:
                self._path.write_text("", "utf-8")
        except FileNotFoundError:
            return []
        except (OSError, UnicodeDecodeError) as error:
            log.warning("The signals in %s cannot be read: %s", self._path, error)
            return []
        found = (parse_document(line) for line in lines if line.strip())
        return [signal for signal in found if signal is not None]

    def seek(self, offset: int | None) -> None:
        """Do nothing: a file has no offsets."""

    def close(self, offset: int | None) -> None:
        """Do nothing: nothing is open."""
