"""The worker dies by SIGKILL at random moments while rows are written: nothing is lost."""

from __future__ import annotations

import random

import pytest

from tests.fixtures.environment import Environment, environment
from tests.fixtures.load import Load
from tests.fixtures.replay import repeated
from tools.stack import KafkaBroker, MySql97, Workspace

SNAPSHOT_ROWS = 60_000
STORAGES = pytest.mark.parametrize("files", [False, True], ids=["topics", "files"])


def kill_while_streaming(at: Environment, chance: random.Random, kills: int) -> None:
    for _ in range(kills):
        if chance.random() < 0.8:  # else as soon as it answers, while the task begins
            at.wait_for_more(chance.randrange(1, 400))
        at.worker.kill()
        at.worker.start()


def kill_in_snapshot(at: Environment, chance: random.Random, kills: int) -> None:
    """Kill a snapshot when part of it is written; each next one restarts."""
    for _ in range(kills):
        before = at.count()
        part = before + chance.randrange(1, SNAPSHOT_ROWS // 3)
        at.wait_for_count(part)
        at.worker.kill()
        assert at.count() - before < SNAPSHOT_ROWS, "the snapshot was over before the kill"
        at.worker.start()


def killed(
    workspace: Workspace, broker: KafkaBroker, mysql: MySql97, *, files: bool, kills: int
) -> None:
    seed = random.randrange(1_000_000)
    print(f"seed {seed}")
    chance = random.Random(seed)
    in_snapshot = kills // 4
    with environment(workspace, broker, mysql, files=files, rows=SNAPSHOT_ROWS) as at:
        with Load(mysql, at.name, seed) as load:
            at.create()
            kill_in_snapshot(at, chance, in_snapshot)
            at.wait_for_stream()
            kill_while_streaming(at, chance, kills - in_snapshot)
        at.finish()
        at.check()
        events = at.messages[at.topic()]
        print(
            f"{kills} kills, {in_snapshot} of them in the snapshot; {load.transactions} "
            f"transactions, {len(events)} messages, {repeated(events)} of the log repeated"
        )


@pytest.mark.parametrize("files", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_some_kills(workspace: Workspace, broker: KafkaBroker, mysql: MySql97, files: bool) -> None:
    killed(workspace, broker, mysql, files=files, kills=4)


@pytest.mark.slow
@STORAGES
def test_many_kills(workspace: Workspace, broker: KafkaBroker, mysql: MySql97, files: bool) -> None:
    killed(workspace, broker, mysql, files=files, kills=20)
