"""A channel of listed signals."""

from __future__ import annotations

from connector.capture.incremental.pace import IncrementalOptions
from connector.capture.incremental.snapshot import IncrementalSnapshot
from connector.capture.notifications import Notifications
from connector.capture.signals.processor import SignalOptions, Signals
from connector.capture.signals.signal import Signal
from tests.unit.capture.incremental.simulated import Chunks, Database


class Channel:
    """Signals in memory, by their offsets."""

    def __init__(self, *signals: Signal) -> None:
        self._signals = signals
        self._next = 0
        self.closed: list[int | None] = []
        self.fault = ""
        self.acknowledged = 0

    def read(self) -> list[Signal]:
        found = [signal for signal in self._signals if (signal.offset or 0) >= self._next]
        self._next = max((signal.offset or 0 for signal in self._signals), default=-1) + 1
        return found

    def seek(self, offset: int | None) -> None:
        self._next = 0 if offset is None else offset + 1

    def acknowledge(self) -> None:
        self.acknowledged += 1

    def close(self, offset: int | None) -> None:
        self.closed.append(offset)


def signals(channel: Channel) -> Signals:
    return signals_with_chunks(channel)[0]


def signals_with_chunks(channel: Channel) -> tuple[Signals, Chunks]:
    """Return signals of a channel with what their snapshots read."""
    chunks = Chunks(Database({1: (1, "a")}))
    incremental = IncrementalSnapshot(chunks, Notifications("p", ("sink",)), IncrementalOptions())
    return Signals(SignalOptions(interval=0.0), (channel,), incremental), chunks
