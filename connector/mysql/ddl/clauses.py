"""The clauses of ALTER TABLE: one dataclass for each kind."""

from __future__ import annotations

from dataclasses import dataclass

from connector.mysql.ddl.definitions import (
    ColumnDefinition,
    ColumnPosition,
    KeyDefinition,
    TableElement,
)
from connector.mysql.ddl.reader import TableName


@dataclass(frozen=True, slots=True)
class AddColumn:
    """ALTER TABLE … ADD COLUMN."""

    definition: ColumnDefinition
    position: ColumnPosition | None
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class AddElements:
    """ALTER TABLE … ADD (column, …, key, …)."""

    elements: tuple[TableElement, ...]
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class AddKey:
    """ALTER TABLE … ADD PRIMARY KEY or ADD UNIQUE."""

    key: KeyDefinition


@dataclass(frozen=True, slots=True)
class ChangeColumn:
    """ALTER TABLE … CHANGE; the new name is that of the definition."""

    old: str
    definition: ColumnDefinition
    position: ColumnPosition | None
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class ModifyColumn:
    """ALTER TABLE … MODIFY."""

    definition: ColumnDefinition
    position: ColumnPosition | None
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class RenameColumn:
    """ALTER TABLE … RENAME COLUMN."""

    old: str
    new: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class DropColumn:
    """ALTER TABLE … DROP COLUMN."""

    name: str


@dataclass(frozen=True, slots=True)
class AlterDefault:
    """ALTER TABLE … ALTER COLUMN … SET or DROP DEFAULT."""

    name: str
    has_default: bool
    default: str | None = None
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class DropPrimaryKey:
    """ALTER TABLE … DROP PRIMARY KEY."""


@dataclass(frozen=True, slots=True)
class RenameTo:
    """ALTER TABLE … RENAME TO."""

    name: TableName


@dataclass(frozen=True, slots=True)
class ConvertCharset:
    """ALTER TABLE … CONVERT TO CHARACTER SET; ``charset`` None is the word DEFAULT."""

    charset: str | None
    collation: str | None = None


@dataclass(frozen=True, slots=True)
class DefaultCharset:
    """ALTER TABLE … CHARACTER SET or COLLATE; ``charset`` may be the word DEFAULT."""

    charset: str | None
    collation: str | None


@dataclass(frozen=True, slots=True)
class TableComment:
    """ALTER TABLE … COMMENT."""

    comment: str


@dataclass(frozen=True, slots=True)
class SplitOff:
    """ALTER TABLE … CONVERT PARTITION … TO TABLE: a new table of the same shape."""

    table: TableName


@dataclass(frozen=True, slots=True)
class TakeIn:
    """ALTER TABLE … CONVERT TABLE … TO PARTITION: the other table is gone."""

    table: TableName


AlterClause = (
    AddColumn
    | AddElements
    | AddKey
    | ChangeColumn
    | ModifyColumn
    | RenameColumn
    | DropColumn
    | AlterDefault
    | DropPrimaryKey
    | RenameTo
    | ConvertCharset
    | DefaultCharset
    | TableComment
    | SplitOff
    | TakeIn
)
