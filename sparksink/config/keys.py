"""The configuration of a sink, documented in docs/reference/sink.md; dots join a key's words."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from sparksink.config.columns import Columns, Evolution, Types
from sparksink.config.operation import DeadLetterQueue, Errors, Maintenance, Metrics
from sparksink.config.ordering import Ordering
from sparksink.config.partitioning import check
from sparksink.config.sections import Duration, Section
from sparksink.config.source import Source
from sparksink.config.table import (
    COUNTING_MODES,
    History,
    KeylessMode,
    Mirror,
    OverrideError,
    TableConfig,
    TableOverride,
)
from sparksink.config.target import Placement, Target


class Trigger(Section):
    """How often a batch starts."""

    interval: Duration = 30.0
    """A batch starts this long after the start of the one before, or when that has ended."""


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
            if one.history.snapshot == "skip" and one.nopk in COUNTING_MODES:
                raise ValueError(f"history.snapshot=skip does not work with nopk={one.nopk}")
            one.check_files(self.target.format)
            one.check_null_updates(self.target.format)
            one.check_evolution(self.evolution)
            one.check_ordering(self.ordering)
        if self.target.format == "jdbc" and {one.nopk for one in every} & COUNTING_MODES:
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
