"""Signals of a channel beside the table: none is lost by an error or a restart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from connector.capture.change import (
    Change,
    EventBatch,
    HeartbeatDue,
    Notice,
    Progress,
    RowChanges,
    RowsOfKind,
)
from connector.capture.signals.channels import SignalChannels
from connector.capture.signals.processor import SignalOptions, Signals
from connector.capture.signals.signal import Signal
from connector.capture.snapshot_events import Notification
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import Table, TableId
from connector.data.schema import struct
from connector.errors import DatabaseUnavailableError
from tests.unit.capture.incremental.simulated import At
from tests.unit.capture.signals.listed_channel import Channel, signals, signals_with_chunks

EXECUTE = Signal("one", "execute-snapshot", {"data-collections": ["d.t"]}, 7)


def stream(*changes: Change | Exception) -> Iterator[Change]:
    for change in changes:
        if isinstance(change, Exception):
            raise change
        yield change


def started(changes: list[Change]) -> int:
    found = [change.type for change in changes if isinstance(change, Notification)]
    return found.count("STARTED")


def kept_values(changes: list[Change]) -> list[dict[str, Any]]:
    return [dict(change.kept) for change in changes if isinstance(change, Progress)]


def test_the_offset_keeps_the_last_signal() -> None:
    channel = Channel(EXECUTE)
    made = signals(channel)
    changes = list(made.weave(stream(HeartbeatDue(), Progress(At(1)))))
    assert started(changes) == 1
    assert kept_values(changes)[0]["millrace_signal_offset"] == 7
    made.close()
    assert channel.closed == [None], "its effect is not stored"


def batch() -> EventBatch:
    table = Table(TableId("other", "t"), ())
    codec = TableEventSchema(table, "t", None, struct("v"), struct("v"), (), ())
    rows: Any = [(None, ())]
    return EventBatch([RowsOfKind(codec, "c", 1, 1)], [(0, rows, (1,)), (0, rows, (2,))])


def test_a_batch_stays_one_while_no_chunk_is_read() -> None:
    made, _ = signals_with_chunks(Channel(EXECUTE))
    whole = batch()
    before, *later = made.weave(stream(whole, HeartbeatDue(), Progress(At(1)), batch()))
    assert before is whole
    assert not any(isinstance(change, EventBatch) for change in later)
    changes = [change for change in later if isinstance(change, RowChanges) and change.op == "c"]
    assert [change.source for change in changes] == [(1,), (2,)]


def test_a_signal_before_an_error_is_read_again() -> None:
    channel = Channel(EXECUTE)
    made = signals(channel)
    seen: list[Change] = []
    with pytest.raises(DatabaseUnavailableError):
        seen.extend(made.weave(stream(HeartbeatDue(), DatabaseUnavailableError("gone"))))
    assert started(list(made.weave(stream(HeartbeatDue(), Progress(At(1)))))) == 1


def test_a_signal_of_a_topic_whose_action_fails_is_read_again() -> None:
    made, chunks = signals_with_chunks(Channel(EXECUTE))
    chunks.is_lost = True
    with pytest.raises(DatabaseUnavailableError):
        list(made.weave(stream(HeartbeatDue())))
    made.rewind()
    assert started(list(made.weave(stream(HeartbeatDue(), Progress(At(1)))))) == 1


def test_signals_behind_one_whose_action_fails_are_read_again() -> None:
    listed = [Signal(name, "log", {}) for name in ("first", "second", "third")]
    channels = SignalChannels((Channel(*listed),), 0.0)
    assert next(channels.read()) == listed[0]
    channels.rewind()
    assert list(channels.read()) == listed


def test_a_signal_before_a_restart_is_not_read_again() -> None:
    made = signals(Channel(EXECUTE))
    made.restore({"millrace_signal_offset": 7})
    changes = list(made.weave(stream(HeartbeatDue(), Progress(At(1)))))
    assert started(changes) == 0
    assert kept_values(changes) == [{"millrace_signal_offset": 7}]


def test_a_connector_that_stops_at_once_has_nothing_to_commit() -> None:
    channel = Channel(EXECUTE)
    signals(channel).close()
    assert channel.closed == [None]


def notices(changes: list[Change]) -> list[str]:
    return [change.text for change in changes if isinstance(change, Notice)]


def test_a_channel_that_cannot_be_read_is_a_notice_until_it_can() -> None:
    channel = Channel()
    made = Signals(SignalOptions(interval=0.0), (channel,))
    channel.fault = "no broker"
    assert notices(list(made.weave(stream(HeartbeatDue(), HeartbeatDue())))) == ["no broker"]
    channel.fault = ""
    assert notices(list(made.weave(stream(HeartbeatDue(), HeartbeatDue())))) == [""]


def test_signals_without_offsets_are_acknowledged_when_their_effect_is_stored() -> None:
    """Before anything else is emitted, and not before a signal that failed has run again."""
    channel = Channel(Signal("one", "execute-snapshot", {"data-collections": ["d.t"]}))
    made, chunks = signals_with_chunks(channel)
    chunks.is_lost = True
    with pytest.raises(DatabaseUnavailableError):
        list(made.weave(stream(Progress(At(1)), HeartbeatDue())))
    made.rewind()
    seen: list[Change] = []
    for change in made.weave(stream(Progress(At(1)), HeartbeatDue(), Progress(At(2)))):
        due = [one for one in seen if isinstance(one, Progress) and one.is_due]
        assert channel.acknowledged == len(due)
        seen.append(change)
    assert channel.acknowledged == 1
    [stored] = [one for one in seen if isinstance(one, Progress) and one.is_due]
    assert "incremental_snapshot_collections" in stored.kept
    assert started(seen) == 1


def test_a_file_without_signals_is_acknowledged() -> None:
    channel = Channel()
    assert kept_values(list(signals(channel).weave(stream(Progress(At(1)), HeartbeatDue())))) == [
        {}
    ]
    assert channel.acknowledged == 1
