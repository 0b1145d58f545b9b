"""One worker for each offsets file: a lock file beside it, with the holder's pid and host."""

from __future__ import annotations

import fcntl
import os
import socket
from pathlib import Path

from connector.errors import StopError


class FileLock:
    """A lock that ends with the process that holds it, however that ends."""

    def __init__(self, path: Path, purpose: str) -> None:
        self._path = path
        self._purpose = purpose
        self._descriptor: int | None = None

    def acquire(self) -> None:
        """Take the lock, unless it is held here already.

        :raises StopError: another process holds it, or the file cannot be written.
        """
        if self._descriptor is not None:
            return
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise StopError(
                f"{self._path} cannot be written: {error.strerror}.",
                "Let the worker's user write to it, or change offset.storage.file.filename.",
            ) from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.read(descriptor, 1000).decode(errors="replace").strip()
            os.close(descriptor)
            raise StopError(
                f"Another worker uses {self._purpose}: {holder or 'its process is unknown'}.",
                "Stop it first, or set offset.storage.file.filename to another file.",
            ) from None
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"process {os.getpid()} on host {socket.gethostname()}\n".encode())
        self._descriptor = descriptor

    def release(self) -> None:
        """Release the lock; the file stays, since another process may have opened it."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
