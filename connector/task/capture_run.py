"""One run of a capture task: reads changes, sends their messages and stores offsets."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any

from connector import allocator
from connector.capture.backoff import Backoff
from connector.capture.change import (
    CaughtUp,
    Change,
    EventBatch,
    FailedTables,
    HeartbeatDue,
    Notice,
    Position,
    Progress,
    Waiting,
)
from connector.capture.engine import Engine
from connector.capture.heartbeat import Heartbeat
from connector.data.record import Message
from connector.errors import MillraceError, RefusedMessageError, RegistryUnavailableError
from connector.kafka.producer import Producer
from connector.native import joined
from connector.plugin import TaskContext
from connector.task.capture import OpenCapture
from connector.task.delivery_watch import DeliveryWatch
from connector.task.inflight import Inflight, Span
from connector.task.offset_commits import OffsetCommitter, offset_of
from connector.task.pipeline import Pipeline
from connector.task.row_groups import RowGroup, group_rows
from connector.task.run_control import RunControl
from connector.task.run_id import new_run_id
from connector.task.tolerance import ErrorTolerance
from connector.task.topic_partitions import TopicPartitions
from connector.task.transform_chain import chain, compilable

log = logging.getLogger(__name__)

_PATIENCE = 0.05  # seconds to wait for room in the producer's queue before other checks


class CaptureRun:
    """One run of a task: a source, a pipeline and a producer."""

    def __init__(self, context: TaskContext, open_capture: OpenCapture, task: RunControl) -> None:
        self._context = context
        self._task = task
        self._metrics = task.metrics
        self.sent = 0
        self._capture = open_capture(context.config, context, new_run_id())
        self._tolerance = ErrorTolerance(context.config, self._metrics.record_skipped)
        self._pipeline = Pipeline(
            self._capture.encoder,
            context.converters,
            chain(context.transforms),
            self._tolerance.skip,
            self._await_registry,
            compilable=compilable(context.transforms),
        )
        batch = {} if task.batch_bytes is None else {"batch.size": task.batch_bytes}
        self._producer = Producer({**context.producer, **batch})
        capture = self._capture
        self._metrics.start_run(capture, self._producer)
        self._metrics.tags = capture.metric_tags
        self._metrics.ask(capture.encoder.native_columns, capture.source.known_tables)
        if self._capture.signals is not None:
            task.use_channel(self._capture.signals.rest_channel)
        self._failed: MillraceError | None = None
        self._inflight = Inflight(self._not_delivered)
        self.offsets = OffsetCommitter(
            context, task, capture.partition, self._inflight, self._producer
        )
        self._heartbeat = Heartbeat(self._capture.heartbeat_interval)
        self._partition_count = TopicPartitions(context).count
        self._counts: Mapping[str, Any] = {}
        self._backoff = Backoff()
        self._watch = DeliveryWatch(self._producer, context.topics, task.health)
        self._cancel_abort = context.fence.on_close(self._producer.abort)
        context.fence.observer = self._report_wait

    def capture(self) -> None:
        """Read, send and commit until the task stops."""
        offset = self._context.offsets.load(self._context.connector, self._capture.partition)
        if offset:
            self._counts = offset
            self._pipeline.transaction.restore(offset)
        capture = self._capture
        engine = Engine(capture.source, capture.engine, self._metrics.progress, capture.signals)
        with suppress(_RunStoppedError):
            for change in group_rows(engine.changes(offset)):
                self._handle(change)
                if self._task.stopping and self._can_stop(change):
                    break
            while not self._task.stopping:  # without a stream it stays, as a task of Connect does
                self._tick(0.2)
        self._finish()

    def close(self) -> None:
        """Close the source and the producer, each even if another raises an error."""
        capture = self._capture
        self._metrics.ask(tuple, tuple)  # a task that failed keeps no table
        with ExitStack() as last_first:
            last_first.callback(allocator.trim)  # the next task's thread may use another arena
            last_first.callback(self._context.topics.close)
            last_first.callback(self._producer.close)
            last_first.callback(self._cancel_abort)
            for part in (capture.heartbeat_action, capture.signals, capture.source):
                if part is not None:
                    last_first.callback(part.close)

    def _handle(self, change: RowGroup | Change) -> None:
        if change.__class__ is not Waiting:
            self._task.health.recover("history")
        if isinstance(change, (list, EventBatch)):
            self._send_rows(change)
            return
        self._metrics.record_change(change)
        if isinstance(change, Progress):
            self._progress(change)
            self._tick(0)
        elif isinstance(change, CaughtUp):
            self._producer.push()
        elif isinstance(change, Waiting):
            self._waiting(change)
        elif isinstance(change, (Notice, FailedTables)):
            self._notice(change)
        elif not isinstance(change, HeartbeatDue):
            self._send(self._pipeline.messages(change))
        elif self._heartbeat.due(now=change.now):
            self._send(self._pipeline.messages(change))
            if self._capture.heartbeat_action is not None:
                self._capture.heartbeat_action.run()

    def _send_rows(self, rows: RowGroup | EventBatch) -> None:
        """Send the messages of some changes; those before one that fails are sent, too."""
        self._metrics.record_rows(rows)
        parts: list[Iterable[Message]] = []
        try:
            self._pipeline.write(rows, parts)
        finally:
            self._send(joined(parts))

    def _notice(self, change: Notice | FailedTables) -> None:
        if isinstance(change, Notice):
            self._task.health.notice(change.text, change.about)
        else:
            self._task.health.notice(str(change), "incremental snapshots")

    def _waiting(self, change: Waiting) -> None:
        health = self._task.health
        if change.reason:
            # The stream restarts behind the last progress, and counts again what came after it.
            self._pipeline.transaction.restore(self._counts)
            health.report_fault(change.cause, change.reason, at_once=True)
        else:
            health.recover("database")
            health.recover("history")
            health.enter("RUNNING")
        self._tick(change.seconds)

    def _report_wait(self, reason: str) -> None:
        """Report what the task's thread waits for inside another component.

        :raises _RunStoppedError: the task stops, and must not wait any longer.
        """
        self._task.health.report_fault("history", reason)
        if not self._task.seconds_left:
            raise _RunStoppedError

    def _await_registry(self, error: RegistryUnavailableError | None, attempt: int) -> None:
        """Wait before the schema registry is asked again; without an error it has answered.

        :raises _RunStoppedError: the task stops, and must not wait any longer.
        """
        if error is None:
            self._task.health.recover("registry")
            return
        self._task.health.report_fault("registry", f"{error}; asking again", at_once=True)
        until = time.monotonic() + self._backoff.delay(attempt)
        while not self._task.stopping and time.monotonic() < until:
            self._producer.poll(_PATIENCE)
            self._raise_failure()
            self.offsets.commit_if_due()
        if self._task.stopping or self._task.abandoned:
            raise _RunStoppedError

    def _can_stop(self, change: RowGroup | Change) -> bool:
        """Return whether a stop here repeats nothing: all that was sent lies before a position.

        A source that waits for its database yields no position.
        """
        return not self._inflight.span.sent or isinstance(change, Waiting)

    def _progress(self, change: Progress[Position]) -> None:
        self._counts = self._pipeline.transaction.to_offset()
        self._inflight.close(partial(offset_of, change, self._counts), is_due=change.is_due)
        if change.is_due:
            self._store_offset()

    def _send(self, messages: Iterable[Message]) -> None:
        span, producer = self._inflight.span, self._producer
        sent, size = producer.sent, producer.sent_bytes
        waiting = iter(messages)
        refused: Message | None = None
        while True:
            try:
                if refused is not None:
                    self._send_when_possible(refused, span)
                with self._context.fence:
                    refused = producer.send(waiting, self._partition_count, span.receipt)
            except RefusedMessageError as error:
                refused = None
                if not self._tolerance.skip("PRODUCE", error, error.topic):
                    raise
            else:
                if refused is None:
                    break
        if producer.sent_bytes - size > producer.queue_bytes:
            self._deliver_huge_messages()
        self.sent += 1
        span.sent += producer.sent - sent
        self._metrics.records += producer.sent - sent
        self._metrics.bytes_sent += producer.sent_bytes - size

    def _deliver_huge_messages(self) -> None:
        """Wait for the acknowledgements of a change: there is no memory for another like it."""
        self._wait_for_producer(lambda: self._producer.flush(_PATIENCE))
        allocator.trim()

    def _send_when_possible(self, message: Message, span: Span) -> None:
        """Wait for room in the producer's queue: this is what bounds the memory."""
        self._wait_for_producer(lambda: self._try_send(message, span))

    def _wait_for_producer(self, condition: Callable[[], bool]) -> None:
        while not condition():
            self._producer.poll(_PATIENCE)
            self._watch.check()
            self._raise_failure()
            self.offsets.commit_if_due()
            if not self._task.seconds_left or self._task.abandoned:
                raise _RunStoppedError

    def _try_send(self, message: Message, span: Span) -> bool:
        with self._context.fence:
            return self._producer.send((message,), self._partition_count, span.receipt) is None

    def _tick(self, seconds: float) -> None:
        self._producer.poll(seconds)
        self._watch.check()
        self._raise_failure()
        self.offsets.commit_if_due()
        if self._task.paused:
            self._pause()

    def _pause(self) -> None:
        """Read nothing until the task resumes; deliveries and offsets are still handled."""
        self._task.health.enter("PAUSED")
        while self._task.paused and not self._task.stopping:
            self._producer.poll(0.1)
            self._watch.check()
            self._raise_failure()
            self.offsets.commit_if_due()
        self._task.health.enter("RUNNING")

    def _store_offset(self) -> None:
        """Wait until all that was sent is acknowledged and its offset is stored."""
        self._wait_for_producer(lambda: self._producer.flush(_PATIENCE))
        self.offsets.commit()
        self._wait_for_producer(lambda: self.offsets.is_stored)

    def _finish(self) -> None:
        if not self._producer.flush(min(self._context.flush_timeout, self._task.seconds_left)):
            log.warning("%d messages are not acknowledged at the stop", len(self._producer))
        self._raise_failure()
        self.offsets.commit()

    def _not_delivered(self, error: Any, message: Any) -> bool:
        fault = self._producer.classify_failure(error, message)
        if self._tolerance.skip("PRODUCE", fault, message.topic()):
            return True
        self._failed = self._failed or fault
        return False

    def _raise_failure(self) -> None:
        if self._failed is not None:
            raise self._failed


class _RunStoppedError(Exception):
    """The task stops while it waits for Kafka; what could not be sent is read again."""
