"""One topic on its way into its tables: what it needs is decided here, once a batch."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from sparksink.apply.batch import TableBatch, TableWriter, TopicBatch
from sparksink.apply.batch_measures import BatchMeasures, measure
from sparksink.apply.batch_plan import BatchPlan, MessageFormatError, name_format_in_errors
from sparksink.apply.dead_letters import DeadLetters
from sparksink.apply.history_writer import HistoryWriter
from sparksink.apply.keyed_mirror import KeyedMirror
from sparksink.apply.keyless_mirror import ROW_NAME_COLUMNS
from sparksink.apply.snapshot_ends import SnapshotEnds
from sparksink.apply.topic_tables import TopicTables
from sparksink.config.columns import HASH
from sparksink.config.keys import SinkConfig
from sparksink.decode.changes import changes
from sparksink.decode.message_schemas import (
    EMPTY,
    NO_ROWS,
    MessageSchema,
    MessageSchemas,
    has_columns,
    is_garbage,
)
from sparksink.decode.position_columns import header_position_sql
from sparksink.decode.reading import TableReading
from sparksink.decode.tombstones import tombstones, unreadable_changes
from sparksink.errors import DataLossError, TableError
from sparksink.schemas.masks import masked_conversion
from sparksink.schemas.names import select_columns
from sparksink.source.routed_tables import is_table
from sparksink.source.routes import Route
from sparksink.state.sink_state import SinkState
from sparksink.state.table_result import Boundary, TableResult
from sparksink.tables import Lake


class TopicWriter:
    """What happens to the messages of one topic."""

    def __init__(
        self,
        route: Route,
        config: SinkConfig,
        layouts: MessageSchemas,
        lake: Lake,
        state: SinkState,
    ) -> None:
        self.route = route
        self._config = config
        self._rules = config.table(route.table)
        self._target_name = config.target.column
        self._layouts = layouts
        self._lake = lake
        self._state = state
        self._letters = DeadLetters(state, config)
        self._last: list[str] = []
        self._targets = TopicTables(route, config, lake, state)

    def apply(self, part: TopicBatch) -> TableResult:
        """Apply the messages of a batch.

        :raises TableError: the table cannot go on.
        """
        begun = time.monotonic()
        if NO_ROWS in part.marks and self._rules.mirror.sweep:
            self._sweep(part.of_format(NO_ROWS))
        self._sweep_dropped()
        columns = self._fit(part)
        if not columns.layouts or self._is_garbage(part.marks):
            return self._without_layout(part, columns.refused)
        batch = self._batch(part, self._frames(part, columns))
        return replace(self._write(part, columns.writers, batch), seconds=time.monotonic() - begun)

    def _fit(self, part: TopicBatch) -> BatchPlan:
        """Make the tables fit; messages of a schema that did not last are refused if they do not.

        :raises TableError: what the last messages have cannot go into the tables.
        """
        marks, refused = self._marks(part), dict[str, str]()
        while True:
            try:
                return self._fitted(part, [one for one in marks if one not in refused], refused)
            except MessageFormatError as error:
                others = set(marks) - refused.keys() - {error.mark}
                if error.mark in part.lasting or not others:
                    raise
                refused[error.mark] = error.args[0]

    def _fitted(
        self, part: TopicBatch, marks: Sequence[str], refused: Mapping[str, str]
    ) -> BatchPlan:
        layouts = [name_format_in_errors(mark, partial(self._layout, mark)) for mark in marks]
        if not layouts or self._is_garbage(part.marks):
            return BatchPlan([], [], [], refused)
        told = self._message_key(marks)
        keys = self._targets.keys(told)
        moves = bool(keys) and keys != told
        readings = [name_format_in_errors(one.mark, partial(self._reading, one, keys, moves=moves))
                    for one in layouts]  # fmt: skip
        writers = self._fitted_writers(part, layouts, readings)
        return BatchPlan(layouts, readings, writers, refused)

    def _fitted_writers(
        self, part: TopicBatch, layouts: Sequence[MessageSchema], readings: Sequence[TableReading]
    ) -> list[TableWriter]:
        """Return who writes, after the tables were made to fit."""
        keys = readings[-1].keys
        versions = self._layouts.versions(self.route.table)
        named = versions and versions.with_names(self._target_name)
        if self._targets.counts_rows(keys):
            self._targets.check_row_columns(layouts, readings, named)
        writers = self._targets.writers(keys, history=part.history)
        for writer in writers:
            for one, reading in zip(layouts, readings, strict=True):
                given = (one.shape, reading.columns, keys, self._replaced(one), named)
                name_format_in_errors(one.mark, partial(writer.target.fit, *given))
        if self._targets.counts_rows(keys) and part.history:
            self._targets.store_row_columns(readings, named)
        if keys and self._config.ordering.tombstones_count:
            self._targets.store_key(readings[-1])
        return writers

    def _replaced(self, layout: MessageSchema) -> Mapping[str, str]:
        """Return new names of columns that only the target has changed."""
        columns = (one for one in layout.shape.columns if one.wire)
        return {one.wire: one.name for one in columns if self._target_name(one.wire) == one.name}

    def _batch(self, part: TopicBatch, frames: list[DataFrame]) -> TableBatch:
        ends = SnapshotEnds(self.route, part.progress, self._state)
        app = f"{part.app}:{self.route.table}"
        return TableBatch(frames, app, part.number, self._check, ends.due)

    def _without_layout(self, part: TopicBatch, refused: Mapping[str, str]) -> TableResult:
        """Do what is to be done where no message tells of the table's columns."""
        reasons: dict[str, int] = {}
        if EMPTY in part.marks and self._config.ordering.tombstones_count:
            return self._only_tombstones(part)
        if unreadable := self._unreadable(part, refused):
            batch = self._batch(part, unreadable)
            reasons = self._letters.add(part, batch, self.route.table)
        faults = sum(reasons.values())
        return TableResult(self.route.table, changes=faults, faults=faults, reasons=reasons)

    def _is_garbage(self, marks: Sequence[str]) -> bool:
        """Return whether a batch has nothing but garbage: no change of it would reach a writer."""
        deletes = EMPTY in marks and self._config.ordering.tombstones_count
        return any(map(is_garbage, marks)) and not any(map(has_columns, marks)) and not deletes

    def _unreadable(self, part: TopicBatch, refused: Mapping[str, str]) -> list[DataFrame]:
        """Return what is of no use, with the reason."""
        wanted = self._config.source.format
        reason = "neither JSON nor Avro" if wanted == "auto" else f"not of source.format {wanted}"
        if not is_table(self.route.topic):
            reason = "tells of no table"
        told = {mark: mark.partition(":")[2] or reason for mark in part.marks if is_garbage(mark)}
        return [
            unreadable_changes(part.of_format(mark), why)
            for mark, why in {**told, **refused}.items()
        ]

    def sweep(self, end: Boundary) -> TableResult:
        """Remove the rows from before a place of which no message of this batch tells."""
        self._targets.sweep(end)
        known = self._state.last(self.route.table) or TableResult(self.route.table)
        return replace(known, version=self.version(), swept=True, topic=self.route.topic)

    def version(self) -> str:
        """Return the version of the mirror; nothing where there is none."""
        there = self._lake.table(self.route.mirror).columns() is not None
        return self._lake.version(self.route.mirror) if there else ""

    def _sweep_dropped(self) -> None:
        """Remove what was in a table that was dropped and created again."""
        versions = self._layouts.versions(self.route.table)
        created = versions and versions.created
        if created and self._rules.mirror.truncate != "ignore":
            self._targets.sweep(Boundary(*created, None))

    def _sweep(self, marks: DataFrame) -> None:
        """Remove what was in a table before a snapshot that found it empty."""
        hi, lo = header_position_sql()
        at = f.expr("unix_micros(timestamp)")
        places = marks.select(f.struct(f.expr(hi), f.expr(lo), at).alias("place"))
        found = places.agg(f.max("place").alias("place")).collect()[0]["place"]
        if found is not None and None not in found[:2]:
            self._targets.sweep(Boundary(*found))

    def _only_tombstones(self, part: TopicBatch) -> TableResult:
        """Delete rows by keys as they were noted: the job has seen no value since its start."""
        reading = self._targets.stored_key()
        if reading is None:
            return TableResult(self.route.table)  # there is no table, so there is no row
        begun = time.monotonic()
        frames = [tombstones(part.of_format(EMPTY), reading), *self._unreadable(part, {})]
        history = part.history and self._targets.has_history()
        writers = self._targets.writers(reading.keys, history=history)
        done = self._write(part, writers, self._batch(part, frames))
        return replace(done, seconds=time.monotonic() - begun)

    def _frames(self, part: TopicBatch, fitted: BatchPlan) -> list[DataFrame]:
        readings = fitted.readings
        frames = [
            changes(part.of_format(layout.mark), layout, reading)
            for layout, reading in zip(fitted.layouts, readings, strict=True)
            if layout.mark in part.marks
        ]
        if EMPTY in part.marks and readings[-1].keys and self._config.ordering.tombstones_count:
            frames.append(tombstones(part.of_format(EMPTY), readings[-1]))
        frames += self._unreadable(part, fitted.refused)
        if readings[-1].named:
            blank = {name: f.lit(None).cast(kind) for name, kind in ROW_NAME_COLUMNS.items()}
            known = set(ROW_NAME_COLUMNS)
            frames = [one if known <= {*one.columns} else one.withColumns(blank) for one in frames]
        return frames

    def _write(
        self, part: TopicBatch, writers: Sequence[TableWriter], batch: TableBatch
    ) -> TableResult:
        """Write to all; the changes are kept if more than one look at them is needed."""
        if not batch.frames:
            return TableResult(self.route.table)
        alone = len(writers) == 1 and isinstance(writers[0], KeyedMirror)
        if not alone:
            for frame in batch.frames:
                frame.persist(StorageLevel.MEMORY_AND_DISK)
        try:
            results = [writer.write(batch) for writer in writers]
            seen = next((result for result in results if result is not None), None)
            seen = seen or measure(batch.frames, self._rules.mirror)
            reasons = self._letters.add(part, batch, self.route.table) if seen.faults else {}
            return self._applied(seen, writers, reasons)
        finally:
            for frame in batch.frames:
                frame.unpersist()

    def _marks(self, part: TopicBatch) -> list[str]:
        """Return the marks of messages with columns; where there are none, the one before."""
        found = [mark for mark in part.marks if has_columns(mark)]
        lasting = [mark for mark in found if mark in part.lasting]
        if lasting:
            self._last = lasting[-1:]
        return found or self._last

    def _layout(self, mark: str) -> MessageSchema:
        table, rules = self.route.table, self._rules.columns
        found = self._layouts.layout(self.route.topic, table, mark)
        row, keeps = found.form == "row", self._config.evolution.drop == "keep"
        trace = self._layouts.trace(table, mark, keeps=keeps)
        shape = select_columns(table, found.shape, rules, self._target_name, row=row, trace=trace)
        return replace(found, shape=shape)

    def _message_key(self, marks: Sequence[str]) -> tuple[str, ...]:
        """Return the key by which the last readable message key tells rows apart."""
        topic, table = self.route.topic, self.route.table
        columns = {
            self._layouts.trace(table, mark, keeps=True)(column.name)[0]
            for mark in marks
            for column in self._layouts.layout(topic, table, mark).shape.columns
        }
        return tuple(map(self._target_name, self._layouts.keys(topic, table, columns)))

    def _reading(
        self, layout: MessageSchema, keys: tuple[str, ...], *, moves: bool
    ) -> TableReading:
        rules = self._rules.columns
        sources = {column.name: column.source for column in layout.shape.columns}
        missing = [key for key in keys if key not in sources]
        if missing:
            raise TableError(f"{self.route.table} has no column {missing[0]}, which is in its key.")
        hidden = [key for key in keys if rules.mask.get(sources[key], HASH) != HASH]
        if hidden:
            raise TableError(f"{self.route.table}: only hash can mask {hidden[0]}, a key column.")
        columns = {
            column.name: masked_conversion(column, self._config.types, rules)
            for column in layout.shape.columns
        }
        return TableReading(
            keys,
            columns,
            self._config.ordering,
            images=self._rules.history.enabled
            or not keys
            or bool(self._config.ordering.expression),
            named=self._targets.counts_rows(keys),
            moves=moves,
            before=self._rules.history.before,
            events=self._rules.history.enabled or not keys,
            unavailable=rules.unavailable_value if rules.keeps else "",
            gone=frozenset(one.name for one in layout.shape.columns if one.gone).difference(keys),
        )

    def _check(self, seen: BatchMeasures) -> None:
        """Refuse positions that went back while the time went on: they are of another binlog.

        :raises DataLossError: they did.
        """
        last = self._state.last(self.route.table)
        if self._config.ordering.mode != "binlog":
            return
        if self._config.ordering.on_position_regression == "ignore" or last is None:
            return
        if not (seen.streamed and seen.first_ts and last.highest and last.source_ts):
            return
        if seen.streamed < last.highest and seen.first_ts > last.source_ts:
            raise DataLossError(
                f"{self.route.table}: binlog positions went back while the time went on: the"
                " source is another server, or its binlogs began anew.",
                "Let the messages tell the epoch and set ordering.epoch=header, or begin new"
                " tables, or set ordering.on.position.regression=ignore.",
            )

    def _applied(
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
            reasons=reasons,
            altered=altered,
            swept=any(
                place is not None and self._state.is_swept(self.route.table, place)
                for place in (seen.truncated, seen.ended)
            ),
        )
