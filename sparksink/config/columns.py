"""Columns, their types and schema evolution: three sections of a configuration."""

from __future__ import annotations

from typing import Final, Literal, Self

from pydantic import Field, model_validator

from connector.names import UNAVAILABLE_VALUE
from sparksink.config.sections import Section

HASH: Final = "hash"
"""The mask that replaces values by their hash."""


class Columns(Section):
    """Which columns are kept, their types where messages have no schema, and masks.

    ``mask`` is what replaces values: None, `HASH`, or a string. With ``null_updates`` "keep" a
    value that an update lacks does not overwrite the present one; ``unavailable_value`` stands
    for such a value in strings and bytes.
    """

    include: list[str] | None = None
    exclude: list[str] = Field(default_factory=list)
    types: dict[str, str] = Field(default_factory=dict)
    mask: dict[str, str | None] = Field(default_factory=dict)
    null_updates: Literal["overwrite", "keep"] = "overwrite"
    unavailable_value: str = Field(default=UNAVAILABLE_VALUE, min_length=1)

    @property
    def keeps(self) -> bool:
        """Whether values that updates lack are kept."""
        return self.null_updates == "keep"

    @model_validator(mode="after")
    def _check_unavailable_value(self) -> Self:
        if "unavailable_value" in self.model_fields_set and not self.keeps:
            raise ValueError("unavailable.value needs null.updates=keep")
        return self


class Types(Section):
    """Choices between Spark types; the first of each is the default."""

    unsigned_bigint: Literal["decimal20", "bigint"] = "decimal20"
    time: Literal["string", "micros"] = "string"
    datetime: Literal["timestamp_ntz", "timestamp"] = "timestamp_ntz"
    json_as: Literal["string", "variant"] = Field(default="string", alias="json")
    set: Literal["string", "array"] = "string"
    bits: Literal["binary", "long"] = "binary"
    geometry: Literal["struct", "wkb"] = "struct"
    decimal_max: Literal["decimal38_else_string", "decimal38_else_double", "decimal38"] = (
        "decimal38_else_string"
    )
    tinyint1: Literal["tinyint", "boolean"] = "tinyint"
    year: Literal["int"] = "int"
    enum: Literal["string"] = "string"


class Evolution(Section):
    """How a target follows changes of the source's columns."""

    add: bool = True
    widen: bool = True
    drop: Literal["keep", "drop"] = "keep"
    rename: Literal["ddl", "add"] = "ddl"
    conflict: Literal["park", "fail", "new_column", "rewrite"] = "park"
    nullability: Literal["relax"] = "relax"
