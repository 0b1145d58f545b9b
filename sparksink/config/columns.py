"""Columns, their types, and how they change: three sections of a configuration."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sparksink.config.sections import Section


class Columns(Section):
    """Which columns are kept, and the MySQL types of those that no schema tells."""

    include: list[str] | None = None
    exclude: list[str] = Field(default_factory=list)
    types: dict[str, str] = Field(default_factory=dict)


class Types(Section):
    """Choices between Spark types; the first of each is the default."""

    unsigned_bigint: Literal["decimal20", "bigint"] = "decimal20"
    time: Literal["string", "micros"] = "string"
    datetime: Literal["timestamp_ntz", "timestamp"] = "timestamp_ntz"
    json_as: Literal["string", "variant"] = Field(default="string", alias="json")
    set: Literal["string", "array"] = "string"
    bits: Literal["binary", "long"] = "binary"
    geometry: Literal["struct", "wkb"] = "struct"


class Evolution(Section):
    """What happens to a target when the source's table changes."""

    add: bool = True
    widen: bool = True
    rename: Literal["ddl", "add"] = "ddl"
    conflict: Literal["park", "fail"] = "park"
