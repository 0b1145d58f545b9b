"""Commands of maintenance are killed at any moment: running them again ends right."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from argparse import Namespace
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.sink.crashing import Crash, CrashingLake, CrashingSession
from tests.fixtures.sink.histories import ANY_ORDER
from tests.fixtures.sink.recorded import MakeSink, Row, rows
from tests.fixtures.worker import ROOT, wait_for
from tests.sink.test_convergence import real_lake
from tests.sink.test_mutations import mend
from tests.sink.test_process import SPARK, assert_converged, recorded_history

GIVEN: dict[str, Any] = ANY_ORDER | {
    "history": {"enabled": True},
    "target": {"format": "iceberg"},
}


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

    given: dict[str, Any] = ANY_ORDER | {"history": {"enabled": True}}
    source, parts, _ = recorded_history(tmp_path, 3, steps=40, files=2, **given)
    run(sink(**given), Namespace(once=True))
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


EVERYTHING = Namespace(start="earliest", end="latest", tables=".*", table=".*", force=False)
REPLAY = Namespace(action="replay", table=".*")


def crash_until_done(
    sink: MakeSink, lake: Callable[[], Any], command: Callable[..., None], options: Namespace
) -> int:
    """Run a command again and again, each time broken off one write later; return how often."""
    at = 0
    while True:
        crashing = CrashingLake(lake(), at, after=at % 2 == 0)
        try:
            command(sink(crashing, **GIVEN), options)
        except Crash:
            at += 1
        else:
            return at


def write_parts(tmp_path: Path, parts: list[list[Row]]) -> None:
    for number, part in enumerate(parts):
        file = tmp_path / "in" / f"{number:02}.json"
        if not file.exists():
            file.write_text("\n".join(map(json.dumps, part)))


def prepare_history(
    sink: MakeSink, tmp_path: Path, parts: list[list[Row]], given: Any, *, parks: bool = False
) -> None:
    """Apply messages; with ``parks`` the table is parked before the last ones."""
    from sparksink.commands.subcommands import run  # noqa: PLC0415

    once = Namespace(once=True)
    for file in (tmp_path / "in").iterdir():
        file.unlink()
    write_parts(tmp_path, parts[:-1])
    run(sink(**given), once)
    if parks:
        sink(**given).state.park("shop.orders", "a test")
    write_parts(tmp_path, parts)
    run(sink(**given), once)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "least"), [("backfill", 3), ("rebuild", 2), ("compact", 4)])
def test_a_command_that_ends_at_any_write_is_run_again(
    sink: MakeSink, spark: Any, tmp_path: Path, name: str, least: int
) -> None:
    from sparksink.commands.subcommands import COMMANDS  # noqa: PLC0415

    source, parts, _ = recorded_history(tmp_path, 3, steps=40, files=2, **GIVEN)
    prepare_history(sink, tmp_path, parts, GIVEN)
    lake = partial(real_lake, spark, tmp_path, **GIVEN)
    assert crash_until_done(sink, lake, COMMANDS[name], EVERYTHING) >= least
    made = sink(**GIVEN)
    assert_converged(made, source, parts)
    assert made.lake.table("shop__orders__rebuild").columns() is None


@pytest.mark.slow
def test_a_vacuum_that_ends_at_any_statement_is_run_again(
    sink: MakeSink, spark: Any, tmp_path: Path
) -> None:
    """It removes all that no present row needs, of the sink's own tables too."""
    from sparksink.commands.subcommands import COMMANDS  # noqa: PLC0415

    given = {**GIVEN, "target": {"format": "delta"}, "maintenance": {"vacuum.hours": 0}}
    source, parts, _ = recorded_history(tmp_path, 6, steps=40, files=3, **given)
    prepare_history(sink, tmp_path, parts, given)
    for at in count():
        session = CrashingSession(spark, 2 * at, after=at % 2 == 0)
        try:
            lake = real_lake(session, tmp_path, **given)
            COMMANDS["vacuum"](sink(lake, **given), EVERYTHING)
        except Crash:
            assert_converged(sink(**given), source, parts)
        else:
            break
    assert at >= 5
    made = sink(**given)
    assert_converged(made, source, parts)
    table = made.lake.table("shop__orders")
    present = {one.rpartition("/")[2] for one in table.read().inputFiles()}
    stored = {one.name for one in (tmp_path / "lake" / "shop__orders").glob("*.parquet")}
    assert stored == present


@pytest.mark.slow
def test_a_replay_of_a_parked_table_that_ends_at_any_write_is_run_again(
    sink: MakeSink, spark: Any, tmp_path: Path
) -> None:
    from sparksink.commands.stored_messages import park  # noqa: PLC0415

    source, parts, _ = recorded_history(tmp_path, 4, steps=40, files=2, **GIVEN)
    prepare_history(sink, tmp_path, parts, GIVEN, parks=True)
    lake = partial(real_lake, spark, tmp_path, **GIVEN)
    assert crash_until_done(sink, lake, park, REPLAY) >= 4
    made = sink(**GIVEN)
    assert made.state.parked_tables() == {}
    assert rows(made, "_cdc/parked", "offset") == []
    assert_converged(made, source, parts)


@pytest.mark.slow
def test_a_replay_of_dead_letters_that_ends_at_any_write_is_run_again(
    sink: MakeSink, spark: Any, tmp_path: Path
) -> None:
    from sparksink.commands.stored_messages import dlq  # noqa: PLC0415

    source, parts, _ = recorded_history(tmp_path, 5, steps=40, files=2, **GIVEN)
    broken = [one for part in parts for one in part if one["value64"] and one["offset"] % 4 == 0]
    torn = [[{**one, "value64": "Pz8="} if one in broken else one for one in part]
            for part in parts]  # fmt: skip
    prepare_history(sink, tmp_path, torn, GIVEN)
    made = sink(**GIVEN)
    assert len(rows(made, "_cdc/dead_letter", "offset")) == len(broken) > 0
    mend(made, spark, [{**one, "part": "value64", "right": one["value64"]} for one in broken])
    lake = partial(real_lake, spark, tmp_path, **GIVEN)
    assert crash_until_done(sink, lake, dlq, REPLAY) >= 4
    made = sink(**GIVEN)
    assert rows(made, "_cdc/dead_letter", "offset") == []
    assert_converged(made, source, parts)
