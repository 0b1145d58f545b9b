"""One job at a time: a file beside the sink's tables names who writes them."""

from __future__ import annotations

import json
import logging
import os
import socket
import threading
import time
import uuid
from typing import Any, Final, Self

from sparksink.errors import LeaseError
from sparksink.files import Files

log = logging.getLogger(__name__)

_BEAT_SECONDS: Final = 10.0
_BEATS: Final = 6
"""How many beats an owner may miss before the lease is free."""
_LOOKS: Final = 40
_LOOK_SECONDS: Final = 0.05
"""How often, and how long after each other, a file is read that may be half written."""


class Lease:
    """Held as a context. The owner writes a counter again and again while it lives.

    No clocks are compared: who wants the lease waits whether the counter moves. An owner on
    the same machine whose process is gone is not waited for.
    """

    def __init__(self, files: Files, path: str, beat: float = _BEAT_SECONDS) -> None:
        self._files = files
        self._path = path
        self._beat = beat
        self._count = 0
        self._me = {"owner": uuid.uuid4().hex, "host": socket.gethostname(), "pid": os.getpid()}
        self._ended = threading.Event()
        self._lost = False
        self._thread = threading.Thread(target=self._keep, name="lease", daemon=True)

    def __enter__(self) -> Self:
        """Take the lease.

        :raises LeaseError: another job has it.
        """
        present = self._files.read(self._path)
        if present is not None:
            self._wait_until_free(present)
            self._files.move(self._path, f"{self._path}.{self._me['owner']}")
            self._files.remove(f"{self._path}.{self._me['owner']}")
        try:
            self._files.write(self._path, self._text(), over=False)
        except FileExistsError as error:
            raise LeaseError("Another job has just taken these tables.") from error
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        if self._mine():
            self._files.remove(self._path)

    def check(self) -> None:
        """Make sure that the lease is still held.

        :raises LeaseError: it is not.
        """
        if self._lost or not self._mine():
            raise LeaseError("Another job has taken over these tables: this one has been too slow.")

    def _wait_until_free(self, present: str) -> None:
        owner = self._noted()
        if owner is None:
            return
        if owner["host"] == self._me["host"] and not _lives(owner["pid"]):
            return
        log.info("waiting for the lease of %s, process %s", owner["host"], owner["pid"])
        for _ in range(_BEATS):
            time.sleep(self._beat)
            if self._files.read(self._path) not in {present, None}:
                raise LeaseError(
                    f"The job on {owner['host']}, process {owner['pid']}, writes these tables.",
                    "Stop it first, or give this one another state.schema and tables of its own.",
                )

    def _keep(self) -> None:
        while not self._ended.wait(self._beat):
            if not self._mine():
                self._lost = True
                return
            self._count += 1
            self._files.write(self._path, self._text(), over=True)

    def _mine(self) -> bool:
        noted = self._noted()
        return noted is not None and noted["owner"] == self._me["owner"]

    def _noted(self) -> dict[str, Any] | None:
        """Return what the file says; it is empty for a moment while its owner writes it."""
        for _ in range(_LOOKS):
            text = self._files.read(self._path)
            if text is None:
                return None
            if text.endswith("}"):
                noted: dict[str, Any] = json.loads(text)
                return noted
            time.sleep(_LOOK_SECONDS)
        return {"owner": "nobody", "host": "", "pid": 0}  # who wrote it has died of it

    def _text(self) -> str:
        return json.dumps({**self._me, "count": self._count})


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # it is another user's
    return True
