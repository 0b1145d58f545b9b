"""Snapshots of every kind under random writers and faults: see `tests.snapshots`."""

from __future__ import annotations

import random

import pytest

from tests.snapshots.rig import SnapshotRig
from tests.snapshots.run import ALL, FAIL_OVER, KINDS, QUICK, Run
from tools.stack import Workspace


def check(workspace: Workspace, database: str, runs: int, faults: tuple[str, ...]) -> None:
    seed = random.randrange(1_000_000)
    rig = SnapshotRig(workspace, database, seed, replica=FAIL_OVER in faults)
    read = 0
    try:
        rig.start()
        for number in range(runs):
            kind = KINDS[number % len(KINDS)]
            print(f"seed {seed + number} {kind}")
            run = Run(rig, seed + number, kind, faults)
            run.play()
            read += run.read_again
    finally:
        rig.close()
    assert read, "no snapshot has read a row: the runs show nothing"


@pytest.mark.parametrize(("database", "runs"), [("mysql", 5), ("mariadb", 10)])
def test_topics_equal_tables_after_snapshots_under_faults(
    workspace: Workspace, database: str, runs: int
) -> None:
    check(workspace, database, runs, QUICK)


@pytest.mark.slow
@pytest.mark.parametrize("database", ["mysql", "mariadb"])
def test_topics_equal_tables_after_many_snapshots_under_all_faults(
    workspace: Workspace, database: str
) -> None:
    check(workspace, database, 100, (*ALL, FAIL_OVER))
