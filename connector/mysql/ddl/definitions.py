"""Columns and keys as DDL defines them, before they belong to a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

PRIMARY: Final = "PRIMARY"
"""The name of the index of every primary key; no other index may have it."""


@dataclass(frozen=True, slots=True)
class DataType:
    """The type of a column. ``serial`` is BIGINT UNSIGNED NOT NULL AUTO_INCREMENT UNIQUE.

    ``on_server`` is what the server makes of a type that Debezium reads otherwise.
    """

    name: str
    jdbc: int
    length: int | None = None
    scale: int | None = None
    charset: str | None = None
    values: tuple[str, ...] = ()
    serial: bool = False
    on_server: DataType | None = None


@dataclass(slots=True)
class ColumnDefinition:
    """A column's name (doubled quotes stay as they are written), type and attributes.

    ``nullable`` is None when neither NULL nor NOT NULL is written. ``has_default`` with
    ``default`` None is a default that is an expression. ``settled``: a DEFAULT stood
    after the nullability, ``collation`` is that of the first COLLATE that Debezium reads,
    ``server_collation`` that of any.
    """

    name: str
    type: DataType
    nullable: bool | None = None
    has_default: bool = False
    default: str | None = None
    settled: bool = False
    automatic: bool = False
    primary: bool = False
    unique: bool = False
    serial: bool = False
    comment: str | None = None
    collation: str | None = None
    server_collation: str | None = None


@dataclass(frozen=True, slots=True)
class KeyDefinition:
    """A primary or unique key; a None among ``columns`` stands for an expression."""

    primary: bool
    columns: tuple[str | None, ...]
    if_not_exists: bool = False


TableElement = ColumnDefinition | KeyDefinition


@dataclass(frozen=True, slots=True)
class ColumnPosition:
    """Where a column goes: after another one, or first when ``after`` is None."""

    after: str | None
