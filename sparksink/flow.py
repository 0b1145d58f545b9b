"""One topic on its way into its tables: what it needs is decided here, once a batch."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Final

from pyspark import StorageLevel
from pyspark.sql import DataFrame

from sparksink.batch import Batch, Part, Writer
from sparksink.config import SinkConfig
from sparksink.dead_letters import DeadLetters
from sparksink.decode import MESSAGE, META, Reading, changes, tombstones, unreadable
from sparksink.errors import DataLossError, TableError
from sparksink.fitting import Target
from sparksink.history import History
from sparksink.layouts import EMPTY, GARBAGE, NO_LAYOUT, Layout, Layouts
from sparksink.measure import Measured
from sparksink.mirror import Mirror
from sparksink.routes import Route
from sparksink.shapes import kept
from sparksink.spark_types import mapped
from sparksink.state import Applied, State
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
        soft = {"__deleted": "boolean"} if self._rules.mirror.deletes == "soft" else {}
        self._mirror = self._target(route.mirror, {**MIRROR_OWN, **soft}, fills=True)
        self._history = self._target(route.history, HISTORY_OWN, fills=False)

    def _target(self, name: str, own: Mapping[str, str], *, fills: bool) -> Target:
        return Target(name, self._lake.table(name), own, self._config.evolution, fills=fills)

    def apply(self, part: Part) -> Applied:
        """Apply the messages of a batch.

        :raises TableError: the table cannot go on.
        """
        begun = time.monotonic()
        layouts = self._layouts_of(part.marks)
        if not layouts:
            return self._without_layout(part)
        keys = self._keys()
        readings = [self._reading(layout, keys) for layout in layouts]
        writers = self._writers(keys, history=part.history)
        for writer in writers:
            self._fit(writer.target, layouts, readings, keys)
        batch = self._batch(part, self._frames(part, layouts, readings))
        seen = self._write(part.messages, writers, batch)
        return self._applied(seen, time.monotonic() - begun)

    def _batch(self, part: Part, frames: list[DataFrame]) -> Batch:
        return Batch(frames, f"{part.app}:{self.route.table}", part.number, self._check)

    def _without_layout(self, part: Part) -> Applied:
        """Do what is to be done where no message tells of the table's columns."""
        faults = 0
        if GARBAGE in part.marks:
            batch = self._batch(part, [unreadable(part.of(GARBAGE))])
            faults = self._letters.add(part.messages, batch, self.route.table)
        return Applied(self.route.table, changes=faults, faults=faults)

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
        elif EMPTY in marks and not self._last and self._config.ordering.tombstones_count:
            raise TableError(
                f"{self.route.table}: only tombstones came since the start of the job.",
                "Replay what is parked as soon as a change with a value has come.",
            )
        return found or self._last

    def _keys(self) -> tuple[str, ...]:
        """Return the key; a TRUNCATE has none, and may be all that comes after a start."""
        if self._rules.keys is not None:
            return tuple(self._rules.keys)
        found = self._layouts.keys(self.route.topic, self.route.table)
        return found or self._mirror.keys()

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
        return Reading(keys, columns, self._config.ordering, images=self._keeps_images(keys))

    def _keeps_images(self, keys: tuple[str, ...]) -> bool:
        return self._rules.history.enabled or not keys

    def _writers(self, keys: tuple[str, ...], *, history: bool) -> list[Writer]:
        rules, table = self._rules, self.route.table
        if not keys and rules.nopk == "fail":
            raise TableError(
                f"{table} has no key, which nopk=fail forbids.",
                "Name its key by tables: keys, or set nopk=history.",
            )
        writers: list[Writer] = []
        if rules.mirror.enabled and keys:
            writers.append(Mirror(table, self._mirror, keys, rules.mirror, self._state))
        if history and (rules.history.enabled or not keys):
            writers.append(History(self._history))
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
