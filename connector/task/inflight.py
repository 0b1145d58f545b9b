"""What was sent and is not acknowledged yet; how far the offset may go.

Messages belong to spans: everything sent between two positions. A span is done when all its
messages are acknowledged. The offset may go to the end of the last span before which, and with
which, all spans are done.

What is delivered is not told message by message, which would cost a fifth of what sending one
does: the producer holds the span's receipt for each message that it still has. Where the library
does not, it reports each message: see `connector.kafka.receipts`.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Any
from weakref import ref

# A position with nothing sent before it is kept back for so long. Debezium stores only offsets
# of records: after a clean stop the statement that came last is read again, and consumers of
# the schema change topic see it again. Moving on at once would differ; never moving on would
# let the log be purged behind an idle connector.
IDLE_SECONDS = 60.0

# (error, message) of a message that is never delivered; whether to go on without it
Fail = Callable[[Any, Any], bool]


class Span:
    """Messages between two positions.

    The producer gets ``receipt`` with every message and holds it until it knows what became of
    the message: when nobody holds it any more, everything was delivered, or is `lost`. Nobody
    else may keep it, not even in a local variable: frames can outlive their calls.
    """

    __slots__ = ("_held", "delivered", "lost", "offset", "receipt", "sent")

    def __init__(self, fail: Fail) -> None:
        self.offset: dict[str, Any] | None = None
        self.sent = self.delivered = 0
        self.lost = False
        self.receipt = Receipt(self, fail)
        self._held = ref(self.receipt)

    @property
    def done(self) -> bool:
        """Whether all messages are delivered. The span is closed."""
        return not self.lost and (self._held() is None or self.delivered == self.sent)

    def close(self, offset: dict[str, Any]) -> None:
        """End the span at a position: no more messages."""
        self.offset = offset
        del self.receipt


class Receipt:
    """Is called for each message that is not delivered, or for all: without an error then."""

    __slots__ = ("__weakref__", "_fail", "_span")

    def __init__(self, span: Span, fail: Fail) -> None:
        self._span = span
        self._fail = fail

    def __call__(self, error: Any, message: Any) -> None:
        """Take note of a message that is delivered, or never will be."""
        if error is None or self._fail(error, message):
            self._span.delivered += 1
        else:
            self._span.lost = True


class Inflight:
    """Follows the spans of one task. Used by the task's thread only.

    ``fail`` is told the error of a message that will never be delivered, and decides whether
    it counts as done.
    """

    def __init__(self, fail: Fail, clock: Callable[[], float] = time.monotonic) -> None:
        self._fail = fail
        self._clock = clock
        self._closed: deque[Span] = deque()
        self._last_sent = clock()
        self.span = Span(fail)

    def close(self, offset: Callable[[], dict[str, Any]]) -> None:
        """End the present span at a position, given by its offset map when it is needed."""
        span = self.span
        if span.sent:
            self._last_sent = self._clock()
        elif self._clock() - self._last_sent < IDLE_SECONDS:
            return
        else:
            self._last_sent = self._clock()
        span.close(offset())
        self._closed.append(span)
        self.span = Span(self._fail)

    def committable(self, *, settled: bool = False) -> dict[str, Any] | None:
        """Return the furthest offset that may be stored, None when there is no new one.

        :param settled: the producer has no message any more, so that it holds no receipt.
        """
        offset = None
        closed = self._closed
        while closed and (closed[0].done or (settled and not closed[0].lost)):
            offset = closed.popleft().offset
        return offset
