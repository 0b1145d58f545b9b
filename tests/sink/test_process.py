"""The job as a process: killed at any moment, taken up again, and stopped as operators do."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.fixtures.worker import ROOT, wait_for
from tests.sink.conftest import settings
from tests.sink.histories import Source, delivered
from tests.sink.recorded import Topic, field, rows

COLUMNS = [field("id", "int32"), field("v", "string")]
SPARK = ("spark.master=local[2]", "spark.driver.memory=1g", "spark.ui.enabled=false",
         "spark.sql.codegen.wholeStage=false", "spark.sql.codegen.factoryMode=NO_CODEGEN",
         "spark.driver.extraJavaOptions=-XX:TieredStopAtLevel=1")  # fmt: skip


def start(tmp_path: Path, *arguments: str) -> subprocess.Popen[bytes]:
    """Start the job in a process group of its own, its JVM in it."""
    options = [word for pair in SPARK for word in ("--spark", pair)]
    command = [sys.executable, "-m", "sparksink", "run", "--config", str(tmp_path / "sink.yaml")]
    with (tmp_path / "log").open("ab") as log:
        return subprocess.Popen(
            [*command, *options, *arguments], cwd=ROOT, stderr=log, stdout=log,
            start_new_session=True,
        )  # fmt: skip


def applied(tmp_path: Path) -> int:
    log = tmp_path / "log"
    return log.read_text(errors="replace").count(" changes of ") if log.exists() else 0


@pytest.mark.slow
@pytest.mark.parametrize("table_format", ["delta", "iceberg"])
def test_a_job_that_is_killed_and_stopped_converges(
    sink: Callable[..., Any], tmp_path: Path, table_format: str
):
    given: dict[str, Any] = {"history": {"enabled": True}, "target": {"format": table_format}}
    config = settings(tmp_path, trigger={"interval": "1s"}, **given)
    (tmp_path / "sink.yaml").write_text(yaml.safe_dump(config))
    source = Source(Topic(columns=COLUMNS), 5)
    parts = delivered(source.live(300), 12, 5)
    for number, part in enumerate(parts):
        text = "".join(json.dumps(message) + "\n" for message in part)
        (tmp_path / "in" / f"{number:02}.json").write_text(text)
    chance = random.Random(5)
    for kill in range(3):
        before = applied(tmp_path)
        job = start(tmp_path)
        wait_for(lambda seen=before: applied(tmp_path) > seen, 300, "a batch")
        time.sleep(chance.random() * 5)
        if kill < 2:
            os.killpg(job.pid, signal.SIGKILL)
        else:
            job.send_signal(signal.SIGTERM)
        assert job.wait(120) == (-signal.SIGKILL if kill < 2 else 0)
    assert start(tmp_path, "--once").wait(600) == 0
    made = sink(**given)
    expected = sorted(((row["id"], row["v"]) for row in source.rows.values()), key=repr)
    assert rows(made, "shop__orders", "id", "v") == expected
    wanted = sorted(m["offset"] for part in parts for m in part if m["value64"])
    assert sorted(offset for (offset,) in rows(made, "shop__orders__history", "__offset")) == wanted


@pytest.mark.slow
def test_a_session_without_the_format_is_refused(tmp_path: Path):
    config = settings(tmp_path, target={"format": "iceberg"})
    (tmp_path / "sink.yaml").write_text(yaml.safe_dump(config))
    extension = "spark.sql.extensions=io.delta.sql.DeltaSparkSessionExtension"
    job = start(tmp_path, "--once", "--spark", extension)
    assert job.wait(120) == 1
    log = (tmp_path / "log").read_text(errors="replace")
    assert "The session was made without what iceberg needs. Start it with spark.sql" in log
