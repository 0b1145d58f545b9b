"""The lease on the config topic, apart from Kafka."""

from __future__ import annotations

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


def test_a_released_lease_is_removed() -> None:
    log = MemoryLog()
    lease = Lease(log, "config", print)
    lease.acquire()
    assert KEY in log.read()
    lease.release()
    assert KEY not in log.read()
