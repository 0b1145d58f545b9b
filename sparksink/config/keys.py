"""The configuration of a sink, documented in docs/reference/sink.md; dots join a key's words."""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, ValidationError, model_validator

from sparksink.config.columns import Columns, Evolution, Types
from sparksink.config.operation import DeadLetterQueue, Errors, Maintenance, Metrics
from sparksink.config.ordering import Ordering
from sparksink.config.partitioning import Partitioning, check, partitioning
from sparksink.config.sections import Duration, Pattern, Section
from sparksink.config.source import Source
from sparksink.config.target import Placement, TableTarget, Target

KeylessMode = Annotated[
    str, Field(pattern=r"^(history|bag_view|full_row|fail|key:[^,\s]+(,[^,\s]+)*)$")
]
"""How tables without a key are written; ``key:`` names columns that identify a row."""

_COUNTING_MODES: Final = frozenset(("bag_view", "full_row"))


class Trigger(Section):
    """How often a batch starts."""

    interval: Duration = 30.0
    """A batch starts this long after the start of the one before, or when that has ended."""


class Mirror(Section):
    """The table that equals the source's, or with ``scd`` 2 has all versions of its rows."""

    enabled: bool = True
    """Write mirrors."""
    scd: Literal[1, 2] = 1
    """2: keep [all versions of each
    row](../sink/table-formats.md#all-versions-of-each-row-scd-type-2).
    """
    deletes: Literal["hard", "soft", "ignore"] = "hard"
    """`soft`: the row stays, `__deleted` is true; `ignore`: it stays as it was."""
    truncate: Literal["apply", "soft", "ignore"] = "apply"
    """`soft`: rows from before a TRUNCATE, or that a new snapshot no longer has, stay, `__deleted`
    is true (needs `deletes: soft`); `ignore`: they stay as they were.
    """
    sweep: bool = True
    """Remove rows that a new snapshot no longer has."""
    tombstone_retention: Duration = 604_800.0
    """How long deletes are remembered."""
    track_columns: list[str] = Field(default_factory=list)
    """With `scd: 2`: only a change of one of these columns starts a new version; by default a
    change of any.
    """

    @model_validator(mode="after")
    def _check_scd(self) -> Self:
        if self.scd == 2 and self.deletes != "hard":
            raise ValueError("scd=2 ends the version of a deleted row: leave deletes at hard")
        if self.truncate == "soft" and self.deletes != "soft":
            raise ValueError("truncate=soft needs deletes=soft")
        if self.track_columns and self.scd != 2:
            raise ValueError("track.columns needs scd=2")
        return self


class History(Section):
    """The table with a row for each change, to which rows are only appended."""

    enabled: bool = False
    """Write histories."""
    partition_by: list[str] = Field(default_factory=list)
    """Like `target.partition.by`, for histories: `days(__source_ts)`."""
    before: Literal["none", "struct", "json"] = "none"
    """`struct` or `json`: `__before` has the row as it was before an update or delete."""
    dedupe: Literal["none", "replay", "event_id"] = "none"
    """`replay` or `event_id` drops [repeated
    events](../sink/consistency.md#what-a-history-guarantees).
    """
    snapshot: Literal["append", "skip"] = "append"
    """`skip`: exclude snapshot rows, so that a history has only changes."""

    @property
    def partitioning(self) -> Partitioning:
        """The partitioning of new histories."""
        return partitioning(self.partition_by)


class Snapshot(Section):
    """How the rows of a snapshot are written."""

    fast_path: bool = True
    """Append the first batch of a new mirror, without searching for its rows."""


class State(Section):
    """The sink's system tables."""

    schema_: str = Field(default="_cdc", alias="schema", pattern=r"^\w+$")
    """Folder of the sink's own tables."""


class Parallelism(Section):
    """How many tables are written at a time, and the number of partitions of a query."""

    tables: Annotated[int, Field(gt=0)] = 4
    """Tables written at a time."""
    batch_partitions: Annotated[int, Field(gt=0)] | Literal["auto"] = "auto"
    """Tasks that read a batch; `auto` is the number of cores."""
    shuffle_partitions: Annotated[int, Field(gt=0)] | Literal["auto"] = "auto"
    """Tasks of joins and aggregations; `auto` is the number of cores."""


