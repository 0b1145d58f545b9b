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
    """Names of the columns to keep; by default all."""
    exclude: list[str] = Field(default_factory=list)
    """Names of columns to leave out."""
    types: dict[str, str] = Field(default_factory=dict)
    """MySQL types by name, if no other source has them."""
    mask: dict[str, str | None] = Field(default_factory=dict)
    """[Masks](../sink/configure.md#mask-columns) by column: `null`, `hash` (SHA-256 in hexadecimal)
    or a text.
    """
    null_updates: Literal["overwrite", "keep"] = "overwrite"
    """`keep`: NULL in an update [keeps the current
    value](../sink/configure.md#update-rows-that-lack-values).
    """
    unavailable_value: str = Field(default=UNAVAILABLE_VALUE, min_length=1)
    """With `keep`: the text (or bytes) that stands for a value missing from the log."""

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
    """Type of BIGINT UNSIGNED: `decimal(20,0)`, or `bigint`."""
    time: Literal["string", "micros"] = "string"
    """Type of TIME: text, or `micros`: a number of microseconds."""
    datetime: Literal["timestamp_ntz", "timestamp"] = "timestamp_ntz"
    """Type of DATETIME."""
    json_as: Literal["string", "variant"] = Field(default="string", alias="json")
    """Type of JSON."""
    set: Literal["string", "array"] = "string"
    """Type of SET: text, or an array of its labels."""
    bits: Literal["binary", "long"] = "binary"
    """Type of BIT."""
    geometry: Literal["struct", "wkb"] = "struct"
    """Type of geometries: `wkb` and `srid` in a struct, or the bytes in WKB."""
    decimal_max: Literal["decimal38_else_string", "decimal38_else_double", "decimal38"] = (
        "decimal38_else_string"
    )
    """DECIMAL of more than 38 digits is exact text; `decimal38_else_double`: a rounded number;
    `decimal38`: as many digits as fit; a larger value is a dead letter.
    """
    tinyint1: Literal["tinyint", "boolean"] = "tinyint"
    """`boolean`: TINYINT(1) is true if not 0. The type must be known: from messages with schemas if
    the connector has `column.propagate.source.type=.*`, else from `source.ddl.topic` or
    `columns.types`.
    """
    year: Literal["int"] = "int"
    """Type of YEAR; the only value."""
    enum: Literal["string"] = "string"
    """Type of ENUM; the only value."""


class Evolution(Section):
    """How a target follows changes of the source's columns."""

    add: bool = True
    """Follow new columns."""
    widen: bool = True
    """Follow wider types."""
    drop: Literal["keep", "drop"] = "keep"
    """`drop`: [drop a column](../sink/schema-evolution.md#drop-columns) of the mirror when
    `source.ddl.topic` has its DROP.
    """
    rename: Literal["ddl", "add"] = "ddl"
    """`add`: a new name is a new column."""
    conflict: Literal["park", "fail", "new_column", "rewrite"] = "park"
    """What to do with an [incompatible type](../sink/schema-evolution.md#change-a-columns-type)."""
    nullability: Literal["relax"] = "relax"
    """The only value: all columns but the key's may be NULL."""
