"""A capture in this process that is stopped, as the worker does it, at a chosen change."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import replace
from typing import Any

from connector.capture.change import Change, Position, Row
from connector.capture.signals.signal import SnapshotRequest
from connector.capture.snapshot_plan import Plan
from connector.capture.source import Source
from connector.capture.tables import TableId
from connector.connectors import CaptureConnector
from connector.converters.json import JsonConverter
from connector.converters.simple_header import SimpleHeaderConverter
from connector.kafka.topics import Topics
from connector.metrics import WorkerMetrics
from connector.plugin import TaskContext, TaskConverters, TransformStep
from connector.task.capture import Capture
from connector.task.capture_task import CaptureTask
from connector.transforms.extract_changed_record_state import ExtractChangedRecordState
from connector.worker.offsets.log_store import LogOffsetStore
from connector.worker.storage.memory import MemoryLog
from connector.worker.topic_creation import GroupTopicCreator

_NO_CHANGE = ExtractChangedRecordState({})
_LIMIT = 60.0
_GRACE = 20.0

Chosen = Callable[[Change], bool]


class _Watched:
    """A source that shows each streamed change, before the task gets it."""

    def __init__(self, source: Source[Position], show: Callable[[Change], None]) -> None:
        self._source = source
        self._show = show

    def open(self) -> None:
        self._source.open()

    def position(self, offset: Mapping[str, Any]) -> Position:
        return self._source.position(offset)

    def can_resume(self, position: Position) -> bool:
        return self._source.can_resume(position)

    def recover(self, position: Position) -> int:
        return self._source.recover(position)

    def begin_log(self) -> Position:
        return self._source.begin_log()

    def captured_tables(self) -> Mapping[TableId, bool]:
        return self._source.captured_tables()

    def snapshot(self, plan: Plan, stored: Position | None) -> Generator[Change, None, Position]:
        return (yield from self._source.snapshot(plan, stored))

    def read_again(
        self, request: SnapshotRequest, at: Position, event: Row | None
    ) -> Generator[Change, None, None]:
        return self._source.read_again(request, at, event)

    def stream(self, start: Position) -> Iterator[Change]:
        for change in self._source.stream(start):
            self._show(change)
            yield change

    def close(self) -> None:
        self._source.close()


class Stoppable:
    """One connector; each `run` is a task from its start to a clean stop.

    Offsets are kept in between. ``producer`` are librdkafka settings; with ``general`` the
    messages take the generic path, through a transform that is not compiled and changes nothing.
    ``topics`` creates the topics of the next runs.
    """

    def __init__(
        self,
        family: CaptureConnector,
        config: Mapping[str, str],
        producer: Mapping[str, Any],
        *,
        general: bool = False,
    ) -> None:
        self._family = family
        self._config = config
        self._producer = producer
        self._transforms = [TransformStep("same", _NO_CHANGE)] if general else []
        self._admin = {"bootstrap.servers": producer["bootstrap.servers"]}
        self.topics = GroupTopicCreator(Topics(self._admin), [], enabled=True)
        self.offsets = LogOffsetStore(MemoryLog())

    @property
    def offset(self) -> dict[str, Any]:
        """The stored offset."""
        return dict(self.offsets.load("c", self._partition) or {})

    @offset.setter
    def offset(self, offset: Mapping[str, Any]) -> None:
        self.offsets.save("c", self._partition, offset)

    def run(self, chosen: Chosen) -> None:
        """Start a task, stop it when a change is chosen and wait for its end.

        The stop comes before anything is sent of that change. ``chosen`` is shown all changes,
        also those that the task takes after that, up to the next position.
        """
        met = threading.Event()
        task = self._task(chosen, met)
        task.start()
        try:
            reached = met.wait(_LIMIT)
        finally:
            stopped = task.stop(_GRACE)
        assert not self.failures, self.failures
        assert reached, f"the change was not met in {_LIMIT:.0f} s"
        assert stopped, "the task did not stop"

    def task(self, report: Callable[[str, str | None], None]) -> CaptureTask:
        """Return a task for the caller to start and stop, with a function for its reports."""
        return CaptureTask(replace(self._context(), report=report), self._family.open_capture)

    def _task(self, chosen: Chosen, met: threading.Event) -> CaptureTask:
        self.failures: list[str | None] = []

        def show(change: Change) -> None:
            if chosen(change) and not met.is_set():
                met.set()
                while not task.stopping:
                    met.wait(0.001)

        def opened(config: Mapping[str, str], context: TaskContext, run: str) -> Capture:
            capture = self._family.open_capture(config, context, run)
            return replace(capture, source=_Watched(capture.source, show))

        task = CaptureTask(self._context(), opened)
        return task

    def _context(self) -> TaskContext:
        json = JsonConverter({"schemas.enable": "false"})
        return TaskContext(
            connector="c",
            task=0,
            config=self._config,
            worker={},
            offsets=self.offsets,
            topics=self.topics,
            report=self._report,
            topics_used=lambda _: None,
            converters=TaskConverters(json, json, SimpleHeaderConverter({})),
            transforms=self._transforms,
            producer=self._producer,
            consumer={},
            admin=self._admin,
            metrics=WorkerMetrics(),
        )

    def _report(self, state: str, trace: str | None) -> None:
        if state == "FAILED":
            self.failures.append(trace)

    @property
    def _partition(self) -> dict[str, str]:
        return {"server": self._config["topic.prefix"]}
