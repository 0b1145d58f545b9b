"""Commands of maintenance are killed at any moment: running them again ends right."""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.worker import ROOT, wait_for
from tests.sink.recorded import MakeSink
from tests.sink.test_process import SPARK, assert_converged, recorded_history


def start(tmp_path: Path, *words: str) -> subprocess.Popen[bytes]:
    """Start a command in a process group of its own, its JVM in it."""
    options = [word for pair in SPARK for word in ("--spark", pair)]
    command = [sys.executable, "-m", "sparksink", *words, "--config", str(tmp_path / "sink.yaml")]
    with (tmp_path / "log").open("ab") as log:
        return subprocess.Popen([*command, *options], cwd=ROOT, stderr=log, stdout=log,
                                start_new_session=True)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("words", [["compact"], ["backfill"]], ids=lambda w: w[0])
def test_a_killed_command_is_run_again(sink: MakeSink, tmp_path: Path, words: list[str]) -> None:
    from sparksink.commands.subcommands import run  # noqa: PLC0415

    given: dict[str, Any] = {"history": {"enabled": True}}
    source, parts, _ = recorded_history(tmp_path, 3, steps=40, files=2, **given)
    run(sink(**given), argparse.Namespace(once=True))
    lease = tmp_path / "lake" / "_cdc" / "lease.json"
    chance = random.Random(words[0])
    command = start(tmp_path, *words)
    wait_for(lease.exists, 300, "the command's lease")
    time.sleep(chance.random() * 5)
    os.killpg(command.pid, signal.SIGKILL)
    command.wait(60)
    assert start(tmp_path, *words).wait(300) == 0, (tmp_path / "log").read_text()[-2000:]
    assert not lease.exists()
    assert_converged(sink(**given), source, parts)
