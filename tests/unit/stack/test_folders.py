import os
import threading
from pathlib import Path

import pytest

from tools.stack.folders import Workspace, hold, once


def test_once_builds_once(tmp_path: Path) -> None:
    target = tmp_path / "thing"
    built = []

    def build(folder: Path) -> None:
        built.append(folder)
        (folder / "file").write_text("x")

    assert once(target, "a thing", build) == target
    assert once(target, "a thing", build) == target
    assert len(built) == 1
    assert (target / "file").read_text() == "x"


def test_what_a_failed_build_left_is_not_taken_for_complete(tmp_path: Path) -> None:
    target = tmp_path / "thing"

    def fail(folder: Path) -> None:
        (folder / "half").write_text("x")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        once(target, "a thing", fail)
    assert not target.exists()
    once(target, "a thing", lambda folder: (folder / "whole").touch())
    assert [file.name for file in target.iterdir()] == ["whole"]


def test_of_two_at_the_same_time_one_builds_and_the_other_waits(tmp_path: Path) -> None:
    target = tmp_path / "thing"
    building, go_on, built = threading.Event(), threading.Event(), []

    def build(folder: Path) -> None:
        built.append(folder)
        building.set()
        assert go_on.wait(10)

    first = threading.Thread(target=once, args=(target, "a thing", build))
    second = threading.Thread(target=once, args=(target, "a thing", build))
    first.start()
    assert building.wait(10)
    second.start()
    go_on.set()
    first.join(10)
    second.join(10)
    assert len(built) == 1


def test_a_workspace_removes_its_folder_and_keeps_downloads(tmp_path: Path) -> None:
    with Workspace(tmp_path) as workspace:
        one, two = workspace.folder("broker"), workspace.folder("broker")
        assert one != two
        (one / "data").write_text("x")
        (workspace.downloads / "jar").write_text("x")
    assert [item.name for item in tmp_path.iterdir() if item.name != "run"] == ["downloads"]
    assert not list((tmp_path / "run").iterdir())
    assert (tmp_path / "downloads/jar").exists()
    workspace.close()


def test_a_workspace_sweeps_what_killed_runs_left_and_no_other(tmp_path: Path) -> None:
    with Workspace(tmp_path) as living:
        dead = tmp_path / "run/dead"
        dead.mkdir()
        (dead / "data").write_text("x")
        with Workspace(tmp_path):
            assert not dead.exists()
            assert living.run.exists()


def test_a_lock_is_held_by_one(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    first = hold(lock)
    assert first is not None
    assert hold(lock) is None
    os.close(first)
    second = hold(lock)
    assert second is not None
    os.close(second)
