"""The lease on the config topic, apart from Kafka."""

from __future__ import annotations

import json
import subprocess
import threading
import time

import pytest

from connector.worker.storage.lease import KEY, Lease, LeaseTimes
from connector.worker.storage.memory import MemoryLog


class SlowLog(MemoryLog):
    """A log that does not answer once it is ``slow``."""

    def __init__(self) -> None:
        super().__init__()
        self.slow = threading.Event()
        self.asked = threading.Event()
        self.answers = threading.Event()

    def read(self) -> dict[bytes, bytes]:
        if self.slow.is_set():
            self.asked.set()
            self.answers.wait(30)
        return super().read()


@pytest.mark.timeout(20)
def test_a_check_without_an_answer_does_not_hold_up_the_end() -> None:
    log = SlowLog()
    lease = Lease(log, "config", print, LeaseTimes(check=0.01))
    lease.acquire()
    log.slow.set()
    assert log.asked.wait(10)
    began = time.monotonic()
    lease.release()
    assert time.monotonic() - began < 5
    log.answers.set()


@pytest.mark.parametrize(("changed", "waits"), [({}, False), ({"processes": "another's"}, True)])
def test_only_a_process_of_this_machine_is_known_to_be_dead(
    changed: dict[str, str], waits: bool
) -> None:
    """Machines and containers may have the same host name, and other processes."""
    log = MemoryLog()
    ended = subprocess.Popen(["true"])
    ended.wait()
    crashed = Lease(log, "config", print)
    crashed.acquire()
    holder = json.loads(log.read()[KEY])
    log.write([(KEY, json.dumps(holder | {"pid": ended.pid, **changed}).encode())])
    lease = Lease(log, "config", print, LeaseTimes(expire=0.5, poll=0.1))
    began = time.monotonic()
    lease.acquire()
    assert (time.monotonic() - began >= 0.5) == waits
    lease.release()
    crashed.release()


def test_a_released_lease_is_removed() -> None:
    log = MemoryLog()
    lease = Lease(log, "config", print)
    lease.acquire()
    assert KEY in log.read()
    lease.release()
    assert KEY not in log.read()
