"""Signals from the REST API, kept in memory until the capture reads them."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from connector.capture.signals.signal import Signal, parse_signal
from connector.errors import ConflictError

_KEPT: Final = 100


@dataclass(slots=True)
class ReceivedSignal:
    """A signal and when it came, in milliseconds.

    ``taken``: the capture has taken it; ``read``: what it led to is stored, too.
    """

    signal: Signal
    received: int
    taken: bool = False
    read: bool = False

    def report(self) -> dict[str, object]:
        """Return it as the REST API shows it."""
        return {
            "id": self.signal.id,
            "type": self.signal.type,
            "data": self.signal.data,
            "state": "READ" if self.read else "WAITING",
            "received": self.received,
        }


class RestChannel:
    """The channel ``rest``; any thread adds signals, the task's thread reads them."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self.fault = ""
        self._now = now
        self._lock = threading.Lock()
        self._signals: deque[ReceivedSignal] = deque(maxlen=_KEPT)

    def continue_from(self, previous: RestChannel) -> None:
        """Take the signals of the channel of the run before; those are read again that it has not
        stored.
        """
        with previous._lock, self._lock:
            for one in previous._signals:
                one.taken = one.read
            self._signals.extend(previous._signals)

    def add(self, identity: str, type_: str, data: Mapping[str, Any]) -> Mapping[str, object]:
        """Add a signal and return it as the REST API shows it.

        :raises ConflictError: too many wait to be read.
        """
        signal = parse_signal(identity, type_, json.dumps(data))
        assert signal is not None
        received = ReceivedSignal(signal, int(self._now() * 1000))
        with self._lock:
            if len(self._signals) == _KEPT and not self._signals[0].read:
                raise ConflictError(
                    f"{_KEPT} signals wait already; the task has to read them first."
                )
            self._signals.append(received)
        return received.report()

    def report(self) -> list[Mapping[str, object]]:
        """Return the last signals, the oldest first."""
        with self._lock:
            return [one.report() for one in self._signals]

    def read(self) -> list[Signal]:
        """Return the signals that came since the last call."""
        with self._lock:
            found = [one for one in self._signals if not one.taken]
            for one in found:
                one.taken = True
        return [one.signal for one in found]

    def seek(self, offset: int | None) -> None:
        """Do nothing: there are no offsets."""

    def acknowledge(self) -> None:
        """Note that what the signals that were read led to is stored."""
        with self._lock:
            for one in self._signals:
                one.read = one.taken

    def close(self, offset: int | None) -> None:
        """Do nothing: nothing is open."""
