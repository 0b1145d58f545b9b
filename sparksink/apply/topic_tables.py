"""The target tables of one topic, and their writers."""

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
from sparksink.apply.mirror import MirroredTable
from sparksink.apply.scd2_mirror import SCD2_COLUMNS, Scd2Mirror, end_versions
from sparksink.apply.tracked_columns import TRACKED_COLUMNS
from sparksink.change_position import POSITION_COLUMNS, ChangePosition
from sparksink.config.keys import SinkConfig
from sparksink.config.table import TableConfig
from sparksink.decode.history_columns import EVENT_COLUMNS
from sparksink.decode.message_schema import MessageSchema
from sparksink.decode.reading import MESSAGE, META, TableReading
from sparksink.errors import TableError
from sparksink.evolve.before_image import ROW
from sparksink.evolve.migration_steps import fill_value_sql
from sparksink.evolve.table_checks import check_same_keys
from sparksink.evolve.target_table import TargetTable
from sparksink.schemas.spark_types import BEFORE, ColumnConversion
from sparksink.schemas.versions import SchemaVersions
from sparksink.source.routes import Route
from sparksink.source.target_names import TargetNames
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

KEYLESS_COUNTS: Final[Mapping[str, int]] = {"bag_view": (1 << 63) - 1, "full_row": 1}
"""Values of nopk with a keyless mirror → the highest count."""
_BEFORE: Final[Mapping[str, str]] = {"struct": ROW, "json": "string"}
_KEY_READING: Final = "key.reading"


def counts_rows(rules: TableConfig, keys: Sequence[str]) -> bool:
    """Return whether a table with these keys has a keyless mirror, which counts rows."""
    return not keys and rules.nopk in KEYLESS_COUNTS and rules.mirror.enabled


