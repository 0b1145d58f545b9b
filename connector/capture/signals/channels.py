"""Reads the channels beside the table; no signal is lost by an error of the stream."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from connector.capture.change import Notice
from connector.capture.signals.rest_channel import RestChannel
from connector.capture.signals.signal import Signal, SignalChannel


class SignalChannels:
    """The channels of one capture; used by its thread. ``interval`` is in seconds.

    ``offset`` is that of the last signal of a topic whose action has run. Its effect is stored soon
    after: an idle database has no records whose offset would store it.
    """

    def __init__(
        self,
        channels: Sequence[SignalChannel],
        interval: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.offset: int | None = None
        self._channels = channels
        self._interval = interval
        self._clock = clock
        self._next = clock()
        self._fault = ""
        # signals without offsets since the last saved state
        self._unsaved: list[Signal] = []
        self._repeated: list[Signal] = []
        self._is_rewound = False
        self._is_unstored = False
        self._stored: int | None = None

    @property
    def awaits_storage(self) -> bool:
        """Whether signals have run, and no stored offset has their effect."""
        return self._is_unstored and not self._repeated

    @property
    def rest(self) -> RestChannel | None:
        """The channel of the REST API, if it is enabled."""
        return next((one for one in self._channels if isinstance(one, RestChannel)), None)

    def is_due(self) -> bool:
        """Whether the interval has elapsed."""
        return self._clock() >= self._next

    def read(self) -> Iterator[Signal]:
        """Yield the new signals, and those that an error may have undone.

        The action of a signal runs before the next one is taken.
        """
        self._next = self._clock() + self._interval
        repeated, self._repeated = self._repeated, []
        self._unsaved += repeated
        yield from repeated
        for channel in self._channels:
            signals = channel.read()
            # All of them at once: an error of the first one must not lose the others.
            unsaved = [signal for signal in signals if signal.offset is None]
            self._unsaved += unsaved
            self._is_unstored |= bool(signals)
            for signal in signals:
                yield signal
                if signal.offset is not None:
                    self.offset = signal.offset
        if not self._is_unstored:
            self.acknowledge()

    def notices(self) -> Iterator[Notice]:
        """Yield why channels cannot be read, if that has changed."""
        fault = "; ".join(channel.fault for channel in self._channels if channel.fault)
        if fault != self._fault:
            self._fault = fault
            yield Notice(fault, "signals")

    def note_saved(self) -> None:
        """Note that a state is saved to which all signals have led."""
        self._unsaved.clear()

    def acknowledge(self) -> None:
        """Note that an offset is stored with what all signals have led to."""
        self._is_unstored = False
        self._stored = self.offset
        for channel in self._channels:
            channel.acknowledge()

    def rewind(self) -> None:
        """Read the signals since the saved state again."""
        self._repeated, self._unsaved = self._repeated + self._unsaved, []
        self._is_rewound = True

    def seek(self, offset: int | None) -> None:
        """Continue behind an offset of the topic; what later signals led to is not saved.

        A signal whose action failed is read again, though the offset is still that before it.
        """
        if offset != self.offset or self._is_rewound:
            self.offset, self._is_rewound = offset, False
            for channel in self._channels:
                channel.seek(offset)

    def start(self, offset: int | None) -> None:
        """Continue behind the last signal whose effect is stored."""
        self._stored = offset
        self.seek(offset)

    def close(self) -> None:
        """Release all connections; signals are done whose effect is stored."""
        for channel in self._channels:
            channel.close(self._stored)
