"""A log in one file, rewritten as a whole and replaced at once: a crash leaves old or new."""

from __future__ import annotations

import json
import logging
import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from connector.errors import StopError, TransientError
from connector.worker.storage import LogEntry, parse_json

_log = logging.getLogger(__name__)


class Format(Protocol):
    """How a map is written in a file."""

    def encode(self, entries: Mapping[bytes, bytes]) -> bytes:
        """Return the content of the file."""

    def decode(self, content: bytes) -> dict[bytes, bytes]:
        """Read the content of the file.

        :raises ValueError: it is not in this format.
        """


class JsonFormat:
    """One JSON object; keys and values are the texts and JSON values of Connect's topics."""

    def encode(self, entries: Mapping[bytes, bytes]) -> bytes:
        """Return an indented JSON object."""
        document = {key.decode(): json.loads(value) for key, value in entries.items()}
        return json.dumps(document, indent=1, ensure_ascii=False).encode() + b"\n"

    def decode(self, content: bytes) -> dict[bytes, bytes]:
        """Read such an object."""
        document = parse_json(content)
        if not isinstance(document, dict):
            raise ValueError("not a JSON object")  # noqa: TRY004 — a fault of the file, not ours
        return {key.encode(): _compact(value) for key, value in document.items()}


def _compact(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


class FileLog:
    """A log in a file that only its owner may read: configurations can hold passwords."""

    def __init__(self, path: Path, form: Format) -> None:
        self._path = path
        self._form = form
        self._entries: dict[bytes, bytes] = {}
        self._lock = threading.Lock()

    def read(self) -> dict[bytes, bytes]:
        """Return all entries; none when the file does not exist or is empty."""
        try:
            content = self._path.read_bytes()
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise StopError(
                f"{self._path} cannot be read: {error.strerror}.",
                "Let the worker's user read it, or change offset.storage.file.filename.",
            ) from None
        try:
            self._entries = self._form.decode(content) if content else {}
        except ValueError as error:
            raise StopError(
                f"{self._path} is damaged: {error}.",
                "Restore it from a backup, or remove it to begin without its content.",
            ) from None
        return dict(self._entries)

    def write(self, entries: Sequence[LogEntry]) -> None:
        """Store the entries by writing a new file in the place of the old one."""
        with self._lock:
            changed = dict(self._entries)
            for key, value in entries:
                changed.pop(key, None)
                if value is not None:
                    changed[key] = value
            try:
                self._replace(self._form.encode(changed))
            except OSError as error:
                raise TransientError(f"{self._path} cannot be written: {error.strerror}.") from None
            self._entries = changed

    def post(self, entry: LogEntry) -> None:
        """Store one entry at once; a failure is logged."""
        try:
            self.write([entry])
        except TransientError as error:
            _log.warning("A status was not stored: %s", error)

    def _replace(self, content: bytes) -> None:
        fresh = self._path.with_name(self._path.name + ".new")
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self._path)
        directory = os.open(self._path.parent, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)
