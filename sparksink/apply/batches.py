"""Applies batches: divides messages by topic, and writes the tables concurrently."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from itertools import pairwise
from typing import Final

from pyspark import inheritable_thread_target
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from sparksink.apply.batch import MessageBatch, TopicBatch
from sparksink.apply.ddl_statements import DdlStatements
from sparksink.apply.late_definitions import LateDefinitions
from sparksink.apply.parking import Parking
from sparksink.apply.progress import BatchProgress, PendingMessages
from sparksink.apply.snapshot_ends import due_now
from sparksink.apply.table_isolation import TableIsolation
from sparksink.apply.topic_writer import TopicWriter
from sparksink.apply.transaction_tracking import TransactionTracker
from sparksink.config.keys import SinkConfig
from sparksink.decode.message_schemas import MessageSchemas
from sparksink.decode.schema_discovery import FormatCount
from sparksink.schemas.definitions import Definitions
from sparksink.session import set_shuffle_partitions
from sparksink.source.routed_tables import is_table
from sparksink.source.routes import Routes
from sparksink.source.target_names import TargetNames
from sparksink.state.sink_state import SinkState
from sparksink.state.snapshots import RECORDED, ReadProgress
from sparksink.state.table_result import Boundary, TableResult
from sparksink.tables import Lake

_PHASES: Final = ("read", "tables", "commit")


class BatchProcessor:
    """Applies batches of messages to all tables, one batch at a time and idempotently."""

    def __init__(
        self,
        config: SinkConfig,
        lake: Lake,
        state: SinkState,
        definitions: Definitions,
        schema: Callable[[int], str],
        definition_seconds: float,
    ) -> None:
        self._config = config
        self._lake = lake
        self._state = state
        self._definitions = definitions
        self._routes = Routes(config)
        self._names = target_names(config, lake, state)
        self._layouts = message_schemas(config, definitions, schema, self._routes)
        self._cuts = TransactionTracker(config.source, self._layouts, state)
        self._parking = Parking(config, state)
        self._isolation = TableIsolation(config.errors, self._parking)
        self._flows: dict[str, TopicWriter] = {}
        self._statements = DdlStatements(
            config, definitions, state, self._sweep, self._flows.keys()
        )
        statements = self._statements.store if config.source.ddl_topic is not None else None
        self._late = LateDefinitions(
            self._layouts, lambda topic: self._flow(topic).tables, statements, definition_seconds
        )
        self._pool = ThreadPoolExecutor(config.parallelism.tables, "table")
        self.progress = BatchProgress(-1)
        """The progress of the running or last batch."""
        self.phases: Mapping[str, float] = {}
        """Seconds of the last batch by phase: read, tables, commit."""

    def check_before_retries(self, may_retry: Callable[[], None]) -> None:
        """Call this before work is retried; it raises if this job must not write any more."""
        self._isolation.may_retry = may_retry

    def apply(
        self,
        messages: DataFrame,
        app: str,
        batch: int,
        *,
        history: bool = True,
        cut: bool = False,
        progress: ReadProgress = RECORDED,
        whole: bool = True,
        resumes: str = "",
    ) -> list[TableResult]:
        """Apply one batch; ``app`` and the number identify it permanently.

        Without ``history`` only the mirrors are written. With ``cut`` transactions are followed, if
        a transaction topic is set; ``progress`` has the end offsets of the batch. For a selection
        of messages (not ``whole``) errors.max.ratio does not apply. The table that it ``resumes``
        is applied although it is parked.

        :raises SinkError: the job cannot continue.
        """
        clock = [time.monotonic()]
        self.progress = BatchProgress(batch)
        progress = progress.with_cached_offsets()
        messages, ends = self._split_transactions(messages, cut=cut)
        self._statements.store()
        emptied = self._statements.follow(progress) if progress.streams else []
        frame, counts = self._late.summarize(self._coalesce(messages))
        try:
            clock.append(time.monotonic())
            read = MessageBatch(
                messages, frame, counts, ends, app, batch, progress, history, whole, resumes
            )
            applied, done = self._write_tables(read, emptied)
            clock.append(time.monotonic())
            self._commit(read, applied, done)
            self.phases = _phase_seconds([*clock, time.monotonic()])
            return done
        finally:
            frame.unpersist()

    def _split_transactions(
        self, messages: DataFrame, *, cut: bool
    ) -> tuple[DataFrame, DataFrame | None]:
        """Return the messages of tables, and of the transaction topic if it is followed."""
        topic = self._config.source.transaction_topic
        if not (cut and topic):
            return messages, None
        ends = messages.where(f.col("topic") == topic)
        return messages.where(f.col("topic") != topic), ends

    def _write_tables(
        self, batch: MessageBatch, emptied: Sequence[TableResult]
    ) -> tuple[set[str], list[TableResult]]:
        """Write and sweep the tables; return the topics that are not parked, and the results."""
        self._names.claim({one.topic for one in batch.counts})
        done = self._all_tables(batch)
        applied = self._not_parked(batch)
        swept = [*emptied, *self._sweep_behind_snapshots(batch)]
        return applied, self._with_swept(batch, done, swept)

    def _commit(
        self, batch: MessageBatch, applied: Collection[str], done: Sequence[TableResult]
    ) -> None:
        """Store that a batch is complete; one of heartbeats is not stored."""
        if not (done or batch.counts or batch.ends is not None):
            return
        known = self._cuts.follow(batch, applied, done)
        reached = batch.progress.reached if batch.progress.streams else None
        offsets = json.dumps(batch.end_offsets, sort_keys=True)
        self._state.commit(batch.app, batch.number, offsets, done, known, reached)

    def _not_parked(self, batch: MessageBatch) -> set[str]:
        """Return the topics of a batch whose tables are not parked."""
        parked = self._state.parked_tables().keys() - {batch.resumes}
        topics = {one.topic for one in batch.counts}
        return {topic for topic in topics if self._routes.route(topic).table not in parked}

    def _coalesce(self, messages: DataFrame) -> DataFrame:
        """Coalesce partitions, as each one costs a task in every table's query."""
        set_shuffle_partitions(messages.sparkSession, self._config)
        return messages.coalesce(batch_partitions(self._config, messages.sparkSession))

    def _all_tables(self, batch: MessageBatch) -> list[TableResult]:
        """Write the topics concurrently, the largest first."""

        def run(topic: str) -> TableResult:
            done = self._one_table(topic, batch.of_topic(topic), batch.resumes)
            self.progress.done.add(done.table)
            return done

        self.progress.tables = self._count_pending(batch.counts)
        sizes = batch.sizes
        topics = sorted(sizes, key=lambda topic: -sizes[topic])
        session = batch.messages.sparkSession
        running = [self._pool.submit(inheritable_thread_target(session)(run), t) for t in topics]
        wait(running)  # all must end before this batch may fail and be repeated
        return [future.result() for future in running]

    def _sweep_behind_snapshots(self, batch: MessageBatch) -> list[TableResult]:
        """Sweep tables whose snapshots are completely read with this batch."""
        swept = [
            self._sweep(one.topic, one.table, one.end, batch.resumes)
            for one in due_now(self._state, batch.progress, batch.resumes)
            if self._config.table(one.table).mirror.sweep
        ]
        return [one for one in swept if one is not None]

    def _with_swept(
        self, batch: MessageBatch, done: list[TableResult], swept: Sequence[TableResult]
    ) -> list[TableResult]:
        """Return the results of tables with those of sweeps."""
        tables = {one.table: one for one in done}
        for one in swept:
            known = tables.get(one.table, replace(one, batch=batch.number))
            version = self._flow(one.topic).version()
            tables[one.table] = replace(known, version=version, swept=True)
        return list(tables.values())

    def follow_statements(self, progress: ReadProgress) -> list[TableResult]:
        """Follow the schema-change topic while there is no batch.

        :raises SinkError: the job cannot continue.
        """
        self._statements.store()
        return self._statements.follow(progress.with_cached_offsets())

    def _sweep(
        self, topic: str, table: str, end: Boundary, resumes: str = ""
    ) -> TableResult | None:
        """Remove the rows of a table from before a position; None if it cannot and is parked."""

        def work() -> TableResult:
            return self._writer(topic).sweep(end)

        return self._isolation.run(work, table, resumed=table == resumes)

    def _count_pending(self, counts: Sequence[FormatCount]) -> Mapping[str, PendingMessages]:
        found: dict[str, PendingMessages] = {}
        for one in counts:
            table = self._routes.route(one.topic).table
            known = found.get(table, PendingMessages(0, one.since))
            found[table] = PendingMessages(
                known.messages + one.messages, min(known.since, one.since)
            )
        return found

    def _one_table(self, topic: str, part: TopicBatch, resumes: str) -> TableResult:
        table = self._routes.route(topic).table
        resumed = table == resumes
        if table in self._state.parked_tables() and not resumed:
            self._parking.keep_messages(table, part)
            return TableResult(table)
        context = part.marked.sparkSession.sparkContext
        context.setJobDescription(f"batch {part.number}: {table}")

        def work() -> TableResult:
            return self._writer(topic).apply(part)

        done = self._isolation.run(work, table, part, resumed=resumed)
        if done is None:
            return TableResult(table)
        return replace(done, messages=part.size or 0, batch=part.number, topic=topic)

    def _writer(self, topic: str) -> TopicWriter:
        """Return the writer of a topic.

        :raises TableError: its tables belong to another topic.
        """
        self._names.check(topic)
        return self._flow(topic)

    def _flow(self, topic: str) -> TopicWriter:
        if topic not in self._flows:
            route = self._routes.route(topic)
            self._flows[topic] = TopicWriter(
                route, self._config, self._layouts, self._lake, self._state, self._names
            )
        return self._flows[topic]


