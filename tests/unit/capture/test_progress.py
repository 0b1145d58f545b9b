"""What an engine notes of its course."""

# ruff: noqa: ARG002 - a source has the arguments of its protocol

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from typing import Any

import pytest

from connector.capture.backoff import Backoff
from connector.capture.change import Change, Position, Progress, Row
from connector.capture.engine import Engine, EngineOptions
from connector.capture.progress import CaptureProgress, Recovered
from connector.capture.signals.signal import SnapshotRequest
from connector.capture.snapshot_plan import Plan
from connector.capture.tables import TableId
from connector.errors import DatabaseUnavailableError, StopError


class Here:
    def to_offset(self) -> dict[str, Any]:
        return {"n": 1}


class Watched:
    """A source that looks at the course while it is read; ``fault`` is raised once."""

    def __init__(self, course: CaptureProgress, fault: Exception | None = None) -> None:
        self.seen: list[tuple[str, str, bool]] = []
        self._course = course
        self._fault = fault

    def open(self) -> None:
        self._note("open")

    def position(self, offset: Mapping[str, Any]) -> Position:
        return Here()

    def can_resume(self, position: Position) -> bool:
        return True

    def recover(self, position: Position) -> Recovered:
        self._note("recover")
        return Recovered(3, "ALTER d.t")

    def begin_log(self) -> Position:
        return Here()

    def known_tables(self) -> Iterable[TableId]:
        return ()

    def captured_tables(self) -> Mapping[TableId, bool]:
        return {}

    def snapshot(self, plan: Plan, stored: Position | None) -> Generator[Change, None, Position]:
        self._note("snapshot")
        yield Progress(Here())
        self._break()
        return Here()

    def read_again(
        self, request: SnapshotRequest, at: Position, event: Row | None
    ) -> Generator[Change, None, None]:
        yield from ()

    def stream(self, start: Position) -> Iterator[Change]:
        self._note("connect")
        yield Progress(Here())
        self._note("stream")
        self._break()

    def close(self) -> None:
        pass

    def _note(self, what: str) -> None:
        self.seen.append((what, self._course.snapshot, self._course.streaming))

    def _break(self) -> None:
        fault, self._fault = self._fault, None
        if fault is not None:
            raise fault


@pytest.fixture
def course() -> CaptureProgress:
    return CaptureProgress()


def run(
    course: CaptureProgress,
    source: Watched,
    offset: Mapping[str, Any] | None = None,
    mode: str = "initial",
) -> None:
    backoff = Backoff(0.0, 0.0, jitter=lambda: 0.0)
    for _ in Engine(source, EngineOptions(mode, backoff=backoff), course).changes(offset):
        pass


def test_first_a_snapshot_then_the_log(course: CaptureProgress) -> None:
    source = Watched(course)
    run(course, source)
    assert source.seen == [
        ("open", "", False),
        ("snapshot", "running", False),
        ("open", "completed", False),
        ("connect", "completed", False),
        ("stream", "completed", True),
    ]
    assert 0 <= course.snapshot_seconds < 10
    assert (course.faults, course.disconnects) == (0, 0)


def test_with_an_offset_there_is_no_snapshot(course: CaptureProgress) -> None:
    run(course, Watched(course), {"n": 1})
    assert course.snapshot == "skipped"
    assert course.snapshot_seconds == 0
    assert (course.history.recovered, course.history.applied) == (3, 3)
    assert course.history.last_applied >= course.history.recovery_began > 0


@pytest.mark.parametrize(
    ("offset", "disconnects", "after"),
    [(None, 0, ("open", "aborted", False)), ({"n": 1}, 1, ("open", "skipped", False))],
)
def test_a_fault_is_counted_and_waited_for(
    course: CaptureProgress, offset: Any, disconnects: int, after: tuple[str, str, bool]
) -> None:
    source = Watched(course, DatabaseUnavailableError("gone"))
    run(course, source, offset)
    assert (course.faults, course.disconnects) == (1, disconnects)
    assert after in source.seen
    assert source.seen[-1][2]


def test_a_snapshot_that_fails_is_aborted(course: CaptureProgress) -> None:
    with pytest.raises(StopError):
        run(course, Watched(course, StopError("no")))
    assert course.snapshot == "aborted"
