"""The lease: only one job at a time writes the sink's tables.

``lease.json`` names the owner and is written once; a file beside it has a counter that the owner
increments as a heartbeat. Another job may take the lease when the counter has not changed for six
beats. The owner stops before that: when it could not write its counter for four beats, because the
storage fails or hangs or the process was frozen, `Lease` ends the job.
"""

from __future__ import annotations

import json
import logging
import os
import socket
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from sparksink.errors import LeaseError
from sparksink.files import Files
from sparksink.spark_errors import SparkError, cause

log = logging.getLogger(__name__)

_BEAT_SECONDS: Final = 10.0
_BEATS: Final = 6
"""How many beats another job waits before it takes the lease."""
_VALID_BEATS: Final = 4
"""For how many beats a lease is valid without renewal."""
_READ_ATTEMPTS: Final = 40
_READ_INTERVAL_SECONDS: Final = 0.05
"""How often, and at which interval, a partially written file is read."""
_TAKEN: Final = "Another job has taken the lease of these tables: this one was too slow."
_END_SECONDS: Final = 5.0
"""How long the end of a job waits for the storage."""


class Lease:
    """Held as a context; ``stop`` ends everything that writes when the lease is lost.

    ``fence`` is called with the id of this owner if the former owner may still be alive, so that
    its unfinished writes fail. A file marks that until it has returned: if this process ends
    before, the next one does it.

    No clocks are compared: a job that waits for the lease watches whether the counter changes. It
    does not wait for an owner on the same machine that has ended, and never takes the lease of one
    that is alive there.
    """

    def __init__(
        self,
        files: Files,
        path: str,
        beat: float = _BEAT_SECONDS,
        stop: Callable[[], None] = lambda: None,
        fence: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._files = files
        self._path = path
        self._unfenced = f"{path}.unfenced"
        self._beat = beat
        self._stop = stop
        self._fence = fence
        self._count = 0
        self._me = {"owner": uuid.uuid4().hex, **_process(os.getpid())}
        self._ended = threading.Event()
        self._lost = ""
        self._renewed = time.monotonic()
        self._keeper = threading.Thread(target=self._keep, name="lease", daemon=True)
        self._watcher = threading.Thread(target=self._watch, name="lease watcher", daemon=True)

    def __enter__(self) -> Self:
        """Take the lease.

        :raises LeaseError: another job has it.
        """
        present = self._files.read(self._path)
        if present is not None and self._wait_until_free(present):
            self._files.write(self._unfenced, self._me["owner"], over=True)
        if present is not None:
            self._remove(present)
        self._write()
        self._keeper.start()
        self._watcher.start()
        try:
            if self._files.exists(self._unfenced):
                self._fence(self._me["owner"])
                self._files.remove(self._unfenced)
        except BaseException as error:
            self.__exit__(type(error), error, None)
            raise
        return self

    def _write(self) -> None:
        """Write this job as the owner.

        :raises LeaseError: another job was first, or the storage was too slow.
        """
        # The file may exist long before the call returns: others wait from then on.
        self._renewed = time.monotonic()
        try:
            self._files.write(self._path, json.dumps(self._me), over=False)
        except FileExistsError as error:
            raise LeaseError("Another job has just taken the lease of these tables.") from error
        seconds = time.monotonic() - self._renewed
        if seconds > _VALID_BEATS * self._beat:
            self._release()
            raise LeaseError(
                f"The storage took {seconds:.0f} s to write the lease of these tables.",
                "Start the job again.",
            )

    def __exit__(
        self, _: type[BaseException] | None, error: BaseException | None, __: TracebackType | None
    ) -> None:
        self._ended.set()
        self._watcher.join(_END_SECONDS)
        self._keeper.join(_END_SECONDS)
        if self._lost:
            raise LeaseError(self._lost) from error
        if not self._keeper.is_alive():
            self._release()

    def _release(self) -> None:
        try:
            if self._check_owner():
                self._files.remove(self._path)
                self._files.remove(self._counter(self._me["owner"]))
        except SparkError as fault:
            log.warning("the lease cannot be released, and expires: %s", cause(fault))

    def check(self) -> None:
        """Check that the lease is still held.

        :raises LeaseError: it is not.
        """
        if not self._lost:
            try:
                self._check_owner()
            except SparkError as error:
                log.warning("the lease cannot be read: %s", cause(error))
        if self._lost:
            raise LeaseError(self._lost)

    def _wait_until_free(self, present: str) -> bool:
        """Wait until the lease expires; return whether its owner may be alive on another machine.

        :raises LeaseError: the owner is alive.
        """
        owner = self._owner()
        if owner is None:
            return False
        if owner.get("machine") == self._me["machine"]:
            if _is_alive(owner):
                raise self._refusal(owner)
            return False
        log.info("waiting for the lease of %s, process %s", owner["host"], owner["pid"])
        counter = self._counter(owner["owner"])
        before = self._files.read(counter)
        for _ in range(_BEATS):
            time.sleep(self._beat)
            has_changed = self._files.read(counter) not in {before, None}
            if has_changed or self._files.read(self._path) not in {present, None}:
                raise self._refusal(owner)
        return True

    def _refusal(self, owner: dict[str, Any]) -> LeaseError:
        return LeaseError(
            f"The job on {owner['host']}, process {owner['pid']}, writes these tables.",
            "Stop it first, or configure another state.schema and other tables for this job.",
        )

    def _remove(self, present: str) -> None:
        """Remove the file of an owner that has ended.

        :raises LeaseError: another job has taken the lease meanwhile.
        """
        aside = f"{self._path}.{self._me['owner']}"
        if self._files.move(self._path, aside) and self._files.read(aside) != present:
            self._files.move(aside, self._path)
            raise LeaseError("Another job has just taken the lease of these tables.")
        self._files.remove(aside)
        if present.endswith("}"):
            self._files.remove(self._counter(json.loads(present)["owner"]))

    def _keep(self) -> None:
        """Renew the lease; storage errors are retried until the lease has expired."""
        while not self._ended.wait(self._beat) and not self._lost:
            started = time.monotonic()
            try:
                if self._check_owner():
                    self._count += 1
                    counter = self._counter(self._me["owner"])
                    self._files.write(counter, str(self._count), over=True)
                    # As of reading the owner: the process may have been frozen since then.
                    self._renewed = started
            except SparkError as error:
                log.warning("the lease cannot be renewed: %s", cause(error))

    def _watch(self) -> None:
        """End the job when its lease expires; the renewing thread may hang in the storage."""
        while not self._ended.wait(min(1.0, self._beat)) and not self._lost:
            silent = time.monotonic() - self._renewed
            if silent > _VALID_BEATS * self._beat:
                self._lose(
                    f"The lease of these tables could not be renewed for {silent:.0f} s:"
                    " the storage did not answer, or the process was stopped."
                )

    def _lose(self, reason: str) -> None:
        self._lost = reason
        log.error("%s The job ends.", reason)
        self._stop()

    def _check_owner(self) -> bool:
        """Return whether the file names this owner; if it names another one, the lease is lost.

        Without a file the lease is valid until it expires, as the storage may recover.
        """
        owner = self._owner()
        if owner is None:
            log.warning("the lease cannot be renewed: %s is gone", self._path)
        elif owner["owner"] != self._me["owner"]:
            self._lose(_TAKEN)
        return owner is not None and not self._lost

    def _owner(self) -> dict[str, Any] | None:
        """Return the owner in the file, which may be partially written for a moment."""
        for _ in range(_READ_ATTEMPTS):
            text = self._files.read(self._path)
            if text is None:
                return None
            if text.endswith("}"):
                found: dict[str, Any] = json.loads(text)
                return found
            time.sleep(_READ_INTERVAL_SECONDS)
        return {"owner": "unknown", "host": "", "pid": 0}  # its owner died while writing it

    def _counter(self, owner: str) -> str:
        return f"{self._path}.{owner}.count"


def _process(pid: int) -> dict[str, Any]:
    """Return what identifies a process across machines, boots and containers."""
    return {
        "host": socket.gethostname(),
        "machine": _machine(),
        "pid": pid,
        "began": _start_time(pid),
    }


def _machine() -> str:
    """Return what identifies this machine, its boot and its namespace of process ids."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
        return f"{socket.gethostname()} {boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:  # not Linux
        return socket.gethostname()


def _start_time(pid: int) -> str:
    """Return when a process started: its id may be reused later."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[19]
    except OSError:
        return ""


def _is_alive(owner: dict[str, Any]) -> bool:
    try:
        os.kill(owner["pid"], 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # the process of another user
    return bool(_start_time(owner["pid"]) == owner["began"])
