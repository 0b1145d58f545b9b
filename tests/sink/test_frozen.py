"""A job that was frozen, as a machine may be, never writes beside the one that took its place."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.sink.histories import ANY_ORDER
from tests.fixtures.sink.recorded import MakeSink
from tests.fixtures.worker import wait_for
from tests.sink.test_process import assert_converged, recorded_history, start


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(int(os.environ.get("FREEZES", "1"))))
def test_a_frozen_job_ends_when_another_one_has_its_lease(
    sink: MakeSink, tmp_path: Path, seed: int
) -> None:
    given: dict[str, Any] = ANY_ORDER | {"history": {"enabled": True}}
    source, parts, config = recorded_history(tmp_path, seed, steps=200, files=8, **given)
    chance = random.Random(seed)
    begun = Path(config["checkpoint"]) / "offsets" / str(1 + chance.randrange(3))
    lease = tmp_path / "lake" / "_cdc" / "lease.json"
    job = start(tmp_path)
    try:
        wait_for(begun.exists, 300, f"batch {begun.name}")
        time.sleep(chance.random() * 3)
        os.killpg(job.pid, signal.SIGSTOP)
        assert start(tmp_path, "--once").wait(300) == 5  # it is alive, on this machine
        owner = json.loads(lease.read_text())
        lease.write_text(json.dumps({**owner, "machine": "another"}))
        lease.with_name(".lease.json.crc").unlink()
        assert start(tmp_path, "--once").wait(600) == 0
        os.killpg(job.pid, signal.SIGCONT)
        assert job.wait(120) == 5
    finally:
        if job.poll() is None:
            os.killpg(job.pid, signal.SIGKILL)
            job.wait(60)
    output = (tmp_path / "log").read_text(errors="replace")
    assert "could not be renewed" in output or "has taken the lease" in output
    assert_converged(sink(**given), source, parts)
