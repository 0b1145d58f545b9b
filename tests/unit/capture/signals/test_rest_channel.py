"""Signals that wait for their capture."""

from __future__ import annotations

import pytest

from connector.capture.signals.rest_channel import _KEPT, RestChannel
from connector.errors import ConflictError


def test_no_signal_that_was_accepted_is_dropped() -> None:
    channel = RestChannel()
    for number in range(_KEPT):
        channel.add(str(number), "log", {})
    with pytest.raises(ConflictError, match="wait already"):
        channel.add("one more", "log", {})
    assert [signal.id for signal in channel.read()] == [str(number) for number in range(_KEPT)]
    with pytest.raises(ConflictError, match="wait already"):
        channel.add("one more", "log", {})
    channel.acknowledge()
    channel.add("one more", "log", {})
    assert [signal.id for signal in channel.read()] == ["one more"]
    channel.acknowledge()
    assert [one["state"] for one in channel.report()] == ["READ"] * _KEPT


def test_what_a_run_has_not_stored_is_read_by_the_next_one() -> None:
    before, channel = RestChannel(), RestChannel()
    before.add("stored", "log", {})
    before.read()
    before.acknowledge()
    before.add("read", "log", {})
    before.read()
    assert [one["state"] for one in before.report()] == ["READ", "WAITING"]
    channel.continue_from(before)
    assert [signal.id for signal in channel.read()] == ["read"]