class OverrideError(ValueError):
    """The settings of one entry of ``tables`` are invalid, because of ``cause``."""

    def __init__(self, match: str, cause: ValidationError) -> None:
        super().__init__(match)
        self.match = match
        self.cause = cause


class TableOverride(Section):
    """Settings of the tables whose ``db.table`` matches; they override those of the file."""

    match: Pattern
    keys: list[str] | None = None
    nopk: KeylessMode | None = None
    target: dict[str, Any] = Field(default_factory=dict)
    mirror: dict[str, Any] = Field(default_factory=dict)
    history: dict[str, Any] = Field(default_factory=dict)
    columns: dict[str, Any] = Field(default_factory=dict)


class TableConfig(Section):
    """The effective settings of one table."""

    keys: list[str] | None
    nopk: KeylessMode
    target: TableTarget
    mirror: Mirror
    history: History
    columns: Columns

    def check_files(self, target: str) -> None:
        """Refuse settings that Parquet files do not support, to which rows are only appended.

        :raises ValueError: one is set.
        """
        rules = self.history
        if target != "parquet":
            return
        if self.mirror.enabled:
            raise ValueError(
                "target.format: parquet supports histories only: set mirror.enabled: false and"
                " history.enabled: true"
            )
        if rules.dedupe == "event_id" or rules.before == "struct":
            raise ValueError(
                "target.format: parquet supports history.dedupe=none or replay, and history.before="
                "none or json"
            )

    def check_null_updates(self, target: str) -> None:
        """Refuse to keep present values where rows are not merged.

        :raises ValueError: the settings require it.
        """
        versions, counting = self.mirror.scd == 2, self.nopk in _COUNTING_MODES
        if self.columns.keeps and (versions or counting or target == "jdbc"):
            raise ValueError(
                "columns.null.updates=keep works with mirror.scd=1 only, not with nopk=bag_view or"
                " full_row, nor with target.format: jdbc"
            )

    def check_ordering(self, rules: Ordering) -> None:
        """Refuse to compare offsets of several partitions, which have no common order.

        :raises ValueError: the settings require it.
        """
        mode = rules.mode.partition(":")[0]
        if mode == "binlog":
            return
        if self.mirror.sweep or self.mirror.truncate != "ignore":
            raise ValueError(
                f"ordering.mode={mode} needs mirror.sweep=false and mirror.truncate=ignore"
            )
        if mode == "column" and (self.mirror.scd == 2 or self.nopk in _COUNTING_MODES):
            raise ValueError(
                "ordering.mode=column works neither with mirror.scd=2 nor with nopk=bag_view or"
                " full_row: redelivered messages would count twice"
            )

    def check_evolution(self, rules: Evolution) -> None:
        """Refuse settings that cannot follow incompatible changes of types.

        :raises ValueError: one is set.
        """
        new_column = rules.conflict == "new_column"
        refused = {
            "history.before=struct": self.history.before == "struct",
            "columns.null.updates=keep": new_column and self.columns.keeps,
            "mirror.track.columns": new_column and bool(self.mirror.track_columns),
        }
        for key, is_set in refused.items():
            if is_set and (new_column or rules.conflict == "rewrite"):
                raise ValueError(f"evolution.conflict={rules.conflict} does not work with {key}")


