"""What tells which of two changes is the later one: the section ``ordering`` of a configuration."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, field_validator, model_validator

from sparksink.config.sections import Section

_COLUMN: Final = "column:"


class Ordering(Section):
    """What tells which of two changes is the later one.

    ``mode`` is ``binlog``, ``kafka``, or ``column:`` with SQL on the columns of the row.
    """

    mode: Annotated[str, Field(pattern=r"^(binlog|kafka|column:\s*\S.*)$")] = "binlog"
    epoch: Literal["none", "header", "sequence"] = "none"
    on_position_regression: Literal["fail", "ignore"] = "fail"

    @property
    def expression(self) -> str:
        """The SQL that orders changes, empty where something else does."""
        if not self.mode.startswith(_COLUMN):
            return ""
        return self.mode.removeprefix(_COLUMN).strip()

    @property
    def tombstones_count(self) -> bool:
        """Whether the place of an empty message is known, so that it is a delete of its own."""
        return self.mode == "kafka" or self.epoch == "header"

    @field_validator("epoch", mode="before")
    @classmethod
    def _no_map(cls, value: Any) -> Any:
        if isinstance(value, dict) or str(value).startswith("map"):
            raise ValueError(
                "map is not supported: messages name the server on which a transaction began, not"
                " the one whose binlog was read, whose positions they have; set epoch=header"
            )
        return value

    @field_validator("on_position_regression", mode="before")
    @classmethod
    def _no_guess(cls, value: Any) -> Any:
        if value == "new_epoch":
            raise ValueError(
                "new_epoch is not supported: what a transaction wrote before the switch to another"
                " server and committed after it has a lower position and an earlier time, just as"
                " what is told again has, and would be lost; nor do the partitions of a topic come"
                " to that server at once; set epoch=header"
            )
        return value

    @model_validator(mode="after")
    def _own_order(self) -> Self:
        if self.expression and self.epoch != "none":
            raise ValueError("mode=column:… needs epoch=none, as it takes no binlog positions")
        return self
