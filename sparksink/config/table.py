"""The settings of one table: its mirror, its history, its key and its columns."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, ValidationError, model_validator

from sparksink.config.columns import Columns, Evolution
from sparksink.config.ordering import Ordering
from sparksink.config.partitioning import Partitioning, partitioning
from sparksink.config.sections import Duration, Pattern, Section
from sparksink.config.target import TableTarget

KeylessMode = Annotated[
    str, Field(pattern=r"^(history|bag_view|full_row|fail|key:[^,\s]+(,[^,\s]+)*)$")
]
"""How tables without a key are written; ``key:`` names columns that identify a row."""

COUNTING_MODES: Final = frozenset(("bag_view", "full_row"))
"""The modes in which equal rows are counted."""


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
        versions, counting = self.mirror.scd == 2, self.nopk in COUNTING_MODES
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
        if mode == "column" and (self.mirror.scd == 2 or self.nopk in COUNTING_MODES):
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
