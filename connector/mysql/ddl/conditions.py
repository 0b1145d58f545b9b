"""IF EXISTS and IF NOT EXISTS in the clauses of MariaDB's ALTER TABLE."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from connector.mysql.ddl.clauses import (
    AddColumn,
    AddElements,
    AddKey,
    AlterClause,
    AlterDefault,
    ChangeColumn,
    ModifyColumn,
    RenameColumn,
)
from connector.mysql.ddl.definitions import ColumnDefinition, KeyDefinition, TableElement
from connector.mysql.ddl.draft import TableDraft


def select_clauses(draft: TableDraft, written: Iterable[AlterClause]) -> Iterator[AlterClause]:
    """Yield the clauses that take effect.

    The server decides this before it applies any of them: a column or the primary key exists if
    the table had it before the statement. A name that an earlier clause defines is not added again,
    even if that clause takes no effect.

    A unique key in the role of the primary key counts as one: definitions do not distinguish them,
    and it identifies the rows, too.

    :param draft: the table before the statement.
    """
    names = _Names(draft)
    for clause in written:
        if isinstance(clause, AddElements):
            yield replace(clause, elements=tuple(names.select(clause)))
        elif names.allow(clause):
            yield clause


class _Names:
    """The names of columns that a table has, and those that a statement defines."""

    def __init__(self, draft: TableDraft) -> None:
        self._draft = draft
        self._defined: set[str] = set()

    def allow(self, clause: AlterClause) -> bool:
        """Whether a clause takes effect; the name that it defines is taken from then on."""
        match clause:
            case AddKey(key=KeyDefinition(primary=True, if_not_exists=True)):
                return not self._draft.key
            case AddColumn(definition=column, if_not_exists=if_not_exists):
                return self._add(column, if_not_exists=if_not_exists)
            case (
                ChangeColumn(old=name, definition=column)
                | ModifyColumn(definition=ColumnDefinition(name=name) as column)
            ):
                self._defined.add(column.name.lower())
                return not clause.if_exists or self._existed(name)
            case RenameColumn(old=name, if_exists=True) | AlterDefault(name=name, if_exists=True):
                return self._existed(name)
        return True

    def select(self, clause: AddElements) -> Iterator[TableElement]:
        """Yield the elements of ``ADD (…)`` that are added."""
        for element in clause.elements:
            if isinstance(element, KeyDefinition) or self._add(
                element, if_not_exists=clause.if_not_exists
            ):
                yield element

    def _existed(self, name: str) -> bool:
        return self._draft.original(name) is not None

    def _add(self, column: ColumnDefinition, *, if_not_exists: bool) -> bool:
        name = column.name.lower()
        if if_not_exists and (name in self._defined or self._existed(name)):
            return False
        self._defined.add(name)
        return True
