"""The order of a capture, with faults in between."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from connector.capture.backoff import Backoff
from connector.capture.change import Change, HeartbeatDue, Position, Progress, Waiting
from connector.capture.engine import Engine, EngineOptions
from connector.capture.snapshot_plan import Mode
from connector.errors import (
    DatabaseUnavailableError,
    HistoryError,
    LostHistoryError,
    PositionLostError,
    StopError,
)
from tests.unit.capture.number_source import At, Numbers


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
