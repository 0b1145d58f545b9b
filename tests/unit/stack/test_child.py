import os
import signal
import threading
import time
from pathlib import Path

import pytest

from tools.stack.child import Child, run
from tools.stack.errors import StackError

IGNORES_TERM = ["sh", "-c", "trap '' TERM; echo ready; while :; do sleep 0.1; done"]


def test_a_command_runs_and_returns_its_output(tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert run(["echo", "one"], log) == "one\n"
    assert run(["echo", "two"], log) == "two\n"
    assert log.read_text() == "one\ntwo\n"


def test_a_command_reads_a_file(tmp_path: Path) -> None:
    source = tmp_path / "in"
    source.write_text("text")
    assert run(["cat"], tmp_path / "log", stdin=source) == "text"


def test_a_command_that_fails_shows_its_output(tmp_path: Path) -> None:
    with pytest.raises(StackError, match=r"sh failed with status 3:\nno luck"):
        run(["sh", "-c", "echo no luck; exit 3"], tmp_path / "log")


def test_a_program_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(StackError, match="no-such-program"):
        run(["no-such-program"], tmp_path / "log")


def test_a_child_ends_on_sigterm(tmp_path: Path) -> None:
    child = Child(["sleep", "60"], tmp_path / "log")
    assert child.running
    child.stop(grace=10)
    assert child.wait(0) == -signal.SIGTERM
    child.stop(grace=0)
    child.kill()


def test_a_child_that_ignores_sigterm_is_killed_with_its_children(tmp_path: Path) -> None:
    child = Child(IGNORES_TERM, tmp_path / "log")
    while "ready" not in child.tail():
        assert child.wait(0.05) is None
    child.stop(grace=0.2)
    assert child.wait(0) == -signal.SIGKILL
    until = time.monotonic() + 10
    while group_lives(child.pid) and time.monotonic() < until:
        time.sleep(0.05)
    assert not group_lives(child.pid)


def group_lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_child_outlives_the_thread_that_started_it(tmp_path: Path) -> None:
    started: list[Child] = []
    thread = threading.Thread(
        target=lambda: started.append(Child(["sleep", "60"], tmp_path / "log"))
    )
    thread.start()
    thread.join()
    (child,) = started
    assert child.wait(0.3) is None
    child.kill()
    assert child.wait(0) == -signal.SIGKILL


def test_a_child_sees_its_environment(tmp_path: Path) -> None:
    child = Child(["sh", "-c", "echo $COLOR"], tmp_path / "log", environment={"COLOR": "blue"})
    assert child.wait(10) == 0
    assert child.tail() == "blue"
