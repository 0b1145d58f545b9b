"""Two workers on one state: the second is refused with a reason, the first continues."""

from __future__ import annotations

import json
import os
import socket
import uuid
from pathlib import Path

import pytest

from connector.errors import StopError
from connector.worker.storage.lease import KEY, Lease, LeaseTimes
from connector.worker.storage.lock import FileLock
from connector.worker.storage.memory import MemoryLog
from tests.fixtures.worker import WorkerProcess, wait_for
from tools.stack import KafkaBroker

EXIT_START = 1


def refused(second: WorkerProcess, first: WorkerProcess, what: str) -> None:
    assert second.start(wait=False).wait(60) == EXIT_START
    log = second.log.read_text()
    assert f"The worker cannot start: Another worker {what}" in log
    assert f"process {first.pid} on host {socket.gethostname()}" in log
    assert "Traceback" not in log
    assert first.http.get("/health").status_code == 200


def test_one_offsets_file(tmp_path: Path, broker: KafkaBroker) -> None:
    offsets = {"offset.storage.file.filename": str(tmp_path / "offsets")}
    with WorkerProcess(tmp_path, broker.address, offsets) as first:
        second = WorkerProcess(tmp_path, broker.address, offsets)
        refused(second, first, "uses the file")
        first.kill()
        with second:
            assert second.http.get("/health").status_code == 200


def topics_of(group: str) -> dict[str, str]:
    return {
        "group.id": group,
        **{
            f"{store}.storage.topic": f"{group}-{store}" for store in ("config", "offset", "status")
        },
        **{f"{store}.storage.replication.factor": "1" for store in ("config", "offset", "status")},
    }


@pytest.mark.slow
def test_one_config_topic(tmp_path: Path, broker: KafkaBroker) -> None:
    properties = topics_of(f"two{uuid.uuid4().hex[:8]}")
    with WorkerProcess(tmp_path, broker.address, properties) as first:
        second = WorkerProcess(tmp_path, broker.address, properties)
        refused(second, first, "runs on the topic")
        first.kill()
        with second:  # at once: the holder ran on this host
            assert second.http.get("/health").status_code == 200


def test_a_lock_names_its_holder(tmp_path: Path) -> None:
    held, other = (FileLock(tmp_path / "lock", "the offsets") for _ in range(2))
    held.acquire()
    held.acquire()
    with pytest.raises(StopError, match=f"process {os.getpid()} on host"):
        other.acquire()
    held.release()
    other.acquire()
    other.release()


QUICK = LeaseTimes(check=0.05, renew=0.1, expire=0.6, poll=0.05)


def test_a_lease_is_renewed_and_released() -> None:
    log = MemoryLog()
    first, second = (Lease(log, "configs", print, QUICK) for _ in range(2))
    first.acquire()
    with pytest.raises(StopError, match="Another worker runs on the topic configs: process"):
        second.acquire()
    first.release()
    assert KEY not in log.entries
    second.acquire()
    second.release()


def test_the_lease_of_a_dead_worker_expires() -> None:
    holder = {"token": "x", "pid": 1, "host": "elsewhere", "count": 7}
    log = MemoryLog({KEY: json.dumps(holder).encode()})
    lease = Lease(log, "configs", print, QUICK)
    lease.acquire()
    assert json.loads(log.entries[KEY])["pid"] == os.getpid()
    lease.release()


def test_a_worker_that_lost_the_lease_is_notified_and_does_not_renew_it() -> None:
    log, lost = MemoryLog(), list[str]()
    lease = Lease(log, "configs", lost.append, QUICK)
    lease.acquire()
    holder = {"token": "y", "pid": 5, "host": "elsewhere", "count": 1}
    log.post((KEY, json.dumps(holder).encode()))
    wait_for(lambda: lost, 5)
    lease.release()
    assert "process 5 on host elsewhere" in lost[0]
    assert json.loads(log.entries[KEY]) == holder
