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

from sparksink.apply.bag import ROW_NAMES
from sparksink.apply.batch import Batch, Part, Writer
from sparksink.apply.dead_letters import DeadLetters
from sparksink.apply.fitted import Fitted, MarkError, of_mark
from sparksink.apply.history import History
from sparksink.apply.measure import Measured, counted
from sparksink.apply.mirror import Mirror
from sparksink.apply.snapshot_ends import SnapshotEnds
from sparksink.apply.targets import Targets
from sparksink.config.columns import HASH
from sparksink.config.keys import SinkConfig
from sparksink.decode.changes import changes
from sparksink.decode.layouts import EMPTY, NO_ROWS, Layout, Layouts, has_layout, is_garbage
from sparksink.decode.places import place_of_header
from sparksink.decode.reading import Reading
from sparksink.decode.rowless import tombstones, unreadable
from sparksink.errors import DataLossError, TableError
from sparksink.schemas.masks import read_as
from sparksink.schemas.names import chosen
from sparksink.source.lanes import is_table
from sparksink.source.routes import Route
from sparksink.state.applied import Applied, Boundary
from sparksink.state.state import State
from sparksink.tables import Lake


class Flow:
    """What happens to the messages of one topic."""

    def __init__(
        self, route: Route, config: SinkConfig, layouts: Layouts, lake: Lake, state: State
    ) -> None:
        self.route = route
        self._config = config
        self._rules = config.table(route.table)
        self._named = config.target.column
        self._layouts = layouts
        self._lake = lake
        self._state = state
        self._letters = DeadLetters(state, config)
        self._last: list[str] = []
        self._targets = Targets(route, config, lake, state)

    def apply(self, part: Part) -> Applied:
        """Apply the messages of a batch.

        :raises TableError: the table cannot go on.
        """
        begun = time.monotonic()
        if NO_ROWS in part.marks and self._rules.mirror.sweep:
            self._sweep(part.of(NO_ROWS))
        self._sweep_dropped()
        columns = self._fit(part)
        if not columns.layouts or self._is_garbage(part.marks):
            return self._without_layout(part, columns.refused)
        batch = self._batch(part, self._frames(part, columns))
        return replace(self._write(part, columns.writers, batch), seconds=time.monotonic() - begun)

    def _fit(self, part: Part) -> Fitted:
        """Make the tables fit; messages of a schema that did not last are refused if they do not.

        :raises TableError: what the last messages have cannot go into the tables.
        """
        marks, refused = self._marks(part), dict[str, str]()
        while True:
            try:
                return self._fitted(part, [one for one in marks if one not in refused], refused)
            except MarkError as error:
                others = set(marks) - refused.keys() - {error.mark}
                if error.mark in part.lasting or not others:
                    raise
                refused[error.mark] = error.args[0]

    def _fitted(self, part: Part, marks: Sequence[str], refused: Mapping[str, str]) -> Fitted:
        layouts = [of_mark(mark, partial(self._layout, mark)) for mark in marks]
        if not layouts or self._is_garbage(part.marks):
            return Fitted([], [], [], refused)
        told = self._told_keys(marks)
        keys = self._targets.keys(told)
        moves = bool(keys) and keys != told
        readings = [of_mark(one.mark, partial(self._reading, one, keys, moves=moves))
                    for one in layouts]  # fmt: skip
        writers = self._fitted_writers(part, layouts, readings)
        return Fitted(layouts, readings, writers, refused)

    def _fitted_writers(
        self, part: Part, layouts: Sequence[Layout], readings: Sequence[Reading]
    ) -> list[Writer]:
        """Return who writes, after the tables were made to fit."""
        keys = readings[-1].keys
        versions = self._layouts.versions(self.route.table)
        named = versions and versions.named(self._named)
        if self._targets.counts(keys):
            self._targets.check_counts(layouts, readings, named)
        writers = self._targets.writers(keys, history=part.history)
        for writer in writers:
            for one, reading in zip(layouts, readings, strict=True):
                given = (one.shape, reading.columns, keys, self._replaced(one), named)
                of_mark(one.mark, partial(writer.target.fit, *given))
        if self._targets.counts(keys) and part.history:
            self._targets.note_counts(readings, named)
        if keys and self._config.ordering.tombstones_count:
            self._targets.note_key(readings[-1])
        return writers

    def _replaced(self, layout: Layout) -> Mapping[str, str]:
        """Return new names of columns that only the target has changed."""
        columns = (one for one in layout.shape.columns if one.wire)
        return {one.wire: one.name for one in columns if self._named(one.wire) == one.name}

    def _batch(self, part: Part, frames: list[DataFrame]) -> Batch:
        ends = SnapshotEnds(self.route, part.progress, self._state)
        app = f"{part.app}:{self.route.table}"
        return Batch(frames, app, part.number, self._check, ends.due)

    def _without_layout(self, part: Part, refused: Mapping[str, str]) -> Applied:
        """Do what is to be done where no message tells of the table's columns."""
        reasons: dict[str, int] = {}
        if EMPTY in part.marks and self._config.ordering.tombstones_count:
            return self._only_tombstones(part)
        if unreadable := self._unreadable(part, refused):
            batch = self._batch(part, unreadable)
            reasons = self._letters.add(part, batch, self.route.table)
        faults = sum(reasons.values())
        return Applied(self.route.table, changes=faults, faults=faults, reasons=reasons)

    def _is_garbage(self, marks: Sequence[str]) -> bool:
        """Tell whether a batch has nothing but garbage: no change of it would reach a writer."""
        deletes = EMPTY in marks and self._config.ordering.tombstones_count
        return any(map(is_garbage, marks)) and not any(map(has_layout, marks)) and not deletes

    def _unreadable(self, part: Part, refused: Mapping[str, str]) -> list[DataFrame]:
        """Return what is of no use, with the reason."""
        wanted = self._config.source.format
        reason = "neither JSON nor Avro" if wanted == "auto" else f"not of source.format {wanted}"
        if not is_table(self.route.topic):
            reason = "tells of no table"
        told = {mark: mark.partition(":")[2] or reason for mark in part.marks if is_garbage(mark)}
        return [unreadable(part.of(mark), why) for mark, why in {**told, **refused}.items()]

    def sweep(self, end: Boundary) -> Applied:
        """Remove the rows from before a place of which no message of this batch tells."""
        self._targets.sweep(end)
        known = self._state.last(self.route.table) or Applied(self.route.table)
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
        hi, lo = place_of_header()
        at = f.expr("unix_micros(timestamp)")
        places = marks.select(f.struct(f.expr(hi), f.expr(lo), at).alias("place"))
        found = places.agg(f.max("place").alias("place")).collect()[0]["place"]
        if found is not None and None not in found[:2]:
            self._targets.sweep(Boundary(*found))

    def _only_tombstones(self, part: Part) -> Applied:
        """Delete rows by keys as they were noted: the job has seen no value since its start."""
        reading = self._targets.noted_key()
        if reading is None:
            return Applied(self.route.table)  # there is no table, so there is no row
        begun = time.monotonic()
        frames = [tombstones(part.of(EMPTY), reading), *self._unreadable(part, {})]
        history = part.history and self._targets.has_history()
        writers = self._targets.writers(reading.keys, history=history)
        done = self._write(part, writers, self._batch(part, frames))
        return replace(done, seconds=time.monotonic() - begun)

    def _frames(self, part: Part, fitted: Fitted) -> list[DataFrame]:
        readings = fitted.readings
        frames = [
            changes(part.of(layout.mark), layout, reading)
            for layout, reading in zip(fitted.layouts, readings, strict=True)
            if layout.mark in part.marks
        ]
        if EMPTY in part.marks and readings[-1].keys and self._config.ordering.tombstones_count:
            frames.append(tombstones(part.of(EMPTY), readings[-1]))
        frames += self._unreadable(part, fitted.refused)
        if readings[-1].named:
            blank = {name: f.lit(None).cast(kind) for name, kind in ROW_NAMES.items()}
            known = set(ROW_NAMES)
            frames = [one if known <= {*one.columns} else one.withColumns(blank) for one in frames]
        return frames

    def _write(self, part: Part, writers: Sequence[Writer], batch: Batch) -> Applied:
        """Write to all; the changes are kept if more than one look at them is needed."""
        if not batch.frames:
            return Applied(self.route.table)
        alone = len(writers) == 1 and isinstance(writers[0], Mirror)
        if not alone:
            for frame in batch.frames:
                frame.persist(StorageLevel.MEMORY_AND_DISK)
        try:
            results = [writer.write(batch) for writer in writers]
            seen = next((result for result in results if result is not None), None)
            seen = seen or counted(batch.frames, self._rules.mirror)
            reasons = self._letters.add(part, batch, self.route.table) if seen.faults else {}
            return self._applied(seen, writers, reasons)
        finally:
            for frame in batch.frames:
                frame.unpersist()

    def _marks(self, part: Part) -> list[str]:
        """Return the marks of messages with columns; where there are none, the one before."""
        found = [mark for mark in part.marks if has_layout(mark)]
        lasting = [mark for mark in found if mark in part.lasting]
        if lasting:
            self._last = lasting[-1:]
        return found or self._last

    def _layout(self, mark: str) -> Layout:
        table, rules = self.route.table, self._rules.columns
        found = self._layouts.layout(self.route.topic, table, mark)
        row, keeps = found.form == "row", self._config.evolution.drop == "keep"
        trace = self._layouts.trace(table, mark, keeps=keeps)
        shape = chosen(table, found.shape, rules, self._named, row=row, trace=trace)
        return replace(found, shape=shape)

    def _told_keys(self, marks: Sequence[str]) -> tuple[str, ...]:
        """Return the key by which the last readable message key tells rows apart."""
        topic, table = self.route.topic, self.route.table
        columns = {
            self._layouts.trace(table, mark, keeps=True)(column.name)[0]
            for mark in marks
            for column in self._layouts.layout(topic, table, mark).shape.columns
        }
        return tuple(map(self._named, self._layouts.keys(topic, table, columns)))

    def _reading(self, layout: Layout, keys: tuple[str, ...], *, moves: bool) -> Reading:
        rules = self._rules.columns
        sources = {column.name: column.source for column in layout.shape.columns}
        missing = [key for key in keys if key not in sources]
        if missing:
            raise TableError(f"{self.route.table} has no column {missing[0]}, which is in its key.")
        hidden = [key for key in keys if rules.mask.get(sources[key], HASH) != HASH]
        if hidden:
            raise TableError(f"{self.route.table}: only hash can mask {hidden[0]}, a key column.")
        columns = {
            column.name: read_as(column, self._config.types, rules)
            for column in layout.shape.columns
        }
        return Reading(
            keys,
            columns,
            self._config.ordering,
            images=self._rules.history.enabled
            or not keys
            or bool(self._config.ordering.expression),
            named=self._targets.counts(keys),
            moves=moves,
            before=self._rules.history.before,
            events=self._rules.history.enabled or not keys,
            unavailable=rules.unavailable_value if rules.keeps else "",
            gone=frozenset(one.name for one in layout.shape.columns if one.gone).difference(keys),
        )

    def _check(self, seen: Measured) -> None:
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
        self, seen: Measured, writers: Sequence[Writer], reasons: Mapping[str, int]
    ) -> Applied:
        altered = Counter[str]()
        for writer in writers:
            altered.update(writer.target.altered)
            writer.target.altered.clear()
        alone = all(isinstance(writer, History) for writer in writers)
        name = self.route.history if alone else self.route.mirror
        return Applied(
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
