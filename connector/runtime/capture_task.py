"""A running capture: one thread that reads changes, sends messages and stores offsets."""

from __future__ import annotations

import logging
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from connector.capture.change import Change, HeartbeatDue, Progress, Waiting
from connector.capture.engine import Backoff, Engine, EngineOptions
from connector.capture.heartbeat import Heartbeat
from connector.capture.source import Source
from connector.data.record import Message
from connector.debezium.events import EventOptions
from connector.errors import Retry, decide
from connector.kafka.producer import Producer, failure
from connector.runtime.inflight import Inflight
from connector.runtime.pipeline import Pipeline
from connector.runtime.plugin import TaskContext
from connector.transforms import chain

log = logging.getLogger(__name__)

_STALL = 10  # seconds without room in the queue after which the status tells of it
_PATIENCE = 0.05  # seconds to wait for room in the producer's queue before looking around


@dataclass(frozen=True, slots=True)
class Capture:
    """What a database connector makes of its configuration, for one task."""

    source: Source
    engine: EngineOptions
    events: EventOptions
    heartbeat_interval: float
    partition: Mapping[str, str]


class OpenCapture(Protocol):
    """Builds a capture; nothing is connected yet."""

    def __call__(self, config: Mapping[str, str], context: TaskContext, run: str) -> Capture:
        """Read the configuration.

        :raises ConfigError: a value cannot be used.
        """
        ...


