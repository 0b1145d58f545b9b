"""One worker for each config topic: a lease, which is an entry of the topic.

A second worker on the same topics would run every connector a second time. Kafka Connect shares
the connectors out among the workers of a group; here the second worker is refused.
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
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from connector.errors import MillraceError, StopError
from connector.worker.storage import Log, parse_json

_log = logging.getLogger(__name__)

KEY: Final = b"millrace-lease"
_BOOT: Final = Path("/proc/sys/kernel/random/boot_id")
_NAMESPACE: Final = Path("/proc/self/ns/pid")
_LAST_CHECK: Final = 0.5  # seconds to wait for the end of a check of the lease


@dataclass(frozen=True, slots=True)
class LeaseTimes:
    """The times of a lease, in seconds.

    A new holder checks after ``check`` whether another took the lease at the same time. It renews
    the lease every ``renew``, each time by a record of the topic; a holder that has not done so
    for ``expire`` counts as dead. A worker that waits for that reads the topic every ``poll``.
    """

    check: float = 2.0
    renew: float = 10.0
    expire: float = 25.0
    poll: float = 0.5


class Lease:
    """The lease of one worker, renewed by a thread of its own.

    ``lost`` is called when another worker has taken it.
    """

    def __init__(
        self,
        log: Log,
        topic: str,
        lost: Callable[[str], None],
        times: LeaseTimes = LeaseTimes(),
    ) -> None:
        self._times = times
        self._log = log
        self._topic = topic
        self._lost = lost
        self._token = uuid.uuid4().hex
        self._count = 0
        self._ours = True
        self._released = threading.Event()
        self._thread: threading.Thread | None = None

    def acquire(self) -> None:
        """Take the lease and keep it until `release`.

        :raises StopError: another worker holds it.
        :raises TransientError: Kafka does not answer.
        """
        if self._thread is not None:
            return
        found = self._read()
        if found is not None and not _is_dead(found):
            self._wait_for_expiry(found)
        self._log.write([self._entry()])
        self._thread = threading.Thread(target=self._keep, name="lease", daemon=True)
        self._thread.start()

    def release(self) -> None:
        """Remove the lease, so that another worker need not wait.

        A check that waits for an answer of Kafka would hold up the end of the worker.
        """
        if self._thread is None:
            return
        self._released.set()
        self._thread.join(_LAST_CHECK)
        if self._ours and not self._thread.is_alive():
            self._log.post((KEY, None))

    def _wait_for_expiry(self, found: dict[str, Any]) -> None:
        """Wait whether the holder renews the lease: its clock may differ from ours."""
        deadline = time.monotonic() + self._times.expire
        _log.info("Waiting for the end of another worker's lease: %s", _describe(found))
        while time.monotonic() < deadline:
            time.sleep(self._times.poll)
            now = self._read()
            if now is None:
                return
            if now != found:
                raise self._refusal(now)

    def _refusal(self, holder: dict[str, Any]) -> StopError:
        return StopError(
            f"Another worker runs on the topic {self._topic}: {_describe(holder)}.",
            "Stop it first, or give this worker a group.id and storage topics of its own.",
        )

    def _keep(self) -> None:
        times = self._times
        renewed, pause, checked = time.monotonic(), times.check, False
        while not self._released.wait(pause):
            late = time.monotonic() - renewed > times.expire
            if (late or not checked) and not self._is_ours():
                return
            self._log.post(self._entry())
            renewed, pause, checked = time.monotonic(), times.renew, True

    def _is_ours(self) -> bool:
        """Return whether this worker holds the lease: another may have taken it meanwhile."""
        try:
            found = self._read()
        except MillraceError as error:
            _log.warning("The lease on %s could not be checked: %s", self._topic, error)
            return True
        if found is None or found["token"] == self._token:
            return True
        self._ours = False
        self._lost(str(self._refusal(found)))
        return False

    def _read(self) -> dict[str, Any] | None:
        value = self._log.read().get(KEY)
        try:
            found = None if value is None else parse_json(value)
        except ValueError:
            return None
        return found if isinstance(found, dict) and {"token", "pid", "host"} <= set(found) else None

    def _entry(self) -> tuple[bytes, bytes]:
        self._count += 1
        holder = {
            "token": self._token,
            "pid": os.getpid(),
            "host": socket.gethostname(),
            "processes": _process_table(),
            "count": self._count,
        }
        return KEY, json.dumps(holder).encode()


def _is_dead(holder: dict[str, Any]) -> bool:
    """Whether the holder ran on this machine and does not any more."""
    table = _process_table()
    if table is None or holder.get("processes") != table or holder["pid"] == os.getpid():
        return False
    try:
        os.kill(int(holder["pid"]), 0)
    except ProcessLookupError:
        return True
    except (OSError, ValueError):
        return False
    return False


def _process_table() -> str | None:
    """Return the name of the table in which a pid of this process counts, None if unknown.

    Each boot of a machine and each PID namespace in it has one; host names may be the same.
    """
    try:
        return f"{_BOOT.read_text().strip()}/{_NAMESPACE.readlink()}"
    except OSError:
        return None


def _describe(holder: dict[str, Any]) -> str:
    return f"process {holder['pid']} on host {holder['host']}"
