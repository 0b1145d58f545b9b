"""Stores the offset of a run behind its acknowledged messages, at the configured interval."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from typing import Any, Final

from connector.capture.change import Position, Progress
from connector.errors import MillraceError, TransientError
from connector.kafka.producer import Producer
from connector.plugin import TaskContext
from connector.task.inflight import Inflight
from connector.task.run_control import RunControl

log = logging.getLogger(__name__)

_COMMIT_AGAIN: Final = 5.0  # seconds until an offset that could not be stored is stored again


class OffsetCommitter:
    """Stores offsets of one run; used by the thread of its task."""

    def __init__(
        self,
        context: TaskContext,
        task: RunControl,
        partition: Mapping[str, Any],
        inflight: Inflight,
        producer: Producer,
    ) -> None:
        self._context = context
        self._task = task
        self._partition = partition
        self._inflight = inflight
        self._producer = producer
        self._next_commit = time.monotonic() + context.flush_interval
        self._unsaved: dict[str, Any] | None = None

    @property
    def is_stored(self) -> bool:
        """Whether the furthest offset that could be stored is stored."""
        return self._unsaved is None

    def commit_if_due(self) -> None:
        """Store the offset if the interval has elapsed."""
        if time.monotonic() >= self._next_commit:
            self.commit()

    def commit(self) -> None:
        """Store the furthest offset whose messages are all acknowledged."""
        self._next_commit = time.monotonic() + self._context.flush_interval
        found = self._inflight.committable(settled=not len(self._producer))
        self._unsaved = found or self._unsaved
        if self._unsaved is None or self._task.abandoned:
            return
        try:
            self._save(self._unsaved)
        except TransientError as error:  # the messages are delivered nevertheless
            self._next_commit = time.monotonic() + min(self._context.flush_interval, _COMMIT_AGAIN)
            reason = f"The offset is not stored: {error}"
            self._task.health.report_fault("offsets", reason, at_once=True)
            return
        self._task.health.recover("offsets")
        self._unsaved = None
        self._task.metrics.record_commit()

    def commit_after_error(self) -> None:
        """Store the offset of the last acknowledged message, after an error that ends the task."""
        try:
            self._producer.flush(self._context.flush_timeout)
            self.commit()
        except MillraceError as error:
            log.warning("The offset was not stored after the error: %s", error)

    def commit_before_restart(self) -> None:
        """Store the offset of the last acknowledged message without waiting, before a restart."""
        try:
            self.commit()
        except MillraceError as error:
            log.warning("The offset was not stored before the restart: %s", error)

    def _save(self, offset: Mapping[str, Any]) -> None:
        context = self._context
        with context.fence, self._task.health.watch("offsets", "Storing the offset takes long"):
            context.offsets.save(context.connector, self._partition, offset)


def offset_of(change: Progress[Position], counts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the offset of a progress; ``counts`` are those of the transaction in progress."""
    if change.restart is not None:
        return {**change.restart.to_offset(), **change.kept}
    return {**change.position.to_offset(), **change.kept, **counts}