class TopicTables:
    """The mirror and the history of one topic, as its settings define them."""

    def __init__(
        self, route: Route, config: SinkConfig, lake: Lake, state: SinkState, names: TargetNames
    ) -> None:
        self._route = route
        self._names = names
        self._config = config
        self._rules = config.table(route.table)
        self._lake = lake
        self._state = state
        self._mirror = self._target(route.mirror, self._mirror_columns(), mirror=True)
        own = {**HISTORY_COLUMNS, **self._optional_history_columns()}
        self._history = self._target(route.history, own, mirror=False)
        self._keyless = self._target(route.mirror, KEYLESS_COLUMNS, mirror=True)
        self._keyless_history = self._target(
            route.history, {**own, **ROW_NAME_COLUMNS}, mirror=False
        )
        self._earlier = ReplayFilter(self._history, state)

    def _mirror_columns(self) -> Mapping[str, str]:
        if self._rules.mirror.scd == 2:
            return {**SCD2_COLUMNS, **(TRACKED_COLUMNS if self._rules.mirror.track_columns else {})}
        soft = {"__deleted": "boolean"} if self._rules.mirror.deletes == "soft" else {}
        return {**MIRROR_COLUMNS, **soft}

    def _optional_history_columns(self) -> Mapping[str, str]:
        rules = self._rules.history
        before = {BEFORE: _BEFORE[rules.before]} if rules.before in _BEFORE else {}
        return {**EVENT_COLUMNS, **before}

    def _target(self, name: str, own: Mapping[str, str], *, mirror: bool) -> TargetTable:
        rules, kind = self._config.evolution, self._config.target.format
        if kind == "parquet":  # files are not rewritten for a rename
            rules = rules.model_copy(update={"rename": "add"})
        keeps_past = not mirror or self._rules.mirror.scd == 2
        if keeps_past:  # past rows keep their columns
            rules = rules.model_copy(update={"drop": "keep"})
        layout = self._rules.target.partitioning if mirror else self._rules.history.partitioning
        how = layout.with_names(self._config.target.column)
        target = TargetTable(name, self._lake.table(name), own, rules, kind, how, fills=mirror)
        target.keeps_past = keeps_past
        target.has_positions = self._config.ordering.mode == "binlog"
        target.appends_first = mirror and self._config.snapshot.fast_path
        target.beside_keys = POSITION_COLUMNS if mirror and self._rules.mirror.scd == 2 else ()
        return target

    def keys(self, message_key: tuple[str, ...]) -> tuple[str, ...]:
        """Return the key with its names in the target, for the key of the messages.

        A TRUNCATE has no key, and may be the only message after a start.
        """
        found: Sequence[str] = message_key or self._mirror.keys()
        named = self._rules.nopk.removeprefix("key:")
        if not found and named != self._rules.nopk:
            found = named.split(",")
        if self._rules.keys is not None:
            found = self._rules.keys
        return tuple(map(self._config.target.column, found))

    @property
    def has_configured_key(self) -> bool:
        """Whether the settings name the key."""
        return self._rules.keys is not None or self._rules.nopk.startswith("key:")

    @property
    def has_mirror(self) -> bool:
        """Whether the mirror exists and its rows have a key."""
        return bool(self._mirror.keys())

    def check_keyless(self) -> None:
        """Refuse rows without a key if the rows of the mirror have one.

        :raises TableError: they have.
        """
        if keys := self._mirror.keys():
            check_same_keys(self._route.table, json.dumps(keys), ())

    def counts_rows(self, keys: tuple[str, ...]) -> bool:
        """Return whether the mirror is a keyless one, which counts rows."""
        return counts_rows(self._rules, keys)

    def exist(self) -> bool:
        """Return whether the mirror or the history exists."""
        return bool(self._mirror.columns or self._history.columns)

    def has_column(self, name: str) -> bool:
        """Return whether the mirror or the history has a column of the source."""
        named = self._config.target.column(name)
        return named in self._mirror.columns or named in self._history.columns

    def has_history(self) -> bool:
        """Return whether the history exists."""
        return bool(self._history.columns)

    def writers(self, keys: tuple[str, ...], *, history: bool) -> list[TableWriter]:
        """Return the writers in the order in which they must write.

        :raises TableError: the table has no key, and its settings forbid that, or its history
            belongs to another topic.
        """
        rules, table = self._rules, self._route.table
        if not keys and rules.nopk == "fail":
            raise TableError(
                f"{table} has no key, which nopk=fail forbids.",
                "Name its key with nopk=key:COLUMNS, or set nopk=history or bag_view.",
            )
        writers: list[TableWriter] = []
        if rules.mirror.enabled and keys:
            self._check_history(keys)
            writers.append(self._mirror_writer(keys))
        if history and (rules.history.enabled or not keys):
            if not rules.history.enabled:
                self._names.claim_history(self._route)
            counts = self.counts_rows(keys)
            target = self._keyless_history if counts else self._history
            writers.append(HistoryWriter(table, target, rules.history, self._state, self._earlier))
            if counts:
                writers.append(self._keyless_writer())
        return writers

    def _check_history(self, keys: tuple[str, ...]) -> None:
        """Refuse to begin a mirror of a table without the rows that had no key.

        :raises TableError: only a history has these.
        """
        if not self._mirror.columns and self._history.columns and not self._history.keys():
            raise TableError(
                f"{self._route.table}: the key changed from [] to {json.dumps(keys)}, and the rows"
                " from before are only in its history.",
                f"Rename or remove {self._route.history}, take a new snapshot of the table, and run"
                " park replay.",
            )

    def sweep(self, end: Boundary) -> None:
        """Remove the rows of the mirror from before a position."""
        if "__count" in self._keyless.columns:
            self._keyless_writer().sweep(ChangePosition(end.hi, end.lo))
        elif self._rules.mirror.scd == 2:
            end_versions(self._route.table, self._mirror, [end], self._state)
        else:
            position, soft = ChangePosition(end.hi, end.lo), self._rules.mirror.truncate == "soft"
            sweep_rows(self._route.table, self._mirror, position, self._state, soft=soft)

    def check_row_columns(
        self,
        layouts: Sequence[MessageSchema],
        readings: Sequence[TableReading],
        versions: SchemaVersions | None,
    ) -> None:
        """Refuse messages, histories and columns that a keyless mirror does not support.

        :raises TableError: one is not supported.
        """
        table = self._route.table
        if any(layout.form != "envelope" for layout in layouts):
            raise TableError(
                f"{table} has no key, and its messages do not contain the row before a change."
            )
        if self._history.columns and "__row_name" not in self._history.columns:
            raise TableError(
                f"{table} has a history without hashes of its rows.",
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
        check_columns(table, self._keyless, _column_types(readings, versions), filled)

    def store_row_columns(
        self, readings: Sequence[TableReading], versions: SchemaVersions | None
    ) -> None:
        """Store the columns of the hashes of rows."""
        note_columns(self._keyless, _column_types(readings, versions))

    def store_key(self, reading: TableReading) -> None:
        """Store how keys are read, in case only tombstones arrive after a start."""
        if not self._rules.mirror.enabled:
            return
        key = {name: reading.columns[name] for name in reading.keys}
        read = {name: [m.wire, m.target, m.sql] for name, m in key.items()}
        others = {name: [m.drops, m.member] for name, m in key.items() if m.member}
        text = json.dumps({name: [*one, *others.get(name, ())] for name, one in read.items()})
        self._mirror.set_fact(_KEY_READING, text)

    def stored_key(self) -> TableReading | None:
        """Return the stored reading of keys; None without a table."""
        stored = self._mirror.fact(_KEY_READING)
        if stored is None:
            return None
        columns = {name: ColumnConversion(*given) for name, given in json.loads(stored).items()}
        return TableReading(tuple(columns), columns, self._config.ordering, images=False)

    def _mirror_writer(self, keys: tuple[str, ...]) -> TableWriter:
        table, rules = self._route.table, self._rules.mirror
        if rules.scd == 2:
            tracked = [*map(self._config.target.column, rules.track_columns)]
            follows = rules.model_copy(update={"track_columns": tracked})
            return Scd2Mirror(MirroredTable(table, self._mirror, follows, self._state), keys)
        mirrored = MirroredTable(table, self._mirror, rules, self._state)
        return KeyedMirror(mirrored, keys, keeps=self._rules.columns.keeps)

    def _keyless_writer(self) -> KeylessMirror:
        rules = self._rules
        table = MirroredTable(self._route.table, self._keyless, rules.mirror, self._state)
        return KeylessMirror(table, self._keyless_history, KEYLESS_COUNTS.get(rules.nopk, 1))


def _column_types(
    readings: Sequence[TableReading], versions: SchemaVersions | None
) -> list[Mapping[str, str]]:
    """Return the columns of each schema, name to type with the start of names that others had."""
    start_texts = {
        name: f" since {start}" for name, start in (versions.renewed if versions else {}).items()
    }
    return [
        {name: one.target + start_texts.get(name, "") * (name not in reading.gone)
         for name, one in reading.columns.items()} for reading in readings
    ]  # fmt: skip