class SinkConfig(Section):
    """The whole file."""

    name: str = Field(pattern=r"^[\w.\-]+$")
    """Name of the query."""
    source: Source
    trigger: Trigger = Trigger()
    checkpoint: str
    """Folder in which Spark stores offsets."""
    target: Target
    ordering: Ordering = Ordering()
    mirror: Mirror = Mirror()
    history: History = History()
    snapshot: Snapshot = Snapshot()
    nopk: KeylessMode = "history"
    """[Tables without a key](../sink/table-formats.md#tables-without-a-key): `history`, `bag_view`,
    `full_row`, `key:COLUMN,…` or `fail`.
    """
    columns: Columns = Columns()
    types: Types = Types()
    evolution: Evolution = Evolution()
    errors: Errors = Errors()
    dlq: DeadLetterQueue = DeadLetterQueue()
    state: State = State()
    parallelism: Parallelism = Parallelism()
    maintenance: Maintenance = Maintenance()
    metrics: Metrics = Metrics()
    tables: list[TableOverride] = Field(default_factory=list)
    """A list of `match` (regular expression of `db.table`) with `keys`, `nopk`, `target`
    (`partition.by`, `cluster.by`, and `name` and `history.name` of these tables), `mirror`,
    `history`, `columns`; the first that matches wins.
    """

    @model_validator(mode="after")
    def _check_operation(self) -> Self:
        """Refuse a dead letter topic that the sink would read, and settings of another format."""
        if self.dlq.topic and self.source.kind != "kafka":
            raise ValueError("dlq.topic needs source.kind: kafka, whose jars write to topics")
        if self.dlq.topic and self.source.has_topic(self.dlq.topic):
            raise ValueError("dlq.topic matches source.topics: add it to source.topics.exclude")
        if self.maintenance.expire_snapshots is not None and self.target.format != "iceberg":
            raise ValueError("maintenance.expire.snapshots needs target.format: iceberg")
        return self

    @model_validator(mode="after")
    def _check_evolution(self) -> Self:
        """Refuse to follow changes that are not reported, or that cannot be followed."""
        if self.evolution.drop == "drop" and not self.source.ddl_topic:
            raise ValueError(
                "evolution.drop=drop needs source.ddl.topic, which reports dropped columns"
            )
        numbers = self.types.time == "micros" or self.types.bits == "long"
        if self.evolution.conflict == "rewrite" and numbers:
            raise ValueError(
                "evolution.conflict=rewrite needs types.time=string and types.bits=binary:"
                " numbers cannot be cast to the strings that the source casts them to"
            )
        return self

    @model_validator(mode="after")
    def _check_tables(self) -> Self:
        for override in self.tables:
            try:
                self._with(override)
            except ValidationError as error:
                raise OverrideError(override.match, error) from error
        every = [self._with(one) for one in (None, *self.tables)]
        for one in every:
            check(self.target.format, one.target.partition_by, one.target.cluster_by)
            check(self.target.format, one.history.partition_by)
            self._check_history(one.history)
            if one.history.snapshot == "skip" and one.nopk in _COUNTING_MODES:
                raise ValueError(f"history.snapshot=skip does not work with nopk={one.nopk}")
            one.check_files(self.target.format)
            one.check_null_updates(self.target.format)
            one.check_evolution(self.evolution)
            one.check_ordering(self.ordering)
        if self.target.format == "jdbc" and {one.nopk for one in every} & _COUNTING_MODES:
            raise ValueError("nopk=bag_view and full_row need a target of files, not jdbc")
        return self

    def _check_history(self, rules: History) -> None:
        """Check the settings of a history.

        :raises ValueError: they are invalid.
        """
        if rules.before == "struct" and self.target.format == "jdbc":
            raise ValueError("history.before=struct needs a target of files, not jdbc: use json")
        if rules.dedupe != "none" and self.ordering.mode != "binlog":
            raise ValueError(f"history.dedupe={rules.dedupe} needs ordering.mode=binlog")
        if rules.dedupe == "replay" and self.ordering.on_position_regression == "ignore":
            raise ValueError(
                "history.dedupe=replay skips messages whose positions go back:"
                " it does not work with ordering.on.position.regression=ignore"
            )

    def table(self, name: str) -> TableConfig:
        """Return the settings of ``db.table``: the first matching override wins."""
        for override in self.tables:
            if re.fullmatch(override.match, name):
                return self._with(override)
        return self._with(None)

    def _with(self, override: TableOverride | None) -> TableConfig:
        merged: dict[str, Any] = {"keys": None, "nopk": self.nopk}
        for section in ("mirror", "history", "columns"):
            given = getattr(self, section).model_dump(by_alias=True, exclude_unset=True)
            merged[section] = given | (getattr(override, section) if override else {})
        own_names = set(Placement.model_fields)
        placed = self.target.model_dump(by_alias=True, exclude_unset=True, include=own_names)
        merged["target"] = placed | (override.target if override else {})
        if override:
            own = {"keys": override.keys, "nopk": override.nopk}
            merged |= {name: value for name, value in own.items() if value is not None}
        return TableConfig.model_validate(merged)
