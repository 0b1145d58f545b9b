"""What a DDL text says, before it is applied to tables: one dataclass a kind of statement.

``text`` is the statement as its event shows it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from connector.mysql.ddl.clauses import AlterClause
from connector.mysql.ddl.definitions import KeyDefinition, TableElement
from connector.mysql.ddl.reader import TableName

DatabaseAction = Literal["create", "alter", "drop"]
ViewAction = Literal["CREATE_TABLE", "ALTER_TABLE"]
VariableScope = Literal["SESSION", "GLOBAL"]


@dataclass(frozen=True, slots=True)
class CreateTable:
    """CREATE TABLE; ``like`` is the table it copies, ``query``: a SELECT follows."""

    text: str
    name: TableName
    elements: tuple[TableElement, ...] = ()
    charset: str | None = None
    collation: str | None = None
    comment: str | None = None
    like: TableName | None = None
    query: bool = False
    if_not_exists: bool = False
    or_replace: bool = False


@dataclass(frozen=True, slots=True)
class AlterTable:
    """ALTER TABLE."""

    text: str
    name: TableName
    clauses: tuple[AlterClause, ...]


@dataclass(frozen=True, slots=True)
class DropTable:
    """DROP TABLE; ``prefix`` and ``suffix`` are what stands before and after the names."""

    names: tuple[TableName, ...]
    prefix: str
    suffix: str


@dataclass(frozen=True, slots=True)
class RenamePair:
    """One ``old TO new`` of a RENAME TABLE, with the text it would have standing alone."""

    text: str
    old: TableName
    new: TableName


@dataclass(frozen=True, slots=True)
class RenameTable:
    """RENAME TABLE."""

    pairs: tuple[RenamePair, ...]


@dataclass(frozen=True, slots=True)
class TruncateTable:
    """TRUNCATE TABLE."""

    text: str
    name: TableName


@dataclass(frozen=True, slots=True)
class CreateIndex:
    """CREATE UNIQUE INDEX; other indexes change nothing that is known of a table."""

    text: str
    table: TableName
    key: KeyDefinition


@dataclass(frozen=True, slots=True)
class View:
    """CREATE VIEW or ALTER VIEW."""

    text: str
    action: ViewAction
    name: TableName


@dataclass(frozen=True, slots=True)
class Database:
    """CREATE, ALTER or DROP DATABASE; ``name`` None is the current one.

    ``charset`` is the last one written, ``collation`` likewise. ``or_replace``: a database of this
    name is dropped first, with its tables. ``if_not_exists``: one of this name stays as it is.
    """

    text: str
    action: DatabaseAction
    name: str | None
    charset: str | None = None
    collation: str | None = None
    or_replace: bool = False
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class UseDatabase:
    """USE."""

    text: str
    name: str


@dataclass(frozen=True, slots=True)
class Assignment:
    """One system variable set; ``order`` is its position in the statement."""

    name: str
    value: str
    scope: VariableScope
    order: int


@dataclass(frozen=True, slots=True)
class SetVariables:
    """SET of system variables."""

    text: str
    assignments: tuple[Assignment, ...]


@dataclass(frozen=True, slots=True)
class Ignored:
    """A statement that changes nothing known here: an index, a grant, a stored program …."""


Statement = (
    CreateTable
    | AlterTable
    | DropTable
    | RenameTable
    | TruncateTable
    | CreateIndex
    | View
    | Database
    | UseDatabase
    | SetVariables
    | Ignored
)