class CaptureTask:
    """Runs one connector's capture; see `connector.runtime.plugin.Task` for its lifecycle."""

    def __init__(
        self,
        context: TaskContext,
        open_capture: OpenCapture,
        backoff: Backoff | None = None,
    ) -> None:
        self._context = context
        self._open_capture = open_capture
        self._backoff = backoff or Backoff()
        self._stopping = threading.Event()
        self._abandoned = threading.Event()
        self._paused = threading.Event()
        name = f"task-{context.connector}-{context.task}"
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin; returns at once."""
        self._thread.start()

    def pause(self) -> None:
        """Ask to stop reading."""
        self._paused.set()

    def resume(self) -> None:
        """Ask to go on reading."""
        self._paused.clear()

    def stop(self, timeout: float) -> bool:
        """Finish: send what was read, store the offset, close everything."""
        self._stopping.set()
        if not self._thread.ident:
            return True
        self._thread.join(timeout)
        if self._thread.is_alive():
            self._abandoned.set()
            return False
        return True

    def _run(self) -> None:
        """Capture until told to stop; faults of Kafka that pass make it start anew."""
        attempt = 0
        while not self._stopping.is_set():
            run = None
            try:
                run = _Run(self._context, self._open_capture, self)
                run.capture()
            except BaseException as error:
                if self.abandoned:
                    return
                fate = decide(error)
                if not isinstance(fate, Retry):
                    log.exception("Task %s failed", self._thread.name)
                    self._context.report("FAILED", fate.trace)
                    return
                attempt = 1 if run is not None and run.sent else attempt + 1
                log.warning("%s; the task starts again", fate.reason)
                self._context.report("RUNNING", fate.reason)
                self._stopping.wait(self._backoff.delay(attempt))
            finally:
                if run is not None:
                    run.close()

    @property
    def stopping(self) -> bool:
        """Whether the task is to end."""
        return self._stopping.is_set()

    @property
    def paused(self) -> bool:
        """Whether the task is not to read for now."""
        return self._paused.is_set()

    @property
    def abandoned(self) -> bool:
        """Whether the worker does not wait for the task any more: nothing may be stored."""
        return self._abandoned.is_set()


class _Run:
    """One attempt of a task: a source, a producer and what is between them."""

    def __init__(self, context: TaskContext, open_capture: OpenCapture, task: CaptureTask) -> None:
        self._context = context
        self._task = task
        self.sent = 0
        self._capture = open_capture(context.config, context, str(_uuid7()))
        self._pipeline = Pipeline(
            self._capture.events,
            context.converter("key"),
            context.converter("value"),
            context.converter("header"),
            chain(context.transforms),
        )
        self._producer = Producer(context.producer)
        self._failed: tuple[Any, str] | None = None  # the error, and the topic
        self._inflight = Inflight(self._not_delivered)
        self._heartbeat = Heartbeat(self._capture.heartbeat_interval)
        self._partitions: dict[str, int] = {}
        self._next_commit = time.monotonic() + context.flush_interval
        self._reported: tuple[str, str | None] | None = None

    def capture(self) -> None:
        """Read, send and commit until the task is to stop."""
        offset = self._context.offsets.load(self._context.connector, self._capture.partition)
        if offset:
            self._pipeline.transaction.restore(offset)
        engine = Engine(self._capture.source, self._capture.engine)
        with suppress(_StoppedError):
            for change in engine.changes(offset):
                self._handle(change)
                if self._task.stopping:
                    break
            while not self._task.stopping:  # nothing to stream: stay, as a task in Connect does
                self._tick(0.2)
        self._finish()

    def close(self) -> None:
        """Release everything, whatever happened."""
        self._capture.source.close()
        self._producer.close()

    def _handle(self, change: Change) -> None:
        if isinstance(change, Progress):
            self._progress(change)
            self._tick(0)
        elif isinstance(change, Waiting):
            self._report("RUNNING", change.reason or None)
            self._tick(change.seconds)
        elif not isinstance(change, HeartbeatDue) or self._heartbeat.due(now=change.now):
            self._send(self._pipeline.messages(change))

    def _progress(self, change: Progress) -> None:
        transaction = self._pipeline.transaction
        counts = transaction.to_offset()
        self._inflight.close(lambda: change.position.to_offset() | counts)

    def _send(self, messages: Iterable[Message]) -> None:
        span = self._inflight.span
        send, acknowledged = self._producer.send, span.acknowledged
        partitions = self._partitions
        for message in messages:
            partition = message.partition
            if partition is None:
                partition = partitions.get(message.topic, -2)
                if partition == -2:
                    partition = self._new_topic(message.topic)
            elif message.topic not in partitions:
                self._new_topic(message.topic)
            span.pending += 1
            span.sent += 1
            if not send(message, partition, acknowledged):
                self._send_when_possible(message, partition, acknowledged)
        self.sent += 1

    def _send_when_possible(
        self, message: Message, partition: int, acknowledged: Callable[[Any, Any], None]
    ) -> None:
        """Wait for room in the producer's queue: this is what bounds the memory."""
        since = time.monotonic()
        while not self._producer.send(message, partition, acknowledged):
            self._producer.poll(_PATIENCE)
            self._raise_failure()
            self._commit_if_due()
            if self._task.stopping:
                raise _StoppedError
            if time.monotonic() - since > _STALL:
                self._report("RUNNING", f"Kafka has taken no message for {_STALL} s: waiting")
        self._report("RUNNING", None)

    def _new_topic(self, topic: str) -> int:
        """Make sure that a topic exists; return its partition when it has only one."""
        count = self._context.topics.ensure(topic)
        self._partitions[topic] = partition = 0 if count == 1 else -1
        self._context.topics_used([topic])
        return partition

    def _tick(self, seconds: float) -> None:
        self._producer.poll(seconds)
        self._raise_failure()
        self._commit_if_due()
        if self._task.paused:
            self._pause()

    def _pause(self) -> None:
        """Stay away from the database until told to go on; what was sent is still looked after."""
        self._report("PAUSED", None)
        while self._task.paused and not self._task.stopping:
            self._producer.poll(0.1)
            self._raise_failure()
            self._commit_if_due()
        self._report("RUNNING", None)

    def _commit_if_due(self) -> None:
        if time.monotonic() >= self._next_commit:
            self._commit()

    def _commit(self) -> None:
        """Store the furthest offset whose messages are all acknowledged."""
        self._next_commit = time.monotonic() + self._context.flush_interval
        offset = self._inflight.committable()
        if offset is not None and not self._task.abandoned:
            self._context.offsets.save(self._context.connector, self._capture.partition, offset)

    def _finish(self) -> None:
        if not self._producer.flush(self._context.flush_timeout):
            log.warning("%d messages are not acknowledged at the stop", len(self._producer))
        self._raise_failure()
        self._commit()

    def _report(self, state: Any, trace: str | None) -> None:
        if self._reported != (state, trace):
            self._reported = (state, trace)
            self._context.report(state, trace)

    def _not_delivered(self, error: Any, message: Any) -> None:
        self._failed = self._failed or (error, message.topic())

    def _raise_failure(self) -> None:
        if self._failed is not None:
            raise failure(*self._failed)


class _StoppedError(Exception):
    """The task is to stop while it waits for Kafka; what could not be sent is read again."""


def _uuid7() -> uuid.UUID:
    """Make a UUID of version 7: it begins with the time, as Debezium's run ids do."""
    milliseconds = time.time_ns() // 1_000_000
    value = milliseconds << 80 | (uuid.uuid4().int & (1 << 80) - 1)
    value = value & ~(0xF << 76) | 7 << 76
    return uuid.UUID(int=value & ~(0b11 << 62) | 0b10 << 62)
