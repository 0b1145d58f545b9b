"""Plans and writes the messages of one topic, once per batch."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from sparksink.apply.ambiguous_positions import check_persisted
from sparksink.apply.batch import TableBatch, TableWriter, TopicBatch
from sparksink.apply.batch_measures import BatchMeasures, measure
from sparksink.apply.batch_plan import BatchPlan, MessageFormatError, name_format_in_errors
from sparksink.apply.dead_letters import REPLAY_PREFIX, DeadLetters
from sparksink.apply.history_writer import HistoryWriter
from sparksink.apply.keyed_mirror import KeyedMirror
from sparksink.apply.position_check import check_positions, checks_positions
from sparksink.apply.row_keys import RowKeys
from sparksink.apply.snapshot_ends import SnapshotEnds
from sparksink.apply.topic_reader import TopicReader
from sparksink.apply.topic_schemas import TopicSchemas
from sparksink.apply.topic_tables import TopicTables
from sparksink.config.keys import SinkConfig
from sparksink.decode.format_names import NO_ROWS, has_columns
from sparksink.decode.message_schema import MessageSchema
from sparksink.decode.message_schemas import MessageSchemas
from sparksink.decode.position_columns import header_position_sql
from sparksink.decode.reading import TableReading
from sparksink.source.routes import Route
from sparksink.source.target_names import TargetNames
from sparksink.state.sink_state import SinkState
from sparksink.state.table_result import Boundary, PartitionEnd, TableResult
from sparksink.tables import Lake

_OBSERVED_PARTITIONS: Final = 4
"""How many Kafka partitions are measured while they are read: each one costs time per change."""


class TopicWriter:
    """Writes the messages of one topic to its tables."""

    def __init__(
        self,
        route: Route,
        config: SinkConfig,
        layouts: MessageSchemas,
        lake: Lake,
        state: SinkState,
        names: TargetNames,
    ) -> None:
        self.route = route
        self._config = config
        self._rules = config.table(route.table)
        self._schemas = TopicSchemas(route, config, layouts)
        self._layouts = layouts
        self._reader = TopicReader(route.topic, config, layouts)
        self._lake = lake
        self._state = state
        self._letters = DeadLetters(state, config)
        self._last: list[str] = []
        self.tables = TopicTables(route, config, lake, state, names)
        self._keys = RowKeys(route, self._schemas, self.tables, layouts)

    def apply(self, part: TopicBatch) -> TableResult:
        """Apply the messages of a batch.

        :raises TableError: the table cannot continue.
        """
        started = time.monotonic()
        if NO_ROWS in part.marks and self._rules.mirror.sweep:
            self._sweep_empty(part.of_format(NO_ROWS))
        self._sweep_dropped()
        columns = self.plan(part)
        if not columns.layouts or self._reader.is_unreadable(part.marks):
            return self._apply_without_columns(part, columns.refused)
        batch = self._batch(part, self._reader.read(part, columns))
        return replace(
            self._write(part, columns.writers, batch, columns.readings[-1].keys),
            seconds=time.monotonic() - started,
        )

    def plan(self, part: TopicBatch) -> BatchPlan:
        """Fit the tables to the messages; refuse messages of former schemas that do not fit.

        :raises TableError: the schema of the last messages does not fit the tables.
        """
        if error := self._layouts.definition_error(self.route.table):
            raise error
        marks, refused = self._marks(part), dict[str, str]()
        while True:
            try:
                return self._plan_formats(
                    part, [one for one in marks if one not in refused], refused
                )
            except MessageFormatError as error:
                others = set(marks) - refused.keys() - {error.mark}
                if error.mark in part.lasting or not others:
                    raise
                refused[error.mark] = error.args[0]

    def _plan_formats(
        self, part: TopicBatch, marks: Sequence[str], refused: Mapping[str, str]
    ) -> BatchPlan:
        layouts = [
            name_format_in_errors(mark, partial(self._schemas.schema, mark)) for mark in marks
        ]
        if not layouts or self._reader.is_unreadable(part.marks):
            return BatchPlan([], [], [], refused)
        keys, moves = self._keys.plan(part, layouts)
        reading = partial(self._schemas.reading, keys=keys, moves=moves)
        readings = [name_format_in_errors(one.mark, partial(reading, one)) for one in layouts]
        writers = self._fit_writers(part, layouts, readings)
        return BatchPlan(layouts, readings, writers, refused)

    def _fit_writers(
        self, part: TopicBatch, layouts: Sequence[MessageSchema], readings: Sequence[TableReading]
    ) -> list[TableWriter]:
        """Fit the tables, and return their writers."""
        keys = readings[-1].keys
        versions = self._layouts.versions(self.route.table)
        named = versions and versions.with_names(self._config.target.column)
        earlier = self._schemas.earlier()
        writers = self.tables.writers(keys, history=part.history)
        if self.tables.counts_rows(keys):
            self.tables.check_row_columns(layouts, readings, named)
        for writer in writers:
            for one, reading in zip(layouts, readings, strict=True):
                renamed = self._schemas.target_renames(one)
                given = (one.shape, reading.columns, keys, renamed, named, earlier)
                name_format_in_errors(one.mark, partial(writer.target.fit, *given))
            writer.target.complete(earlier)
        if self.tables.counts_rows(keys) and part.history:
            self.tables.store_row_columns(readings, named)
        if keys and self._config.ordering.tombstones_count:
            self.tables.store_key(readings[-1])
        return writers

    def _batch(self, part: TopicBatch, frames: list[DataFrame]) -> TableBatch:
        ends = SnapshotEnds(self.route, part.progress, self._state)
        app = f"{part.app}:{self.route.table}"
        # Replayed dead letters are older than changes that were applied.
        checked = checks_positions(self._config.ordering) and not app.startswith(REPLAY_PREFIX)
        partitions = part.partitions if checked else ()
        reached = (
            self._partition_ends() if checked and self._config.ordering.mode == "binlog" else None
        )
        return TableBatch(frames, app, part.number, partitions, reached, self._check, ends.due)

    def _apply_without_columns(self, part: TopicBatch, refused: Mapping[str, str]) -> TableResult:
        """Apply a batch without a message that has columns: tombstones and unreadable messages."""
        reasons: dict[str, int] = {}
        if self._reader.has_deletes(part.marks):
            return self._only_tombstones(part)
        if unreadable := self._reader.unreadable(part, refused):
            batch = self._batch(part, unreadable)
            reasons = self._letters.add(part, batch, self.route.table)
        faults = sum(reasons.values())
        return TableResult(self.route.table, changes=faults, faults=faults, reasons=reasons)

    def sweep(self, end: Boundary) -> TableResult:
        """Remove the rows from before a position that is not part of this batch."""
        self.tables.sweep(end)
        known = self._state.last(self.route.table) or TableResult(self.route.table)
        return replace(known, version=self.version(), swept=True, topic=self.route.topic)

    def version(self) -> str:
        """Return the version of the mirror; empty if it does not exist."""
        exists = self._lake.table(self.route.mirror).columns() is not None
        return self._lake.version(self.route.mirror) if exists else ""

    def _sweep_dropped(self) -> None:
        """Remove the rows from before the table was dropped and created again."""
        versions = self._layouts.versions(self.route.table)
        created = versions and versions.created
        if created and self._rules.mirror.truncate != "ignore":
            self.tables.sweep(Boundary(*created, None))

    def _sweep_empty(self, marks: DataFrame) -> None:
        """Remove the rows from before a snapshot of the empty table."""
        hi, lo = header_position_sql()
        at = f.expr("unix_micros(timestamp)")
        positions = marks.select(f.struct(f.expr(hi), f.expr(lo), at).alias("position"))
        found = positions.agg(f.max("position").alias("position")).collect()[0]["position"]
        if found is not None and None not in found[:2]:
            self.tables.sweep(Boundary(*found))

    def _only_tombstones(self, part: TopicBatch) -> TableResult:
        """Delete rows with the stored reading of keys, as no value was read since the start."""
        reading = self.tables.stored_key()
        if reading is None:
            return TableResult(self.route.table)  # without a table there is no row
        started = time.monotonic()
        frames = [self._reader.tombstones(part, reading), *self._reader.unreadable(part, {})]
        history = part.history and self.tables.has_history()
        writers = self.tables.writers(reading.keys, history=history)
        done = self._write(part, writers, self._batch(part, frames), reading.keys)
        return replace(done, seconds=time.monotonic() - started)

    def _write(
        self,
        part: TopicBatch,
        writers: Sequence[TableWriter],
        batch: TableBatch,
        keys: Sequence[str],
    ) -> TableResult:
        """Write to all tables; changes that are read more than once are persisted."""
        if not batch.frames:
            return TableResult(self.route.table)
        few = len(batch.partitions) <= _OBSERVED_PARTITIONS
        if len(writers) == 1 and isinstance(writers[0], KeyedMirror) and few:
            seen = writers[0].write(batch)
            return self._result(seen, writers, self._add_dead_letters(part, batch, seen))
        for frame in batch.frames:
            frame.persist(StorageLevel.MEMORY_AND_DISK)
        try:
            seen = self._measure(batch)
            if self._needs_order(writers):
                batch.check(seen)
            if self._needs_positions(writers) and batch.ends is not None:
                rows = batch.changes_for(writers[0].target)
                check_persisted(self.route.table, rows, keys, batch.ends)
            # A history takes a batch once: a message that has become readable when the batch is
            # repeated is missing there, and must be a dead letter.
            reasons = self._add_dead_letters(part, batch, seen)
            checked = replace(batch, partitions=(), ends=None)
            results = [writer.write(checked) for writer in writers]
            written = next((result for result in results if result is not None), seen)
            written = replace(written, partitions=seen.partitions)
            return self._result(written, writers, reasons)
        finally:
            for frame in batch.frames:
                frame.unpersist()

    def _add_dead_letters(
        self, part: TopicBatch, batch: TableBatch, seen: BatchMeasures
    ) -> Mapping[str, int]:
        return self._letters.add(part, batch, self.route.table) if seen.faults else {}

    def _needs_order(self, writers: Sequence[TableWriter]) -> bool:
        """Return whether a table is written for which the order of the changes matters."""
        only_history = all(isinstance(writer, HistoryWriter) for writer in writers)
        return not only_history or self._rules.history.dedupe == "replay"

    def _needs_positions(self, writers: Sequence[TableWriter]) -> bool:
        """Return whether a table is written for which positions must be unique."""
        return bool(writers) and (
            self._needs_order(writers) or self._rules.history.dedupe != "none"
        )

    def _measure(self, batch: TableBatch) -> BatchMeasures:
        return measure(batch.frames, self._rules.mirror, partitions=bool(batch.partitions))

    def _marks(self, part: TopicBatch) -> list[str]:
        """Return the marks of messages with columns; if there are none, the last one."""
        found = [mark for mark in part.marks if has_columns(mark)]
        lasting = [mark for mark in found if mark in part.lasting]
        if lasting:
            self._last = lasting[-1:]
        return found or self._last

    def _check(self, seen: BatchMeasures) -> None:
        """Refuse positions of another binlog, see `check_positions`."""
        check_positions(self.route.table, seen, self._partition_ends())

    def _partition_ends(self) -> Mapping[int, PartitionEnd]:
        last = self._state.last(self.route.table)
        return last.partitions if last else {}

    def _result(
        self, seen: BatchMeasures, writers: Sequence[TableWriter], reasons: Mapping[str, int]
    ) -> TableResult:
        altered = Counter[str]()
        for writer in writers:
            altered.update(writer.target.altered)
            writer.target.altered.clear()
        alone = all(isinstance(writer, HistoryWriter) for writer in writers)
        name = self.route.history if alone else self.route.mirror
        return TableResult(
            self.route.table,
            self._lake.version(name) if writers else "",
            seen.changes,
            seen.faults,
            seen.highest,
            seen.source_ts,
            operations=seen.operations,
            partitions={number: one.end for number, one in seen.partitions.items()},
            reasons=reasons,
            altered=altered,
            swept=any(
                position is not None and self._state.is_swept(self.route.table, position)
                for position in (seen.truncated, seen.ended)
            ),
        )
