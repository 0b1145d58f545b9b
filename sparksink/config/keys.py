"""The configuration of a sink, as documented in docs/sink.md; words of a key are joined by dots."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from sparksink.config.columns import Columns, Evolution, Types
from sparksink.config.sections import Duration, Pattern, Section
from sparksink.config.source import Source
from sparksink.config.target import Target

WithoutKey = Annotated[
    str, Field(pattern=r"^(history|bag_view|full_row|fail|key:[^,\s]+(,[^,\s]+)*)$")
]
"""What becomes of a table without a key; ``key:`` names columns that tell its rows apart."""


class Trigger(Section):
    """How often a batch begins."""

    interval: Duration = 30.0


class Ordering(Section):
    """What tells which of two changes is the later one."""

    mode: Literal["binlog", "kafka"] = "binlog"
    epoch: Literal["none", "header"] = "none"
    on_position_regression: Literal["fail", "ignore"] = "fail"

    @property
    def tombstones_count(self) -> bool:
        """Whether the place of an empty message is known, so that it is a delete of its own."""
        return self.mode == "kafka" or self.epoch == "header"


class Mirror(Section):
    """The table that equals the source's, or with ``scd`` 2 the one with all its versions."""

    enabled: bool = True
    scd: Literal[1, 2] = 1
    deletes: Literal["hard", "soft", "ignore"] = "hard"
    truncate: Literal["apply", "ignore"] = "apply"
    sweep: bool = True
    tombstone_retention: Duration = 604_800.0

    @model_validator(mode="after")
    def _versions(self) -> Self:
        if self.scd == 2 and self.deletes != "hard":
            raise ValueError("scd=2 ends the version that was deleted: leave deletes at hard")
        return self


class History(Section):
    """The table with every change, in which nothing is ever overwritten."""

    enabled: bool = False


class Errors(Section):
    """How much may go wrong before the job ends."""

    max_per_batch: Annotated[int, Field(ge=0)] = 1000
    table_error: Literal["park", "fail"] = "park"
    retries: Annotated[int, Field(ge=0)] = 5


class State(Section):
    """The sink's own tables."""

    schema_: str = Field(default="_cdc", alias="schema", pattern=r"^\w+$")


class Parallelism(Section):
    """How many tables are written at a time, and into how many tasks work is split."""

    tables: Annotated[int, Field(gt=0)] = 4
    batch_partitions: Annotated[int, Field(gt=0)] | Literal["auto"] = "auto"
    shuffle_partitions: Annotated[int, Field(gt=0)] | Literal["auto"] = "auto"


class Maintenance(Section):
    """What ``compact`` leaves behind."""

    vacuum_hours: Annotated[int, Field(ge=0)] = 168


class Metrics(Section):
    """Where metrics are told: ``http`` is ``host:port``."""

    http: str | None = Field(default=None, pattern=r"^[\w.\-]+:\d+$")


class OverrideError(ValueError):
    """The settings of one entry of ``tables`` are not valid; ``cause`` tells which."""

    def __init__(self, match: str, cause: ValidationError) -> None:
        super().__init__(match)
        self.match = match
        self.cause = cause


class TableOverride(Section):
    """Settings of the tables whose ``db.table`` matches; they win over those of the file."""

    match: Pattern
    keys: list[str] | None = None
    nopk: WithoutKey | None = None
    mirror: dict[str, Any] = Field(default_factory=dict)
    history: dict[str, Any] = Field(default_factory=dict)
    columns: dict[str, Any] = Field(default_factory=dict)


class TableConfig(Section):
    """All that holds for one table."""

    keys: list[str] | None
    nopk: WithoutKey
    mirror: Mirror
    history: History
    columns: Columns


class SinkConfig(Section):
    """The whole file."""

    name: str = Field(pattern=r"^[\w.\-]+$")
    source: Source
    trigger: Trigger = Trigger()
    checkpoint: str
    target: Target
    ordering: Ordering = Ordering()
    mirror: Mirror = Mirror()
    history: History = History()
    nopk: WithoutKey = "history"
    columns: Columns = Columns()
    types: Types = Types()
    evolution: Evolution = Evolution()
    errors: Errors = Errors()
    state: State = State()
    parallelism: Parallelism = Parallelism()
    maintenance: Maintenance = Maintenance()
    metrics: Metrics = Metrics()
    tables: list[TableOverride] = Field(default_factory=list)

    @model_validator(mode="after")
    def _boundaries(self) -> Self:
        """Refuse to compare offsets of several partitions, which tell nothing of each other."""
        by_offsets = self.ordering.mode == "kafka"
        if by_offsets and (self.mirror.sweep or self.mirror.truncate == "apply"):
            raise ValueError(
                "ordering.mode=kafka needs mirror.sweep=false and mirror.truncate=ignore"
            )
        return self

    @model_validator(mode="after")
    def _overrides(self) -> Self:
        for override in self.tables:
            try:
                self._with(override)
            except ValidationError as error:
                raise OverrideError(override.match, error) from error
        every = [self._with(one) for one in (None, *self.tables)]
        if self.target.format == "jdbc" and {one.nopk for one in every} & {"bag_view", "full_row"}:
            raise ValueError("nopk=bag_view and full_row need a target of files, not jdbc")
        versions = any(self._with(one).mirror.scd == 2 for one in (None, *self.tables))
        if versions and self.target.format == "jdbc":
            raise ValueError("mirror.scd=2 is not supported with target.format: jdbc")
        return self

    def table(self, name: str) -> TableConfig:
        """Return what holds for ``db.table``: the first override that matches wins."""
        for override in self.tables:
            if re.fullmatch(override.match, name):
                return self._with(override)
        return self._with(None)

    def _with(self, override: TableOverride | None) -> TableConfig:
        merged: dict[str, Any] = {"keys": None, "nopk": self.nopk}
        for section in ("mirror", "history", "columns"):
            given = getattr(self, section).model_dump(by_alias=True, exclude_unset=True)
            merged[section] = given | (getattr(override, section) if override else {})
        if override:
            own = {"keys": override.keys, "nopk": override.nopk}
            merged |= {name: value for name, value in own.items() if value is not None}
        return TableConfig.model_validate(merged)
