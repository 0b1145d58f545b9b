"""How changes are ordered: the section ``ordering`` of a configuration."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, field_validator, model_validator

from sparksink.config.sections import Section

_COLUMN: Final = "column:"


class Ordering(Section):
    """How the later one of two changes is determined.

    ``mode`` is ``binlog``, ``kafka``, or ``column:`` with SQL on the columns of the row.
    """

    mode: Annotated[str, Field(pattern=r"^(binlog|kafka|column:\s*\S.*)$")] = "binlog"
    """`kafka`: by offset, for rows without a position; `column:SQL`: by a value of the row, such as
    `column:updated_at` ([order](../sink/consistency.md#order-by-kafka-offset-or-by-a-column)).
    """
    epoch: Literal["none", "header", "sequence"] = "none"
    """`sequence`: the first number in `source.sequence`, which connectors for MySQL leave NULL (0
    then); `header`: from the header `millrace.position`, which the connector writes with
    `millrace.position.headers=true`.
    """
    on_position_regression: Literal["fail", "ignore"] = "fail"
    """`ignore`: positions that go back do not park the table, and such changes count as old
    ([positions that go back](../sink/consistency.md#positions-that-go-back)); nor do changes of
    [compressed transactions](../sink/consistency.md#compressed-transactions) without a header.
    """

    @property
    def expression(self) -> str:
        """The SQL that orders changes; empty in other modes."""
        if not self.mode.startswith(_COLUMN):
            return ""
        return self.mode.removeprefix(_COLUMN).strip()

    @property
    def tombstones_count(self) -> bool:
        """Whether tombstones have a position, so that they count as deletes."""
        return self.mode == "kafka" or self.epoch == "header"

    @field_validator("epoch", mode="before")
    @classmethod
    def _refuse_map(cls, value: Any) -> Any:
        if isinstance(value, dict) or str(value).startswith("map"):
            raise ValueError(
                "map is not supported: messages name the server on which a transaction started,"
                " but have positions of the server whose binlog was read; set epoch=header"
            )
        return value

    @field_validator("on_position_regression", mode="before")
    @classmethod
    def _refuse_new_epoch(cls, value: Any) -> Any:
        if value == "new_epoch":
            raise ValueError(
                "new_epoch is not supported: after a failover, changes of a transaction that"
                " started before it look like redelivered ones (lower position, earlier time) and"
                " would be lost, and the partitions of a topic switch at different times; set"
                " epoch=header"
            )
        return value

    @model_validator(mode="after")
    def _check_expression(self) -> Self:
        if self.expression and self.epoch != "none":
            raise ValueError("mode=column:… needs epoch=none, as it does not use binlog positions")
        return self
