"""Watermarks that a read-only server refuses: chunks wait until it accepts writes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Final

from connector.capture.change import Notice
from connector.errors import ReadOnlyServerError

_PAUSE: Final = 1.0  # seconds until a watermark is written again
_SUBJECT: Final = "watermarks of incremental snapshots"


class RefusedMarks:
    """Whether the server is read-only, as one is that becomes a replica.

    Streaming goes on meanwhile.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until = 0.0
        self._reason = self._shown = ""

    def note(self, error: ReadOnlyServerError | None) -> None:
        """Note that a watermark was refused; or, without an error, that all were written."""
        self._reason = "" if error is None else str(error)
        self._until = 0.0 if error is None else self._clock() + _PAUSE

    @property
    def must_wait(self) -> bool:
        """Whether no watermark is to be written at present."""
        return self._clock() < self._until

    def notices(self) -> Iterator[Notice]:
        """Yield what the status shows, if it has changed."""
        if self._reason == self._shown:
            return
        self._shown = self._reason
        text = (
            "Incremental snapshots wait: the server is read-only, so watermarks cannot be written: "
            f"{self._reason}"
        )
        yield Notice(text if self._reason else "", _SUBJECT)
