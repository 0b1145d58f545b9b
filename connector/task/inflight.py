"""Messages that are sent and not acknowledged yet, and the offset that may be stored.

Messages belong to spans: everything sent between two positions. A span is done when all its
messages are acknowledged. The offset may move to the end of the last span of an unbroken row of
spans that are done.

A delivery report for each message would cost a fifth of sending it. Instead the producer holds a
reference to the span's receipt for each message that is in flight, and releases it on delivery.
If the library does not, it reports each message: see `connector.kafka.delivery_tracking`.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Any
from weakref import ref

# A position with nothing sent before it is held back for so long. Debezium stores only offsets
# of records: after a clean shutdown it reads the last statement again, and consumers of the
# schema change topic see it again. Storing the position at once would differ; never storing it
# would let the server purge the log behind an idle connector.
IDLE_SECONDS = 60.0

# (error, message) of a message that is never delivered → whether to continue without it
OnFailure = Callable[[Any, Any], bool]
ToOffset = Callable[[], dict[str, Any]]
"""Returns the offset map of a position. Most positions are never stored, so it is made late."""


class Span:
    """Messages between two positions.

    The producer gets ``receipt`` with every message and holds it until the message is delivered
    or has failed: once it is released, each message is delivered, or the span is `lost`. No other
    code may keep a reference, not even in a local variable: frames can outlive their calls.
    """

    __slots__ = ("_reference", "delivered", "lost", "offset", "receipt", "sent")

    def __init__(self, on_failure: OnFailure) -> None:
        self.offset: ToOffset | None = None
        self.sent = self.delivered = 0
        self.lost = False
        self.receipt = DeliveryReceipt(self, on_failure)
        self._reference = ref(self.receipt)

    @property
    def is_done(self) -> bool:
        """Whether all messages of the span, which is closed, are delivered."""
        return not self.lost and (self._reference() is None or self.delivered == self.sent)

    def close(self, offset: ToOffset) -> None:
        """End the span at a position: no more messages."""
        self.offset = offset
        del self.receipt


class DeliveryReceipt:
    """The delivery callback of a span's messages: for failures only, or for all of them."""

    __slots__ = ("__weakref__", "_on_failure", "_span")

    def __init__(self, span: Span, on_failure: OnFailure) -> None:
        self._span = span
        self._on_failure = on_failure

    def __call__(self, error: Any, message: Any) -> None:
        """Count a message that is delivered, or has failed."""
        if error is None or self._on_failure(error, message):
            self._span.delivered += 1
        else:
            self._span.lost = True


class Inflight:
    """Tracks the spans of one task. Used by the task's thread only.

    ``on_failure`` gets the error of a message that will never be delivered, and decides whether
    the message counts as delivered.
    """

    def __init__(self, on_failure: OnFailure, clock: Callable[[], float] = time.monotonic) -> None:
        self._on_failure = on_failure
        self._clock = clock
        self._closed: deque[Span] = deque()
        self._last_sent = clock()
        self.span = Span(on_failure)

    def close(self, offset: ToOffset, *, is_due: bool = False) -> None:
        """End the present span at a position.

        :param is_due: the position is stored at once, even if nothing was sent before it.
        """
        span = self.span
        if not (span.sent or is_due) and self._clock() - self._last_sent < IDLE_SECONDS:
            return
        self._last_sent = self._clock()
        span.close(offset)
        closed = self._closed
        closed.append(span)
        while len(closed) > 1 and closed[0].is_done and closed[1].is_done:
            closed.popleft()  # the next one is further
        self.span = Span(self._on_failure)

    def committable(self, *, settled: bool = False) -> dict[str, Any] | None:
        """Return the furthest offset that may be stored, None when there is no new one.

        :param settled: the producer has no messages in flight, so it holds no receipt.
        """
        offset = None
        closed = self._closed
        while closed and (closed[0].is_done or (settled and not closed[0].lost)):
            offset = closed.popleft().offset
        return None if offset is None else offset()
