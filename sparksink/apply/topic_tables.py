"""The tables of one topic: which there are, and who writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final

from sparksink.apply.batch import TableWriter
from sparksink.apply.history_writer import HistoryWriter, ReplayFilter
from sparksink.apply.keyed_mirror import KeyedMirror, sweep_rows
from sparksink.apply.keyless_mirror import (
    KEYLESS_COLUMNS,
    ROW_NAME_COLUMNS,
    KeylessMirror,
    check_columns,
    note_columns,
)
from sparksink.apply.scd2_mirror import SCD2_COLUMNS, Scd2Mirror, end_versions
from sparksink.apply.tracked_columns import TRACKED_COLUMNS
from sparksink.change_position import POSITION_COLUMNS, ChangePosition
from sparksink.config.keys import SinkConfig
from sparksink.decode.history_columns import EVENT_COLUMNS
from sparksink.decode.message_schemas import MessageSchema
from sparksink.decode.reading import MESSAGE, META, TableReading
from sparksink.errors import TableError
from sparksink.evolve.before_image import ROW
from sparksink.evolve.migration_steps import fill_value_sql
from sparksink.evolve.target_table import TargetTable
from sparksink.schemas.spark_types import BEFORE, ColumnConversion
from sparksink.schemas.versions import SchemaVersions
from sparksink.source.routes import Route
from sparksink.state.sink_state import SinkState
from sparksink.state.table_result import Boundary
from sparksink.tables import Lake

MIRROR_COLUMNS: Final = dict(zip(META, ("bigint", "bigint", "string", "timestamp"), strict=True))
HISTORY_COLUMNS: Final = {
    **MIRROR_COLUMNS,
    **dict(
        zip((f"__{name}" for name in MESSAGE), "string int bigint timestamp".split(), strict=True)
    ),
    "__streamed": "boolean",
    "__batch": "bigint",
}

_MOST: Final[Mapping[str, int]] = {"bag_view": (1 << 63) - 1, "full_row": 1}
"""Modes that count rows without a key → the highest count that is shown."""
_BEFORE: Final[Mapping[str, str]] = {"struct": ROW, "json": "string"}
_KEY_READING: Final = "key.reading"


class TopicTables:
    """The mirror and the history of one topic, of whatever kind its settings say."""

    def __init__(self, route: Route, config: SinkConfig, lake: Lake, state: SinkState) -> None:
        self._route = route
        self._config = config
        self._rules = config.table(route.table)
        self._lake = lake
        self._state = state
        self._mirror = self._target(route.mirror, self._own(), mirror=True)
        own = {**HISTORY_COLUMNS, **self._extras()}
        self._history = self._target(route.history, own, mirror=False)
        self._bag = self._target(route.mirror, KEYLESS_COLUMNS, mirror=True)
        self._bag_history = self._target(route.history, {**own, **ROW_NAME_COLUMNS}, mirror=False)
        self._earlier = ReplayFilter(self._history, state)

    def _own(self) -> Mapping[str, str]:
        if self._rules.mirror.scd == 2:
            return {**SCD2_COLUMNS, **(TRACKED_COLUMNS if self._rules.mirror.track_columns else {})}
        soft = {"__deleted": "boolean"} if self._rules.mirror.deletes == "soft" else {}
        return {**MIRROR_COLUMNS, **soft}

    def _extras(self) -> Mapping[str, str]:
        rules = self._rules.history
        before = {BEFORE: _BEFORE[rules.before]} if rules.before in _BEFORE else {}
        return {**EVENT_COLUMNS, **before}

    def _target(self, name: str, own: Mapping[str, str], *, mirror: bool) -> TargetTable:
        rules, kind = self._config.evolution, self._config.target.format
        if kind == "parquet":  # files are not written anew for a name
            rules = rules.model_copy(update={"rename": "add"})
        keeps_past = not mirror or self._rules.mirror.scd == 2
        if keeps_past:  # what is past has its columns still
            rules = rules.model_copy(update={"drop": "keep"})
        placed = self._rules.target.partitioning if mirror else self._rules.history.partitioning
        how = placed.with_names(self._config.target.column)
        target = TargetTable(name, self._lake.table(name), own, rules, kind, how, fills=mirror)
        target.keeps_past = keeps_past
        target.appends_first = mirror and self._config.snapshot.fast_path
        target.beside_keys = POSITION_COLUMNS if mirror and self._rules.mirror.scd == 2 else ()
        return target

    def keys(self, told: tuple[str, ...]) -> tuple[str, ...]:
        """Return the key by its names in the target, where the messages tell of this one.

        A TRUNCATE has none, and may be all that comes after a start.
        """
        found: Sequence[str] = told or self._mirror.keys()
        named = self._rules.nopk.removeprefix("key:")
        if not found and named != self._rules.nopk:
            found = named.split(",")
        if self._rules.keys is not None:
            found = self._rules.keys
        return tuple(map(self._config.target.column, found))

    def counts_rows(self, keys: tuple[str, ...]) -> bool:
        """Return whether the mirror is one that counts rows without a key."""
        return not keys and self._rules.nopk in _MOST and self._rules.mirror.enabled

    def has_history(self) -> bool:
        """Return whether there is a history already."""
        return bool(self._history.columns)

    def writers(self, keys: tuple[str, ...], *, history: bool) -> list[TableWriter]:
        """Return who writes, in the order in which they must.

        :raises TableError: the table has no key, and its settings forbid that.
        """
        rules, table = self._rules, self._route.table
        if not keys and rules.nopk == "fail":
            raise TableError(
                f"{table} has no key, which nopk=fail forbids.",
                "Name its key by nopk=key:COLUMNS, or set nopk=history or bag_view.",
            )
        writers: list[TableWriter] = []
        if rules.mirror.enabled and keys:
            writers.append(self._mirror_writer(keys))
        if history and (rules.history.enabled or not keys):
            counts = self.counts_rows(keys)
            target = self._bag_history if counts else self._history
            writers.append(HistoryWriter(table, target, rules.history, self._state, self._earlier))
            if counts:
                writers.append(self._bag_writer())
        return writers

    def sweep(self, end: Boundary) -> None:
        """Remove what was in the mirror before a snapshot that found the table empty."""
        if "__count" in self._bag.columns:
            self._bag_writer().sweep(ChangePosition(end.hi, end.lo))
        elif self._rules.mirror.scd == 2:
            end_versions(self._route.table, self._mirror, [end], self._state)
        else:
            place, soft = ChangePosition(end.hi, end.lo), self._rules.mirror.truncate == "soft"
            sweep_rows(self._route.table, self._mirror, place, self._state, soft=soft)

    def check_row_columns(
        self,
        layouts: Sequence[MessageSchema],
        readings: Sequence[TableReading],
        versions: SchemaVersions | None,
    ) -> None:
        """Refuse what rows without a key cannot follow.

        :raises TableError: the rows or their history are not of the kind that is needed.
        """
        table = self._route.table
        if any(layout.form != "envelope" for layout in layouts):
            raise TableError(f"{table} has no key, and its messages tell of no row as it was.")
        if self._history.columns and "__row_name" not in self._history.columns:
            raise TableError(
                f"{table} has a history that does not name its rows.",
                "Remove it, take a new snapshot, and run park replay.",
            )
        filled = {
            column.name
            for layout, reading in zip(layouts, readings, strict=True)
            for column in layout.shape.columns
            if column.name in reading.columns
            and fill_value_sql(column, reading.columns[column.name])
        }
        filled |= {one.name for layout in layouts for one in layout.shape.columns if one.gone}
        check_columns(table, self._bag, _column_types(readings, versions), filled)

    def store_row_columns(
        self, readings: Sequence[TableReading], versions: SchemaVersions | None
    ) -> None:
        """Note the columns that name rows."""
        note_columns(self._bag, _column_types(readings, versions))

    def store_key(self, reading: TableReading) -> None:
        """Note how keys are read, for the case that nothing but tombstones comes after a start."""
        if not self._rules.mirror.enabled:
            return
        key = {name: reading.columns[name] for name in reading.keys}
        read = {name: [m.wire, m.target, m.sql] for name, m in key.items()}
        others = {name: [m.drops, m.member] for name, m in key.items() if m.member}
        text = json.dumps({name: [*one, *others.get(name, ())] for name, one in read.items()})
        self._mirror.set_fact(_KEY_READING, text)

    def stored_key(self) -> TableReading | None:
        """Return how keys are read as it was noted; None where there is no table."""
        noted = self._mirror.fact(_KEY_READING)
        if noted is None:
            return None
        columns = {name: ColumnConversion(*given) for name, given in json.loads(noted).items()}
        return TableReading(tuple(columns), columns, self._config.ordering, images=False)

    def _mirror_writer(self, keys: tuple[str, ...]) -> TableWriter:
        rules, table = self._rules, self._route.table
        if rules.mirror.scd == 2:
            tracked = [*map(self._config.target.column, rules.mirror.track_columns)]
            follows = rules.mirror.model_copy(update={"track_columns": tracked})
            return Scd2Mirror(table, self._mirror, keys, follows, self._state)
        keeps = rules.columns.keeps
        return KeyedMirror(table, self._mirror, keys, rules.mirror, self._state, keeps=keeps)

    def _bag_writer(self) -> KeylessMirror:
        return KeylessMirror(
            self._route.table,
            self._bag,
            self._bag_history,
            self._rules.mirror,
            self._state,
            _MOST.get(self._rules.nopk, 1),
        )


def _column_types(
    readings: Sequence[TableReading], versions: SchemaVersions | None
) -> list[Mapping[str, str]]:
    """Return the columns of each shape, name to type and, of a name used again, its begin."""
    born = {
        name: f" since {start}" for name, start in (versions.reused if versions else {}).items()
    }
    return [
        {name: one.target + born.get(name, "") * (name not in reading.gone)
         for name, one in reading.columns.items()} for reading in readings
    ]  # fmt: skip
