"""A schema history in a file: a line for each record, as Debezium's FileSchemaHistory writes it."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from connector.capture.history.record import HistoryRecord, parse_record
from connector.capture.history.snapshot import HistoryMark
from connector.errors import DiskFullError, HistoryError, MillraceError
from connector.fence import Fence

_LOG: Final = logging.getLogger(__name__)


class FileHistory:
    """Appends to a file and forces each record onto the disk.

    A last line without an end is the rest of a write that a crash broke off: `append` had not
    returned, so no caller relies on it. Reading skips it, and writing truncates it first.
    """

    def __init__(self, path: Path, fence: Fence | None = None) -> None:
        self._path = path
        self._fence = fence or Fence()
        self._file: BinaryIO | None = None
        self._buffering = False
        self._last = (0, b"")

    def prepare(self) -> None:
        """Create the file and the folders above it, if they do not exist."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.touch()
        except OSError as error:
            raise self._failed("made", error) from error

    def exists(self) -> bool:
        """Return whether the file exists and has a record."""
        try:
            with self._path.open("rb") as file:
                return self._end_of_lines(file) > 0
        except FileNotFoundError:
            return False
        except OSError as error:
            raise self._failed("read", error) from error

    def records(self, after: HistoryMark | None = None) -> Iterator[HistoryRecord]:
        """Read the records of the file."""
        try:
            with self._path.open("rb") as file:
                start, skipped = (
                    (0, b"") if after is None else (after.offset, self._line(file, after))
                )
                self._last = (start, skipped)
                start += len(skipped)
                for number, line in enumerate(file, 1):
                    if line.endswith(b"\n") and line.strip():
                        where = f"Line {number}" if after is None else f"The line at byte {start}"
                        yield self._parse(line, where)
                        self._last = (start, line)
                    elif line.strip():
                        _LOG.warning(
                            "The schema history %s ends within a record, which is skipped: the "
                            "file was cut off, or a write was interrupted.",
                            self._path,
                        )
                    start += len(line)
        except OSError as error:
            raise self._failed("read", error) from error

    def last(self) -> HistoryMark | None:
        """Return the mark of the last record that was read."""
        offset, line = self._last
        return HistoryMark.of(offset, line) if line else None

    def holds(self, mark: HistoryMark) -> bool:
        """Return whether the record of a mark is where it was."""
        try:
            with self._path.open("rb") as file:
                return HistoryMark.of(mark.offset, self._line(file, mark)) == mark
        except OSError as error:
            raise self._failed("read", error) from error

    @staticmethod
    def _line(file: BinaryIO, mark: HistoryMark) -> bytes:
        file.seek(mark.offset)
        return file.readline()

    def _parse(self, line: bytes, where: str) -> HistoryRecord:
        try:
            return parse_record(line)
        except HistoryError as error:
            raise HistoryError(f"{where} of {self._path}: {error}") from error

    def append(self, record: HistoryRecord) -> None:
        """Write a record and wait for the disk.

        :raises DiskFullError: there is no space for it now.
        :raises HistoryError: the file cannot be written.
        """
        try:
            with self._fence:
                file = self._file or self._open()
                line = memoryview(record.line().encode("utf-8", "surrogatepass") + b"\n")
                while line:
                    line = line[file.write(line) :]
                if not self._buffering:
                    self._sync(file)
        except OSError as error:
            self.close()  # the next record begins by removing what was written of this one
            raise self._failed("written", error) from error

    def _open(self) -> BinaryIO:
        self._file = file = self._path.open("r+b", buffering=0)
        end = self._end_of_lines(file)
        file.seek(end)
        file.truncate()
        return file

    @staticmethod
    def _end_of_lines(file: BinaryIO) -> int:
        """Return where the last whole line ends."""
        end = file.seek(0, os.SEEK_END)
        while end > 0:
            start = max(0, end - 65536)
            file.seek(start)
            newline = file.read(end - start).rfind(b"\n")
            if newline >= 0:
                return start + newline + 1
            end = start
        return 0

    @staticmethod
    def _sync(file: BinaryIO) -> None:
        os.fsync(file.fileno())

    @contextmanager
    def buffering(self) -> Iterator[None]:
        """Wait for the disk once, at the end."""
        self._buffering = True
        try:
            yield
        finally:
            self._buffering = False
            if self._file is not None:
                self._flush(self._file)

    def _flush(self, file: BinaryIO) -> None:
        try:
            self._sync(file)
        except OSError as error:
            raise self._failed("written", error) from error

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _failed(self, verb: str, error: OSError) -> MillraceError:
        if DiskFullError.is_cause(error):
            return DiskFullError(
                f"the schema history file {self._path} could not be {verb}: {error.strerror}"
            )
        return HistoryError(
            f"The schema history file {self._path} could not be {verb}: {error.strerror}.",
            "Check schema.history.internal.file.filename, the folder's permissions and its space.",
        )
