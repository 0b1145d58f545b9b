"""One job at a time: a file beside the sink's tables names the job that writes them.

``lease.json`` names the owner and is written once; a file beside it holds a counter that only the
owner writes, again and again. Another job may take the lease when the counter has stood still for
six beats. The owner stops before that: when its counter could not be written for four beats, as
the storage fails or hangs or the process was frozen, `Lease` ends the job.
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
"""How many beats of an owner another job waits for before it takes the lease."""
_VALID_BEATS: Final = 4
"""For how many beats a lease holds that cannot be renewed."""
_LOOKS: Final = 40
_LOOK_SECONDS: Final = 0.05
"""How often, and how long after each other, a file is read that may be half written."""
_TAKEN: Final = "Another job has taken over these tables: this one has been too slow."
_END_SECONDS: Final = 5.0
"""How long the end of a job waits for a call of the storage."""


class Lease:
    """Held as a context; ``stop`` ends everything that writes when the lease is lost.

    ``fence`` is called with the name of this owner where the one before may still be alive, so that
    what it has begun to write fails.

    No clocks are compared: a job that wants the lease watches whether the counter moves. It does
    not wait for an owner on the same machine that has ended, and never takes the lease of one that
    is alive there.
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
        may_live = present is not None and self._wait_until_free(present)
        if present is not None:
            self._remove(present)
        self._write()
        self._keeper.start()
        self._watcher.start()
        if may_live:
            try:
                self._fence(self._me["owner"])
            except BaseException as error:
                self.__exit__(type(error), error, None)
                raise
        return self

    def _write(self) -> None:
        """Name this job as the owner.

        :raises LeaseError: another job was first, or may be by now: the storage was too slow.
        """
        # The file may be there long before the call returns: others wait from then on.
        self._renewed = time.monotonic()
        try:
            self._files.write(self._path, json.dumps(self._me), over=False)
        except FileExistsError as error:
            raise LeaseError("Another job has just taken these tables.") from error
        seconds = time.monotonic() - self._renewed
        if seconds > _VALID_BEATS * self._beat:
            self._give_back()
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
            self._give_back()

    def _give_back(self) -> None:
        try:
            if self._look():
                self._files.remove(self._path)
                self._files.remove(self._counter(self._me["owner"]))
        except SparkError as fault:
            log.warning("the lease cannot be given back, and expires: %s", cause(fault))

    def check(self) -> None:
        """Check that the lease is still held.

        :raises LeaseError: it is not.
        """
        if not self._lost:
            try:
                self._look()
            except SparkError as error:
                log.warning("the lease cannot be read: %s", cause(error))
        if self._lost:
            raise LeaseError(self._lost)

    def _wait_until_free(self, present: str) -> bool:
        """Return whether the owner may be alive, on another machine.

        :raises LeaseError: it is.
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
            moves = self._files.read(counter) not in {before, None}
            if moves or self._files.read(self._path) not in {present, None}:
                raise self._refusal(owner)
        return True

    def _refusal(self, owner: dict[str, Any]) -> LeaseError:
        return LeaseError(
            f"The job on {owner['host']}, process {owner['pid']}, writes these tables.",
            "Stop it first, or give this one another state.schema and tables of its own.",
        )

    def _remove(self, present: str) -> None:
        """Remove the file of an owner that has ended.

        :raises LeaseError: another job has taken the lease meanwhile.
        """
        aside = f"{self._path}.{self._me['owner']}"
        if self._files.move(self._path, aside) and self._files.read(aside) != present:
            self._files.move(aside, self._path)
            raise LeaseError("Another job has just taken these tables.")
        self._files.remove(aside)
        if present.endswith("}"):
            self._files.remove(self._counter(json.loads(present)["owner"]))

    def _keep(self) -> None:
        """Write the counter; a storage that fails is tried again until the lease has expired."""
        while not self._ended.wait(self._beat) and not self._lost:
            begun = time.monotonic()
            try:
                if self._look():
                    self._count += 1
                    counter = self._counter(self._me["owner"])
                    self._files.write(counter, str(self._count), over=True)
                    # As of the look at the owner: the process may have been frozen since then.
                    self._renewed = begun
            except SparkError as error:
                log.warning("the lease cannot be renewed: %s", cause(error))

    def _watch(self) -> None:
        """End the job when its lease expires; the keeper may hang in a call of the storage."""
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

    def _look(self) -> bool:
        """Return whether the file names this owner; the lease is lost if it names another one.

        Without a file it still holds until it expires: the storage may be back by then.
        """
        owner = self._owner()
        if owner is None:
            log.warning("the lease cannot be renewed: %s is gone", self._path)
        elif owner["owner"] != self._me["owner"]:
            self._lose(_TAKEN)
        return owner is not None and not self._lost

    def _owner(self) -> dict[str, Any] | None:
        """Return what the file says; it is empty for a moment while its owner writes it."""
        for _ in range(_LOOKS):
            text = self._files.read(self._path)
            if text is None:
                return None
            if text.endswith("}"):
                found: dict[str, Any] = json.loads(text)
                return found
            time.sleep(_LOOK_SECONDS)
        return {"owner": "nobody", "host": "", "pid": 0}  # its owner died while it wrote it

    def _counter(self, owner: str) -> str:
        return f"{self._path}.{owner}.count"


def _process(pid: int) -> dict[str, Any]:
    """Return what names a process; on other machines, after a boot, in another container."""
    return {
        "host": socket.gethostname(),
        "machine": _machine(),
        "pid": pid,
        "began": _start_time(pid),
    }


def _machine() -> str:
    """Return what names this machine since its boot, and its numbers of processes."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
        return f"{socket.gethostname()} {boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:  # not Linux
        return socket.gethostname()


def _start_time(pid: int) -> str:
    """Return when a process began: another one may have its number later."""
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
        pass  # it is another user's
    return bool(_start_time(owner["pid"]) == owner["began"])
