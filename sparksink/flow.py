"""One topic on its way into its tables: what it needs is decided here, once a batch."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Final

from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from sparksink.bag import BAG_OWN, ROW_NAMES, Bag, check_columns, note_columns
from sparksink.batch import Batch, Part, Writer
from sparksink.config import SinkConfig
from sparksink.dead_letters import DeadLetters
from sparksink.decode import (
    MESSAGE,
    META,
    Reading,
    changes,
    place_of_header,
    tombstones,
    unreadable,
)
from sparksink.errors import DataLossError, TableError
from sparksink.evolve import filling
from sparksink.fitting import Target
from sparksink.history import History
from sparksink.intervals import INTERVAL_OWN, Intervals, close
from sparksink.layouts import EMPTY, GARBAGE, NO_LAYOUT, NO_ROWS, Layout, Layouts
from sparksink.measure import Measured
from sparksink.mirror import Mirror, sweep
from sparksink.order import Sequence as Place
from sparksink.routes import Route
from sparksink.shapes import kept
from sparksink.spark_types import Mapped, mapped
from sparksink.state import Applied, Boundary, State
from sparksink.tables import Lake

MIRROR_OWN: Final = dict(zip(META, ("bigint", "bigint", "string", "timestamp"), strict=True))
HISTORY_OWN: Final = {
    **MIRROR_OWN,
    **dict(
        zip((f"__{name}" for name in MESSAGE), "string int bigint timestamp".split(), strict=True)
    ),
    "__streamed": "boolean",
    "__batch": "bigint",
}


_MIRRORS: Final[Mapping[int, type[Mirror | Intervals]]] = {1: Mirror, 2: Intervals}
_MOST: Final[Mapping[str, int]] = {"bag_view": (1 << 63) - 1, "full_row": 1}
"""Modes that count rows without a key → the highest count that is shown."""
_KEY_READING: Final = "key.reading"


class Flow:
    """The tables of one topic."""

    def __init__(
        self, route: Route, config: SinkConfig, layouts: Layouts, lake: Lake, state: State
    ) -> None:
        self.route = route
        self._config = config
        self._rules = config.table(route.table)
        self._layouts = layouts
        self._lake = lake
        self._state = state
        self._letters = DeadLetters(state, config.errors.max_per_batch)
        self._last: list[Layout] = []
        self._mirror = self._target(route.mirror, self._own(), fills=True)
        self._history = self._target(route.history, HISTORY_OWN, fills=False)
        self._bag = self._target(route.mirror, BAG_OWN, fills=True)
        self._bag_history = self._target(route.history, {**HISTORY_OWN, **ROW_NAMES}, fills=False)

    def _own(self) -> Mapping[str, str]:
        if self._rules.mirror.scd == 2:
            return INTERVAL_OWN
        soft = {"__deleted": "boolean"} if self._rules.mirror.deletes == "soft" else {}
        return {**MIRROR_OWN, **soft}

    def _target(self, name: str, own: Mapping[str, str], *, fills: bool) -> Target:
        rules, kind = self._config.evolution, self._config.target.format
        return Target(name, self._lake.table(name), own, rules, kind, fills=fills)

    def apply(self, part: Part) -> Applied:
        """Apply the messages of a batch.

        :raises TableError: the table cannot go on.
        """
        begun = time.monotonic()
        if NO_ROWS in part.marks and self._rules.mirror.sweep:
            self._sweep(part.of(NO_ROWS))
        layouts = self._layouts_of(part.marks)
        if not layouts:
            return self._without_layout(part)
        keys = self._keys()
        readings = [self._reading(layout, keys) for layout in layouts]
        if self._is_bag(keys):
            self._check_bag(layouts, readings)
        writers = self._writers(keys, history=part.history)
        for writer in writers:
            self._fit(writer.target, layouts, readings, keys)
        if self._is_bag(keys) and part.history:
            note_columns(self._bag, _kinds(readings))
        if keys and self._rules.mirror.enabled and self._config.ordering.tombstones_count:
            self._note_key(readings[-1])
        batch = self._batch(part, self._frames(part, layouts, readings))
        seen = self._write(part.messages, writers, batch)
        return self._applied(seen, time.monotonic() - begun)

    def _batch(self, part: Part, frames: list[DataFrame]) -> Batch:
        return Batch(frames, f"{part.app}:{self.route.table}", part.number, self._check)

    def _without_layout(self, part: Part) -> Applied:
        """Do what is to be done where no message tells of the table's columns."""
        faults = 0
        if EMPTY in part.marks and self._config.ordering.tombstones_count:
            return self._only_tombstones(part)
        if GARBAGE in part.marks:
            batch = self._batch(part, [unreadable(part.of(GARBAGE))])
            faults = self._letters.add(part.messages, batch, self.route.table)
        return Applied(self.route.table, changes=faults, faults=faults)

    def _sweep(self, marks: DataFrame) -> None:
        """Remove what was in a table before a snapshot that found it empty."""
        hi, lo = place_of_header()
        at = f.expr("unix_micros(timestamp)")
        places = marks.select(f.struct(f.expr(hi), f.expr(lo), at).alias("place"))
        found = places.agg(f.max("place").alias("place")).collect()[0]["place"]
        if found is None or None in found[:2]:
            return
        if "__count" in self._bag.columns:
            self._bag_writer().sweep(Place(*found[:2]))
        elif self._rules.mirror.scd == 2:
            close(self.route.table, self._mirror, [Boundary(*found)], self._state)
        else:
            sweep(self.route.table, self._mirror, Place(*found[:2]), self._state)

    def _only_tombstones(self, part: Part) -> Applied:
        """Delete rows by keys as they were noted: the job has seen no value since its start."""
        noted = self._mirror.noted(_KEY_READING)
        if noted is None:
            return Applied(self.route.table)  # there is no table, so there is no row
        begun = time.monotonic()
        columns = {name: Mapped(*given) for name, given in json.loads(noted).items()}
        reading = Reading(tuple(columns), columns, self._config.ordering, images=False)
        frames = [tombstones(part.of(EMPTY), reading)]
        if GARBAGE in part.marks:
            frames.append(unreadable(part.of(GARBAGE)))
        history = part.history and bool(self._history.columns)
        writers = self._writers(reading.keys, history=history)
        seen = self._write(part.messages, writers, self._batch(part, frames))
        return self._applied(seen, time.monotonic() - begun)

    def _note_key(self, reading: Reading) -> None:
        """Note how keys are read, for the case that nothing but tombstones comes after a start."""
        key = {name: reading.columns[name] for name in reading.keys}
        text = json.dumps({name: [m.wire, m.target, m.sql] for name, m in key.items()})
        self._mirror.note(_KEY_READING, text)

    def _fit(
        self,
        target: Target,
        layouts: Sequence[Layout],
        readings: Sequence[Reading],
        keys: tuple[str, ...],
    ) -> None:
        renamed = self._layouts.renamed(self.route.table)
        for layout, reading in zip(layouts, readings, strict=True):
            target.fit(layout.shape, reading.columns, keys, renamed)

    def _frames(
        self, part: Part, layouts: Sequence[Layout], readings: Sequence[Reading]
    ) -> list[DataFrame]:
        frames = [
            changes(part.of(layout.mark), layout, reading)
            for layout, reading in zip(layouts, readings, strict=True)
            if layout.mark in part.marks
        ]
        if EMPTY in part.marks and readings[-1].keys and self._config.ordering.tombstones_count:
            frames.append(tombstones(part.of(EMPTY), readings[-1]))
        if GARBAGE in part.marks:
            frames.append(unreadable(part.of(GARBAGE)))
        if readings[-1].named:
            blank = {name: f.lit(None).cast(kind) for name, kind in ROW_NAMES.items()}
            frames = [one if "__row" in one.columns else one.withColumns(blank) for one in frames]
        return frames

    def _write(
        self, messages: DataFrame, writers: Sequence[Writer], batch: Batch
    ) -> Measured | None:
        """Write to all; the changes are kept if more than one look at them is needed."""
        alone = len(writers) == 1 and isinstance(writers[0], Mirror)
        if not alone:
            for frame in batch.frames:
                frame.persist(StorageLevel.MEMORY_AND_DISK)
        try:
            results = [writer.write(batch) for writer in writers] if batch.frames else []
            seen = next((result for result in results if result is not None), None)
            if batch.frames and (seen is None or seen.faults):
                self._letters.add(messages, batch, self.route.table)
            return seen
        finally:
            for frame in batch.frames:
                frame.unpersist()

    def _layouts_of(self, marks: Sequence[str]) -> list[Layout]:
        """Return the layouts of a batch; where all its messages are empty, the one before."""
        found = [
            self._layouts.layout(self.route.topic, self.route.table, mark)
            for mark in marks
            if mark not in NO_LAYOUT
        ]
        if found:
            self._last = found[-1:]
        return found or self._last

    def _keys(self) -> tuple[str, ...]:
        """Return the key; a TRUNCATE has none, and may be all that comes after a start."""
        if self._rules.keys is not None:
            return tuple(self._rules.keys)
        found = self._layouts.keys(self.route.topic, self.route.table) or self._mirror.keys()
        named = self._rules.nopk.removeprefix("key:")
        return found if found or named == self._rules.nopk else tuple(named.split(","))

    def _is_bag(self, keys: tuple[str, ...]) -> bool:
        return not keys and self._rules.nopk in _MOST and self._rules.mirror.enabled

    def _check_bag(self, layouts: Sequence[Layout], readings: Sequence[Reading]) -> None:
        """Refuse what rows without a key cannot follow.

        :raises TableError: the rows or their history are not of the kind that is needed.
        """
        table = self.route.table
        if any(layout.form != "envelope" for layout in layouts):
            raise TableError(f"{table} has no key, and its messages tell of no row as it was.")
        if self._history.columns and "__row" not in self._history.columns:
            raise TableError(
                f"{table} has a history that does not name its rows.",
                "Remove it, take a new snapshot, and run park replay.",
            )
        filled = {
            column.name
            for layout, reading in zip(layouts, readings, strict=True)
            for column in layout.shape.columns
            if column.name in reading.columns and filling(column, reading.columns[column.name])
        }
        check_columns(table, self._bag, _kinds(readings), filled)

    def _bag_writer(self) -> Bag:
        return Bag(
            self.route.table,
            self._bag,
            self._bag_history,
            self._rules.mirror,
            self._state,
            _MOST.get(self._rules.nopk, 1),
        )

    def _reading(self, layout: Layout, keys: tuple[str, ...]) -> Reading:
        rules = self._rules.columns
        names = kept(layout.shape.names, rules.include, rules.exclude)
        if layout.form == "row":
            names = [name for name in names if not name.startswith("__")]
        missing = [key for key in keys if key not in names]
        if missing:
            raise TableError(f"{self.route.table} has no column {missing[0]}, which is in its key.")
        shape = layout.shape
        columns = {
            column.name: mapped(column, self._config.types)
            for column in shape.columns
            if column.name in names
        }
        told = self._layouts.keys(self.route.topic, self.route.table)
        return Reading(
            keys,
            columns,
            self._config.ordering,
            images=self._keeps_images(keys),
            named=self._is_bag(keys),
            moves=bool(keys) and keys != told,
        )

    def _keeps_images(self, keys: tuple[str, ...]) -> bool:
        return self._rules.history.enabled or not keys

    def _writers(self, keys: tuple[str, ...], *, history: bool) -> list[Writer]:
        rules, table = self._rules, self.route.table
        if not keys and rules.nopk == "fail":
            raise TableError(
                f"{table} has no key, which nopk=fail forbids.",
                "Name its key by nopk=key:COLUMNS, or set nopk=history or bag_view.",
            )
        writers: list[Writer] = []
        if rules.mirror.enabled and keys:
            kind = _MIRRORS[rules.mirror.scd]
            writers.append(kind(table, self._mirror, keys, rules.mirror, self._state))
        if history and (rules.history.enabled or not keys):
            bag = self._is_bag(keys)
            writers.append(History(self._bag_history if bag else self._history))
            if bag:
                writers.append(self._bag_writer())
        return writers

    def _check(self, seen: Measured) -> None:
        """Refuse positions that went back while the time went on: they are of another binlog.

        :raises DataLossError: they did.
        """
        last = self._state.last(self.route.table)
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

    def _applied(self, seen: Measured | None, seconds: float) -> Applied:
        if seen is None:
            return Applied(self.route.table, seconds=seconds)
        return Applied(
            self.route.table,
            self._lake.version(self.route.mirror),
            seen.changes,
            seen.faults,
            seen.highest,
            seen.source_ts,
            seconds,
        )


def _kinds(readings: Sequence[Reading]) -> list[Mapping[str, str]]:
    """Return the columns of each shape, name to type."""
    return [{name: one.target for name, one in reading.columns.items()} for reading in readings]
