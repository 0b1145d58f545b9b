"""The job as a process: killed at any moment, taken up again, and stopped as operators do."""

from __future__ import annotations

import argparse
import json
import logging
import os
import random
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped] # it has no types of its own

from tests.fixtures.sink.histories import ANY_ORDER, Source, delivered
from tests.fixtures.sink.recorded import MakeSink, Row, Topic, field, rows
from tests.fixtures.worker import ROOT, wait_for
from tests.sink.conftest import settings

log = logging.getLogger(__name__)

COLUMNS = [field("id", "int32"), field("v", "string")]
SPARK = ("spark.master=local[2]", "spark.driver.memory=1g", "spark.ui.enabled=false",
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


def has_advanced(tmp_path: Path, before: int) -> bool:
    return applied(tmp_path) > before


@pytest.mark.slow
@pytest.mark.parametrize("table_format", ["delta", "iceberg"])
def test_a_job_that_is_killed_and_stopped_converges(
    sink: MakeSink, tmp_path: Path, table_format: str
) -> None:
    given: dict[str, Any] = ANY_ORDER | {
        "history": {"enabled": True},
        "target": {"format": table_format},
    }
    source, parts, _ = recorded_history(tmp_path, 5, steps=300, files=12, **given)
    chance = random.Random(5)
    for kill in range(3):
        before = applied(tmp_path)
        job = start(tmp_path)
        wait_for(partial(has_advanced, tmp_path, before), 300, "a batch")
        time.sleep(chance.random() * 5)
        if kill < 2:
            os.killpg(job.pid, signal.SIGKILL)
        else:
            job.send_signal(signal.SIGTERM)
        assert job.wait(120) == (-signal.SIGKILL if kill < 2 else 0)
    assert start(tmp_path, "--once").wait(600) == 0
    assert_converged(sink(**given), source, parts)


RUNS = int(os.environ.get("KILLS", "1"))
"""How many jobs of each format are killed; each has a history of its own."""


@pytest.mark.slow
@pytest.mark.parametrize("table_format", ["delta", "iceberg"])
@pytest.mark.parametrize("seed", range(RUNS))
def test_a_job_is_killed_between_any_two_writes(
    sink: MakeSink, tmp_path: Path, table_format: str, seed: int
) -> None:
    """Another process takes up the checkpoint of one that was killed at a random moment."""
    from sparksink.commands.subcommands import run  # noqa: PLC0415

    given: dict[str, Any] = ANY_ORDER | {
        "history": {"enabled": True},
        "target": {"format": table_format},
    }
    source, parts, config = recorded_history(tmp_path, seed, steps=80, files=5, **given)
    chance = random.Random(seed)
    begun = Path(config["checkpoint"]) / "offsets" / str(chance.randrange(3))
    job = start(tmp_path)
    wait_for(begun.exists, 300, f"batch {begun.name}")
    time.sleep(chance.random() * 4)
    os.killpg(job.pid, signal.SIGKILL)
    assert job.wait(60) == -signal.SIGKILL
    log.info("killed in the batches %s", sorted(unfinished(Path(config["checkpoint"]))))
    made = sink(**given)
    run(made, argparse.Namespace(once=True))
    assert_converged(made, source, parts)


def recorded_history(
    tmp_path: Path, seed: int, steps: int, files: int, **given: Any
) -> tuple[Source, list[list[Row]], dict[str, Any]]:
    """Write a random history as recorded messages, and the configuration of a job."""
    config = settings(tmp_path, trigger={"interval": "1s"}, **given)
    (tmp_path / "sink.yaml").write_text(yaml.safe_dump(config))
    source = Source(Topic(columns=COLUMNS), seed)
    parts = delivered(source.live(steps), files, seed)
    for number, part in enumerate(parts):
        text = "".join(json.dumps(message) + "\n" for message in part)
        (tmp_path / "in" / f"{number:02}.json").write_text(text)
    return source, parts, config


def unfinished(checkpoint: Path) -> set[int]:
    """Return the batches that were begun and not ended."""
    begun, ended = (
        {int(file.name) for file in (checkpoint / folder).glob("*") if file.name.isdigit()}
        for folder in ("offsets", "commits")
    )
    return begun - ended


def assert_converged(made: Any, source: Source, parts: list[list[Row]]) -> None:
    expected = sorted(((row["id"], row["v"]) for row in source.rows.values()), key=repr)
    assert rows(made, "shop__orders", "id", "v") == expected
    expected = sorted(m["offset"] for part in parts for m in part if m["value64"])
    assert (
        sorted(offset for (offset,) in rows(made, "shop__orders__history", "__offset")) == expected
    )


@pytest.mark.slow
def test_extensions_of_the_user_stay_beside_those_of_the_sink(tmp_path: Path) -> None:
    config = settings(tmp_path, target={"format": "iceberg"})
    (tmp_path / "sink.yaml").write_text(yaml.safe_dump(config))
    extension = "spark.sql.extensions=io.delta.sql.DeltaSparkSessionExtension"
    assert start(tmp_path, "--once", "--spark", extension).wait(300) == 0
