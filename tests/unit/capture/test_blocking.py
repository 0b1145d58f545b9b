"""Blocking snapshots: where the stream stands, and what an error or a kill in between leads to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from connector.capture.backoff import Backoff
from connector.capture.change import Change, HeartbeatDue, Position, Progress
from connector.capture.engine import Engine, EngineOptions
from connector.capture.notifications import Notifications
from connector.capture.signals.processor import SignalOptions, Signals
from connector.capture.signals.signal import Signal
from connector.capture.snapshot_events import Notification
from connector.errors import DatabaseUnavailableError, HistoryError, StopError
from tests.unit.capture.number_source import Numbers
from tests.unit.capture.signals.listed_channel import Channel

BLOCKING = Signal("one", "execute-snapshot", {"data-collections": ["d.t"], "type": "blocking"}, 7)
KEY = "millrace_blocking_snapshots"
OPTIONS = EngineOptions(
    backoff=Backoff(0.0, 0.0, jitter=lambda: 0.0), notifications=Notifications("p", ("sink",))
)


@dataclass
class Log(Numbers):
    """A log whose batches end with a heartbeat; ``open_at`` is within a transaction."""

    open_at: int = 0

    def stream(self, start: Position) -> Iterator[Change]:
        for change in super().stream(start):
            assert isinstance(change, Progress)
            number = change.position.to_offset()["n"]
            yield Progress(change.position, in_transaction=number == self.open_at)
            yield HeartbeatDue()


def run(source: Log, channel: Channel, offset: Mapping[str, Any]) -> list[Change]:
    signals = Signals(SignalOptions(interval=0.0), (channel,))
    return list(Engine(source, OPTIONS, None, signals).changes(offset))


def reads(source: Log) -> list[str]:
    return [call for call in source.calls if call.startswith(("read", "stream"))]


def types(changes: list[Change]) -> list[str]:
    return [change.type for change in changes if isinstance(change, Notification)][1:]


def progress(changes: list[Change]) -> list[tuple[int, bool]]:
    """Return the positions, each with whether its offset has a request."""
    found = [change for change in changes if isinstance(change, Progress)]
    return [(change.position.to_offset()["n"], KEY in change.kept) for change in found]


def test_the_stream_stands_until_the_snapshot_is_taken() -> None:
    source = Log(end=12)
    changes = run(source, Channel(BLOCKING), {"n": 10})
    assert reads(source) == ["stream 10", "read d.t at 11 None", "stream 11"]
    assert types(changes) == ["STARTED", "COMPLETED"]
    assert progress(changes) == [(11, False), *[(11, True)] * 3, (11, False), (12, False)]
    assert [change.is_due for change in changes if isinstance(change, Progress)].index(True) == 1


def test_a_transaction_is_completed_first() -> None:
    source = Log(end=13, open_at=11)
    run(source, Channel(BLOCKING), {"n": 10})
    assert reads(source) == ["stream 10", "read d.t at 12 None", "stream 12"]


def test_several_are_taken_one_after_the_other() -> None:
    source = Log(end=12)
    second = Signal("two", BLOCKING.type, {**BLOCKING.data, "data-collections": ["d.u"]}, 8)
    changes = run(source, Channel(BLOCKING, second), {"n": 10})
    assert reads(source)[1:] == ["read d.t at 11 None", "read d.u at 11 None", "stream 11"]
    assert types(changes) == ["STARTED", "COMPLETED"] * 2


def test_after_a_lost_connection_it_is_taken_again() -> None:
    source = Log(end=12, breaks="again", faults=[DatabaseUnavailableError("gone")])
    changes = run(source, Channel(BLOCKING), {"n": 10})
    assert reads(source)[1:] == ["read d.t at 11 None", "read d.t at 11 None", "stream 11"]
    assert types(changes) == ["STARTED", "ABORTED", "STARTED", "COMPLETED"]


def test_an_error_for_good_ends_it_and_the_stream_continues() -> None:
    source = Log(end=12, breaks="again", faults=[StopError("no such column")])
    changes = run(source, Channel(BLOCKING), {"n": 10})
    assert reads(source) == ["stream 10", "read d.t at 11 None", "stream 11"]
    assert types(changes) == ["STARTED", "ABORTED"]
    assert progress(changes)[-1] == (12, False)


def test_a_history_that_cannot_be_written_stops_the_capture() -> None:
    source = Log(end=12, breaks="again", faults=[HistoryError("gone")])
    with pytest.raises(HistoryError):
        run(source, Channel(BLOCKING), {"n": 10})


def test_after_a_kill_it_is_taken_first() -> None:
    source = Log(end=12)
    changes = run(source, Channel(BLOCKING), {"n": 10})
    killed = next(one for one in changes if isinstance(one, Progress) and KEY in one.kept)
    offset = {**killed.position.to_offset(), **killed.kept}
    again = Log(end=12)
    changes = run(again, Channel(BLOCKING), offset)
    assert reads(again) == ["read d.t at 11 None", "stream 11"]
    assert types(changes) == ["STARTED", "COMPLETED"]


def test_an_error_before_the_progress_repeats_nothing() -> None:
    """The signal was read, and no offset has it: it is read again, and executed once."""
    source = Log(end=12, open_at=11, breaks="stream", faults=[])
    source.faults = [DatabaseUnavailableError("gone")]
    changes = run(source, Channel(BLOCKING), {"n": 10})
    assert types(changes).count("COMPLETED") == 1


def test_a_signal_without_an_offset_is_executed_once_more_after_an_error() -> None:
    source = Log(end=12, open_at=11, faults=[DatabaseUnavailableError("gone")])
    source.breaks = "stream"
    channel = Once(Signal("one", BLOCKING.type, BLOCKING.data))
    assert types(run(source, channel, {"n": 10})) == ["STARTED", "COMPLETED"]


class Once(Channel):
    """A channel whose signals come once, as those of a file."""

    def acknowledge(self) -> None: ...

    def seek(self, offset: int | None) -> None:
        """Do nothing."""


def test_damaged_requests_are_skipped(caplog: pytest.LogCaptureFixture) -> None:
    source = Log(end=11)
    run(source, Channel(), {"n": 10, KEY: '[{"id": 1}]'})
    assert reads(source) == ["stream 10"]
    assert "damaged" in caplog.text


def test_an_offset_of_debezium_within_a_blocking_snapshot_streams() -> None:
    source = Log(end=11)
    run(source, Channel(), {"n": 10, "snapshot": "BLOCKING"})
    assert reads(source) == ["stream 10"]
