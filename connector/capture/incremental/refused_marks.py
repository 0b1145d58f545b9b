"""Watermarks that cannot be written or read: chunks wait until they can."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Final

from connector.capture.backoff import Backoff
from connector.capture.change import Notice
from connector.errors import MillraceError, ReadOnlyServerError

_PAUSES: Final = Backoff(first=1.0, longest=15.0, jitter=lambda: 1.0)
_SUBJECT: Final = "watermarks of incremental snapshots"


class RefusedMarks:
    """Why no chunk can be read between two watermarks at present.

    The server may be read-only, as a primary is that becomes a replica, or has no session left, or
    another session locks the table of signals. Streaming goes on meanwhile.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until = 0.0
        self._attempts = 0
        self._reason = self._shown = ""

    def note(self, error: MillraceError | None) -> None:
        """Note what failed; or, without an error, that both watermarks were taken."""
        if error is None:
            self._reason, self._attempts, self._until = "", 0, 0.0
            return
        is_read_only = isinstance(error, ReadOnlyServerError)
        cause = "the server is read-only, so watermarks cannot be written: " if is_read_only else ""
        self._reason = f"Incremental snapshots wait: {cause}{error}"
        self._attempts = 1 if is_read_only else self._attempts + 1
        self._until = self._clock() + _PAUSES.delay(self._attempts)

    @property
    def must_wait(self) -> bool:
        """Whether no watermark is to be taken at present."""
        return self._clock() < self._until

    def notices(self) -> Iterator[Notice]:
        """Yield what the status shows, if it has changed."""
        if self._reason == self._shown:
            return
        self._shown = self._reason
        yield Notice(self._reason, _SUBJECT)
