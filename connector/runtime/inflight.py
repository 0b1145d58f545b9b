"""What was sent and is not acknowledged yet; how far the offset may go.

Messages are counted by spans: everything sent between two positions. A span is done when all
its messages are acknowledged. The offset may go to the end of the last span before which, and
with which, all spans are done.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Any

# A position with nothing sent before it is kept back for so long. Debezium stores only offsets
# of records: after a clean stop the statement that came last is read again, and consumers of
# the schema change topic see it again. Moving on at once would differ; never moving on would
# let the log be purged behind an idle connector.
IDLE_SECONDS = 60.0

# (error, message) of a message that is never delivered; whether to go on without it
Fail = Callable[[Any, Any], bool]


class Span:
    """Messages between two positions."""

    __slots__ = ("_fail", "offset", "pending", "sent")

    def __init__(self, fail: Fail) -> None:
        self._fail = fail
        self.offset: dict[str, Any] | None = None
        self.pending = 0
        self.sent = 0

    def acknowledged(self, error: Any, message: Any) -> None:
        """Count a delivery report."""
        if error is None or self._fail(error, message):
            self.pending -= 1


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
        span.offset = offset()
        self._closed.append(span)
        self.span = Span(self._fail)

    def committable(self) -> dict[str, Any] | None:
        """Return the furthest offset that may be stored, None when there is no new one."""
        offset = None
        while self._closed and not self._closed[0].pending:
            offset = self._closed.popleft().offset
        return offset

    @property
    def pending(self) -> int:
        """How many messages are not acknowledged."""
        return self.span.pending + sum(span.pending for span in self._closed)
