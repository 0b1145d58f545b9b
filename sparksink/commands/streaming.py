"""Runs the streaming query, whose offsets Spark stores in the checkpoint."""

from __future__ import annotations

import json
import logging
import signal
import sys
import threading
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

from sparksink.commands.lost_messages import LostMessageDetector
from sparksink.commands.maintenance import ScheduledCompaction
from sparksink.commands.read_progress import read_progress, stored_progress, tables_behind
from sparksink.errors import SinkError
from sparksink.sink import Sink
from sparksink.spark_errors import SparkError, as_sink_error, cause, is_report_fault
from sparksink.state.lease import Lease
from sparksink.state.table_result import TableResult
from sparksink.status.health import Health
from sparksink.status.lineage import Lineage
from sparksink.status.metrics import SinkMetrics
from sparksink.status.progress import batch_json, batch_line

log = logging.getLogger(__name__)

_LOOK_SECONDS: Final = 0.5
_STARTS: Final = 3
_REPORT_SECONDS: Final = 10.0


class StreamJob:
    """Runs until it is caught up or stopped; a running batch is always completed."""

    def __init__(
        self,
        sink: Sink,
        lease: Lease,
        metrics: SinkMetrics,
        lineage: Lineage,
        gaps: LostMessageDetector | None = None,
    ) -> None:
        self._sink = sink
        self._lineage = lineage
        self._gaps = gaps
        self._lease = lease
        self._metrics = metrics
        self._stopping = threading.Event()
        self._batch = threading.Lock()
        self._failure: SinkError | None = None
        self._compaction = ScheduledCompaction(sink)
        self._query: StreamingQuery | None = None
        self._reported = self._followed = time.monotonic()
        self._measured: dict[str, Any] = {}
        metrics.is_alive = Health(self._activity).is_alive
        metrics.lag.waiting = self._waiting

    def stop(self) -> None:
        """Stop after the running batch."""
        self._stopping.set()

    def run(self, *, once: bool) -> None:
        """Run; with ``once`` until the messages from before the start are applied.

        :raises SinkError: the job cannot continue.
        """
        until = self._sink.messages.ends() if once else None
        faults = 0
        while faults < _STARTS:
            query = self._query = self._start(until, once=once)
            if not self._await_end(query):
                faults += 1
            elif self._stopping.is_set() or until is None or has_reached(query, json.loads(until)):
                self._follow_statements(at_once=True)
                self._compact_if_due()  # a job that runs once may have no other time for it
                return
        raise SinkError("Spark's Kafka source fails each time it reports its progress.")

    def _await_end(self, query: StreamingQuery) -> bool:
        """Wait for the end; return False if the query failed and must be restarted."""
        try:
            while query.isActive and not self._stopping.is_set():
                query.awaitTermination(_LOOK_SECONDS)  # type: ignore[arg-type] # a float works
                self._measure(query)
                self._report()
                self._follow_statements()
                self._compact_if_due()
            if self._stopping.is_set():
                with self._batch:
                    query.stop()
            else:
                query.awaitTermination()  # raises the error of a failed query
            self._measure(query)
        except StreamingQueryException as error:
            if self._failure is None and is_report_fault(error):
                return False
            raise self._failure or as_sink_error(error) from error
        except SinkError:
            query.stop()
            raise
        return True

    def _measure(self, query: StreamingQuery) -> None:
        """Measure how far the last batch was behind, which Spark reports after it."""
        found = source_progress(query)
        if found == self._measured:
            return
        self._measured = found
        if found.get("endOffset") and isinstance(found.get("latestOffset"), dict):
            self._metrics.behind(found["endOffset"], found["latestOffset"])
            late = tables_behind(self._sink, found["endOffset"], found["latestOffset"])
            self._metrics.lag.set_behind(late)
        elif found:  # a source that does not report its latest offsets
            self._metrics.lag.set_behind(())

    def _report(self) -> None:
        """Log the progress of a long batch, and refresh time-dependent metrics."""
        now = time.monotonic()
        if now - self._reported < _REPORT_SECONDS:
            return
        self._reported = now
        self._metrics.refresh()
        if self._batch.locked():
            log.info("%s", self._sink.batches.progress.line())

    def _waiting(self) -> Mapping[str, datetime]:
        return self._sink.batches.progress.waiting()

    def _activity(self) -> Hashable | None:
        """Return a value that changes during a batch or a compaction, None between them.

        :raises SinkError: the query has ended.
        """
        query = self._query
        if query is None:
            return "starting"
        if not query.isActive and not self._stopping.is_set():
            raise SinkError("The query has ended.")
        if not (self._batch.locked() or query.status["isTriggerActive"]):
            return None
        tracker = self._sink.spark.sparkContext.statusTracker()
        stages = sorted(tracker.getActiveStageIds())
        infos = [(one, tracker.getStageInfo(one)) for one in stages]
        done = tuple((one, info and info.numCompletedTasks) for one, info in infos)
        return self._sink.batches.progress.number, done

    def _compact_if_due(self) -> None:
        """Compact between two batches if it is due; the next batch waits."""
        if self._compaction.is_due() and not self._stopping.is_set():
            with self._batch:
                self._lease.check()
                self._compaction.run()

    def _follow_statements(self, *, at_once: bool = False) -> None:
        """Follow the schema-change topic while there is no batch."""
        due = time.monotonic() - self._followed > self._sink.config.trigger.interval
        if self._sink.config.source.ddl_topic is None or not (due or at_once):
            return
        if not self._batch.acquire(blocking=False):  # the running batch does this
            return
        try:
            self._lease.check()
            self._sink.batches.follow_statements(stored_progress(self._sink))
            self._metrics.gaps(self._sink.state.gaps())
        except SparkError as error:
            log.warning("the schema-change topic cannot be followed now: %s", cause(error))
        finally:
            self._followed = time.monotonic()
            self._batch.release()

    def _start(self, until: str | None, *, once: bool) -> StreamingQuery:
        config = self._sink.config
        writer = (
            self._sink.messages.stream(once=once, checkpoint=config.checkpoint, until=until)
            .writeStream.queryName(config.name)
            .option("checkpointLocation", config.checkpoint)
            .foreachBatch(self._apply)
        )
        if once:
            return writer.trigger(availableNow=True).start()
        return writer.trigger(processingTime=f"{config.trigger.interval} seconds").start()

    def _apply(self, messages: DataFrame, number: int) -> None:
        self._begin()
        try:
            started = time.monotonic()
            self._lease.check()
            self._detect_lost_messages()
            progress = read_progress(self._sink, number)
            app = self._app(messages)
            done = self._sink.batches.apply(messages, app, number, cut=True, progress=progress)
            self._detect_lost_messages()
            self._report_batch(number, done, time.monotonic() - started)
        except SinkError as error:
            self._failure = error
            raise
        except SparkError as error:
            self._failure = as_sink_error(error)
            raise self._failure from error
        finally:
            self._batch.release()

    def _detect_lost_messages(self) -> None:
        """Detect lost messages, if Spark continues after them."""
        if self._gaps is not None:
            self._gaps.detect()
        self._metrics.gaps(self._sink.state.gaps())

    def _begin(self) -> None:
        """Wait until no other work runs, except for a stop that waits for this batch."""
        while not self._batch.acquire(timeout=_LOOK_SECONDS):
            if self._stopping.is_set():
                break
        else:
            if not self._stopping.is_set():
                return
            self._batch.release()
        raise SinkError("The job is stopping.")

    def _app(self, messages: DataFrame) -> str:
        """Return the query's id, which belongs to the checkpoint, as the batch numbers do."""
        app = messages.sparkSession.sparkContext.getLocalProperty("sql.streaming.queryId")
        assert app is not None
        return app

    def _report_batch(self, number: int, done: Sequence[TableResult], seconds: float) -> None:
        self._compaction.batch(done)
        self._metrics.phases(self._sink.batches.phases)
        self._metrics.batch(number, done, self._sink.state.parked_tables(), seconds)
        self._lineage.batch(done)
        if self._sink.config.metrics.log_json:
            lag, parked = self._metrics.lag.seconds(), self._sink.state.parked_tables()
            sys.stdout.write(batch_json(number, done, parked, lag, seconds) + "\n")
            sys.stdout.flush()
        else:
            log.info("%s", batch_line(number, done, seconds))


def has_reached(query: StreamingQuery, until: Mapping[str, Mapping[str, int]]) -> bool:
    """Return whether a query has reached these offsets, or makes no progress."""
    done = source_progress(query)
    if not done or done["startOffset"] == done["endOffset"]:
        return True
    reached = done["endOffset"] or {}
    return all(
        reached.get(topic, {}).get(partition, 0) >= end
        for topic, partitions in until.items()
        for partition, end in partitions.items()
    )


def source_progress(query: StreamingQuery) -> dict[str, Any]:
    """Return Spark's progress report of the first source for the last batch; empty before one.

    PySpark's object has offsets as Python literals, which are not JSON.
    """
    progress = query.lastProgress
    sources = json.loads(progress.json)["sources"] if progress else []
    return dict(sources[0]) if sources else {}


def stop_on_signals(stop: Callable[[], None]) -> None:
    """Stop at SIGTERM or SIGINT; a second signal ends the process immediately."""

    def first(number: int, _: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        log.info("stopping after this batch")
        stop()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, first)