def message_schemas(
    config: SinkConfig, definitions: Definitions, schema: Callable[[int], str], routes: Routes
) -> MessageSchemas:
    """Return the message schemas of a sink, initially empty."""
    return MessageSchemas(
        definitions.versions,
        schema,
        config.source,
        config.ordering,
        lambda topic: routes.route(topic).table,
        lambda table: config.table(table).columns,
        definitions.error,
    )


def target_names(config: SinkConfig, lake: Lake, state: SinkState) -> TargetNames:
    """Return the names of the target tables of a sink, claimed by the topics that it applied."""

    def applied() -> set[str]:
        routes, done = Routes(config), state.table_results()
        known = {topic: done.get(routes.route(topic).table) for topic in state.topics()}
        return {t for t, last in known.items() if is_table(t) and last and last.highest}

    return TargetNames(config, lambda name: lake.table(name).columns() is not None, applied)


def batch_partitions(config: SinkConfig, spark: SparkSession) -> int:
    """Return into how many partitions the messages of a batch are split."""
    configured = config.parallelism.batch_partitions
    if configured != "auto":
        return configured
    return max(2, spark.sparkContext.defaultParallelism)


def _phase_seconds(clock: Sequence[float]) -> Mapping[str, float]:
    """Return the duration of each phase from the times between them."""
    spans = [later - earlier for earlier, later in pairwise(clock)]
    return dict(zip(_PHASES, spans, strict=True))
