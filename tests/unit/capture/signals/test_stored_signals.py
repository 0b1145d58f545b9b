"""Signals of a topic are done when an offset with their effect is stored, not before."""

from __future__ import annotations

from collections.abc import Iterator

from connector.capture.change import Change, HeartbeatDue, Progress
from connector.capture.signals.processor import SignalOptions, Signals
from connector.capture.signals.signal import Signal
from tests.unit.capture.incremental.simulated import At
from tests.unit.capture.signals.listed_channel import Channel
from tests.unit.capture.signals.recorded_requests import Stream

POSITION = Signal("one", "set-binlog-position", {"n": 3}, 7)


def run(made: Signals) -> Iterator[Change]:
    return made.weave(iter([Progress(At(1)), HeartbeatDue(), Progress(At(1)), HeartbeatDue()]))


def test_the_group_does_not_move_behind_a_signal_whose_effect_is_not_stored() -> None:
    """A start without the signal in its offset continues where the group is: it would be lost."""
    channel = Channel(POSITION)
    made = Signals(SignalOptions(interval=0.0), (channel,), stream=Stream())
    for change in run(made):
        if isinstance(change, Progress) and change.restart is not None:
            break  # the task stops before it has stored this
    made.close()
    assert channel.closed == [None]


def test_the_effect_of_a_signal_is_stored_at_once() -> None:
    """An idle database has no records whose offset would store it."""
    channel = Channel(POSITION)
    made = Signals(SignalOptions(interval=0.0), (channel,), stream=Stream())
    found = [change for change in run(made) if isinstance(change, Progress)]
    [stored] = [change for change in found if change.is_due]
    assert stored.restart == At(3)
    assert stored.kept["millrace_signal_offset"] == 7
    made.close()
    assert channel.closed == [7]
