"""What was processed before a restart: the rest of a group of events is skipped up to there."""

from __future__ import annotations

import logging

from connector.mysql.binlog.row_events import RowEventTranslator
from connector.mysql.position.binlog_position import BinlogPosition
from connector.mysql.position.coordinates import Coordinates

log = logging.getLogger(__name__)


class Resumption:
    """Skips the part of the first group that was processed, if the group begins there.

    :param done: that part; None if nothing was.
    :param annotations: whether the server sends the statements of rows.
    """

    def __init__(
        self,
        at: Coordinates,
        row_events: RowEventTranslator,
        done: BinlogPosition | None,
        *,
        annotations: bool,
    ) -> None:
        self._at = at
        self._row_events = row_events
        self._done = done
        self._resumed_at = at.position() if at.in_transaction else None
        self._annotations = annotations

    @property
    def is_over(self) -> bool:
        """Whether all that was processed is behind."""
        return self._done is None and self._resumed_at is None

    def position(self) -> BinlogPosition:
        """Return the position from which a restart would read.

        Within a group it stays where it was until all that is done was skipped: a lower count
        repeats events, and events before the group, such as ROTATE, do not count.
        """
        if self._resumed_at is not None:
            row_events = self._row_events
            if self._done is not None or row_events.events_to_skip or row_events.rows_to_skip:
                return self._resumed_at
            self._resumed_at = None
        return self._at.position()

    def skip_processed(self) -> None:
        """Prepare to skip the events of a group that were processed before the restart.

        Their count is valid in its own log only. If that is unknown, the first group that begins
        at the same position is assumed to be the same one.
        """
        done, at, row_events = self._done, self._at, self._row_events
        row_events.events_to_skip = row_events.rows_to_skip = 0
        if done is None:
            return
        if (done.file, done.pos) == (at.restart_file, at.restart_pos):
            events = done.events_sent(annotations=self._annotations)
            row_events.events_to_skip, row_events.rows_to_skip = events, done.row
        elif done.server is not None:
            self._resumed_at = None
            return
        elif done.in_group:
            log.info("The transaction in which the capture stopped is read again from its start")
        self._done = None
