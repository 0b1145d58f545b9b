"""How many bytes the producer's queue holds: the library counts messages only."""

from __future__ import annotations

from collections import deque


class QueueSize:
    """Sums of what was sent, from which the bytes of the last messages follow.

    Messages leave the queue about in the order in which they came. Only one thread notes, any may
    ask. A sum is kept for every ``step`` messages, so the answer is exact within as many.
    """

    def __init__(self, capacity: int) -> None:
        self._step = max(1, capacity // 1000)
        self._sums: deque[tuple[int, int]] = deque([(0, 0)], maxlen=1100)

    def note(self, messages: int, size: int) -> None:
        """Note how many messages, and how many bytes, were sent in all."""
        if messages - self._sums[-1][0] >= self._step:
            self._sums.append((messages, size))

    def bytes_of(self, count: int, messages: int, size: int) -> int:
        """Return the bytes of the last ``count`` of all messages that were sent."""
        if count <= 0 or not messages:
            return 0
        known = [one for one in tuple(self._sums) if one[0] <= messages - count]
        before, before_size = known[-1] if known else (0, 0)
        return round((size - before_size) * count / max(messages - before, 1))
