"""The order of a capture, with faults in between."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from connector.capture.backoff import Backoff
from connector.capture.change import Change, HeartbeatDue, Position, Progress, Row, Waiting
from connector.capture.engine import Engine, EngineOptions
from connector.capture.progress import Recovered
from connector.capture.signals.signal import SnapshotRequest
from connector.capture.snapshot_plan import Mode, Plan
from connector.capture.tables import TableId
from connector.errors import (
    DatabaseUnavailableError,
    HistoryError,
    LostHistoryError,
    PositionLostError,
    StopError,
)


@dataclass(frozen=True)
class At:
    """A position: a number."""

    number: int

    def to_offset(self) -> dict[str, Any]:
        return {"n": self.number}


@dataclass
class Numbers:
    """A source whose log has the positions 1, 2, 3 …; a snapshot is taken at ``head``.

    ``faults`` are raised one after the other: the next one where ``breaks`` says.
    """

    head: int = 10
    oldest: int = 1
    end: int = 13
    faults: list[Exception] = field(default_factory=list)
    breaks: str = "stream"
    calls: list[str] = field(default_factory=list)
    is_open: bool = False

    def open(self) -> None:
        self._note("open")
        self.is_open = True

    def position(self, offset: Mapping[str, Any]) -> Position:
        return At(offset["n"])

    def can_resume(self, position: Position) -> bool:
        assert isinstance(position, At)
        return position.number >= self.oldest

    def recover(self, position: Position) -> Recovered:
        assert self.is_open
        self._note(f"recover {position.to_offset()['n']}")
        return Recovered(3, "ALTER d.t")

    def begin_log(self) -> Position:
        assert self.is_open
        self._note("begin log")
        return At(self.oldest - 1)

    def known_tables(self) -> Iterable[TableId]:
        return ()

    def captured_tables(self) -> Mapping[TableId, bool]:
        assert self.is_open
        return {TableId("d", "old"): True, TableId("d", "new"): False}

    def snapshot(self, plan: Plan, stored: Position | None) -> Generator[Change, None, Position]:
        assert self.is_open
        at = stored or At(self.head)
        self._note(f"snapshot {'data' if plan.data else 'schema'}")
        yield Progress(at)
        self._break("snapshot")
        return at

    def read_again(
        self, request: SnapshotRequest, at: Position, event: Row | None
    ) -> Generator[Change, None, None]:
        assert self.is_open
        self._note(f"read {','.join(request.tables)} at {at.to_offset()['n']} {event}")
        yield Progress(at)
        self._break("again")

    def stream(self, start: Position) -> Iterator[Change]:
        assert self.is_open
        assert isinstance(start, At)
        self._note(f"stream {start.number}")
        for number in range(start.number + 1, self.end + 1):
            yield Progress(At(number))
            self._break("stream")

    def close(self) -> None:
        self._note("close")
        self.is_open = False

    def _note(self, call: str) -> None:
        self.calls.append(call)
        self._break(call)

    def _break(self, place: str) -> None:
        if place == self.breaks and self.faults:
            raise self.faults.pop(0)


def _run(
    source: Numbers,
    offset: Mapping[str, Any] | None = None,
    mode: str = "initial",
    attempts: int = -1,
    **delays: Any,
) -> list[Change]:
    backoff = Backoff(1.0, 8.0, attempts=attempts, jitter=lambda: 1.0)
    options = EngineOptions(snapshot_mode=mode, backoff=backoff, **delays)
    return list(Engine(source, options).changes(offset))


def _numbers(changes: list[Change]) -> list[int]:
    return [c.position.to_offset()["n"] for c in changes if isinstance(c, Progress)]


def _waits(changes: list[Change]) -> list[tuple[str, float]]:
    """Sum up consecutive waits of one reason."""
    found: list[tuple[str, float]] = []
    for change in changes:
        if isinstance(change, Waiting):
            if found and found[-1][0] == change.reason:
                found[-1] = (change.reason, found[-1][1] + change.seconds)
            else:
                found.append((change.reason, change.seconds))
    return found


def test_a_first_start_takes_a_snapshot_beats_and_streams_from_there() -> None:
    source = Numbers()
    changes = _run(source)
    assert source.calls == ["open", "snapshot data", "open", "stream 10"]
    assert _numbers(changes) == [10, 10, 11, 12, 13]
    beats = [number for number, change in enumerate(changes) if change == HeartbeatDue(now=True)]
    assert len(beats) == 1
    assert changes[beats[0] + 1] == Progress(At(10))


def test_a_further_start_recovers_the_schema_and_streams() -> None:
    source = Numbers()
    assert _numbers(_run(source, {"n": 11})) == [12, 13]
    assert source.calls == ["open", "recover 11", "open", "stream 11"]


def test_an_unfinished_snapshot_is_taken_again() -> None:
    source = Numbers()
    _run(source, {"n": 3, "snapshot": "INITIAL"})
    assert source.calls == ["open", "snapshot data", "open", "stream 10"]


def test_a_recovered_schema_keeps_the_stored_position() -> None:
    source = Numbers()
    _run(source, {"n": 5}, mode="recovery")
    assert source.calls == ["open", "snapshot schema", "open", "stream 5"]


def test_a_snapshot_alone_does_not_stream() -> None:
    source = Numbers()
    assert _numbers(_run(source, mode="initial_only")) == [10, 10]
    assert source.calls == ["open", "snapshot data"]
    again = Numbers()
    assert _numbers(_run(again, {"n": 10}, mode="initial_only")) == []
    assert again.calls == ["open", "recover 10"]


def test_without_a_snapshot_the_whole_log_is_streamed() -> None:
    source = Numbers(end=3)
    assert _numbers(_run(source, mode="never")) == [1, 2, 3]
    assert source.calls == ["open", "begin log", "open", "stream 0"]
    again = Numbers(end=3)
    assert _numbers(_run(again, {"n": 2}, mode="never")) == [3]
    assert again.calls == ["open", "recover 2", "open", "stream 2"]


def test_a_lost_history_leads_to_definitions_if_the_mode_says_so() -> None:
    def mode(_has_offset: bool, _in_snapshot: bool) -> Mode:
        return Mode(schema=False, data=False, stream=True, on_lost_history=True)

    lost: list[Exception] = [LostHistoryError("gone")]
    source = Numbers(faults=lost[:], breaks="recover 11")
    changes = _run(source, {"n": 11}, mode="configuration_based", configured_mode=mode)
    assert _numbers(changes) == [11, 11, 12, 13]
    assert source.calls == ["open", "recover 11", "snapshot schema", "open", "stream 11"]
    with pytest.raises(LostHistoryError):
        _run(Numbers(faults=lost, breaks="recover 11"), {"n": 11}, mode="never")


def test_a_lost_position_stops() -> None:
    with pytest.raises(PositionLostError):
        _run(Numbers(oldest=5), {"n": 4})


def test_why_a_position_is_lost_is_reported_unless_a_snapshot_follows() -> None:
    class Explaining(Numbers):
        def can_resume(self, position: Position) -> bool:
            raise PositionLostError(f"its history diverges: {position.to_offset()}")

    with pytest.raises(PositionLostError, match="its history diverges"):
        _run(Explaining(), {"n": 4})
    assert _numbers(_run(Explaining(), {"n": 4}, mode="when_needed")) == [10, 10, 11, 12, 13]


def test_a_lost_position_is_not_looked_for_when_the_user_says_so() -> None:
    source = Numbers(oldest=5)
    options = EngineOptions(snapshot_mode="when_needed", checks_position=False)
    list(Engine(source, options).changes({"n": 4}))
    assert source.calls == ["open", "recover 4", "open", "stream 4"]


def test_a_broken_stream_goes_on_where_it_was() -> None:
    faults: list[Exception] = [DatabaseUnavailableError("gone"), DatabaseUnavailableError("gone")]
    source = Numbers(faults=faults)
    changes = _run(source, {"n": 10})
    assert source.calls == [
        *("open", "recover 10", "open", "stream 10"),
        *("close", "open", "stream 11"),
        *("close", "open", "stream 12"),
    ]
    assert _numbers(changes) == [11, 12, 13]


def test_a_broken_snapshot_restarts() -> None:
    source = Numbers(faults=[DatabaseUnavailableError("gone")], breaks="snapshot")
    assert _numbers(_run(source)) == [10, 10, 10, 11, 12, 13]
    assert source.calls.count("snapshot data") == 2


def test_waits_grow_have_a_reason_and_end_with_the_error() -> None:
    source = Numbers(faults=[DatabaseUnavailableError("down")] * 5, breaks="open")
    assert _waits(_run(source, {"n": 12})) == [("down", 1.0 + 2 + 4 + 8 + 8), ("", 0.0)]


def test_waits_begin_small_again_after_a_success() -> None:
    source = Numbers(faults=[DatabaseUnavailableError("gone")] * 2)
    waits = [wait for wait in _waits(_run(source, {"n": 10})) if wait[1]]
    assert waits == [("gone", 1.0), ("gone", 1.0)]


def test_a_wait_is_cut_into_short_steps() -> None:
    source = Numbers(faults=[DatabaseUnavailableError("down")] * 4, breaks="open")
    waits = [change for change in _run(source, {"n": 12}) if isinstance(change, Waiting)]
    assert max(wait.seconds for wait in waits) <= 0.25


def test_the_number_of_attempts_may_be_limited() -> None:
    source = Numbers(faults=[DatabaseUnavailableError("down")] * 9, breaks="open")
    with pytest.raises(StopError, match="gave up after 3 retries: down"):
        _run(source, attempts=3)
    assert source.calls.count("open") == 4


@pytest.mark.parametrize("fault", [HistoryError("empty"), RuntimeError("bug")])
def test_a_fault_that_does_not_pass_is_not_tried_again(fault: Exception) -> None:
    source = Numbers(faults=[fault], breaks="recover 4")
    with pytest.raises(type(fault)):
        _run(source, {"n": 4})
    assert source.calls == ["open", "recover 4"]


def test_delays_before_snapshot_and_stream() -> None:
    source = Numbers(end=10)
    seconds = [wait for _, wait in _waits(_run(source, snapshot_delay=3, streaming_delay=1.5))]
    assert sum(seconds) == 4.5


@pytest.mark.parametrize(
    ("jitter", "delays"), [(lambda: 0.0, [0.5, 1.0, 2.0, 4.0]), (lambda: 1.0, [1.0, 2.0, 4.0, 8.0])]
)
def test_a_delay_doubles_and_is_shortened_at_random(
    jitter: Callable[[], float], delays: list[float]
) -> None:
    backoff = Backoff(1.0, 100.0, jitter=jitter)
    assert [backoff.delay(attempt) for attempt in (1, 2, 3, 4)] == delays
    assert backoff.delay(1000) <= 100.0
