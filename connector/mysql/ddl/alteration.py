"""ALTER TABLE applied: one function a kind of clause."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Final

from connector.capture.tables import TableId
from connector.mysql.ddl import clauses
from connector.mysql.ddl.added_together import add_together
from connector.mysql.ddl.binary_types import in_bytes
from connector.mysql.ddl.column_building import ColumnBuilder
from connector.mysql.ddl.conditions import select_clauses
from connector.mysql.ddl.creation import add_element, mark_key
from connector.mysql.ddl.definitions import ColumnDefinition, KeyDefinition
from connector.mysql.ddl.draft import Slot, TableDraft
from connector.mysql.ddl.reader import TableName

_Phase = dict[type, Callable[["Alteration", Any], None]]


@dataclass(slots=True)
class Alteration:
    """A table being altered.

    ``made`` and ``gone`` are other tables that work on partitions creates and swallows.
    ``database_charset`` is what DEFAULT stands for as a charset.
    """

    draft: TableDraft
    builder: ColumnBuilder
    resolve: Callable[[TableName], TableId]
    database_charset: str | None = None
    made: list[TableId] = field(default_factory=list)
    gone: list[TableId] = field(default_factory=list)

    def apply(self, written: Iterable[clauses.AlterClause]) -> None:
        """Apply the clauses of one statement in the server's order, whatever theirs is.

        First the existing columns are dropped, renamed and redefined, and the old primary key is
        dropped. Then columns are added and placed, next to the names that the others have by
        now. New keys, defaults and the charset of all columns come last.

        :raises DdlError: when a column that a clause names does not exist.
        """
        selected = _without_spare_keys(list(select_clauses(self.draft, written)))
        self._run(_REDEFINITION, selected)
        self._run(_PLACEMENT, selected)
        self.draft.resolve_key()
        self._run(_COMPLETION, selected)

    def _run(self, phase: _Phase, selected: Iterable[clauses.AlterClause]) -> None:
        for clause in selected:
            apply = phase.get(type(clause))
            if apply is not None:
                apply(self, clause)

    def mark(self, slot: Slot, definition: ColumnDefinition) -> None:
        """Make a column the key if it is declared to be one.

        UNIQUE counts in MariaDB only: MySQL's oracle overlooks it in ALTER TABLE.
        """
        named = replace(definition, name=slot.column.name)
        mark_key(self.draft, named, unique=self.builder.dialect == "mariadb")


def _without_spare_keys(written: list[clauses.AlterClause]) -> list[clauses.AlterClause]:
    """Leave out unique keys before DROP PRIMARY KEY, which are not the key to Debezium."""
    drops = [n for n, one in enumerate(written) if isinstance(one, clauses.DropPrimaryKey)]
    return [
        one
        for n, one in enumerate(written)
        if not (drops and n < drops[-1] and isinstance(one, clauses.AddKey) and not one.key.primary)
    ]


def _drop_column(alteration: Alteration, clause: clauses.DropColumn) -> None:
    slot = alteration.draft.original(clause.name)
    if slot is not None:
        alteration.draft.drop(slot)


def _rename_column(alteration: Alteration, clause: clauses.RenameColumn) -> None:
    draft = alteration.draft
    draft.rename(draft.existing(clause.old), clause.new)


def _change_column(alteration: Alteration, clause: clauses.ChangeColumn) -> None:
    slot = alteration.draft.original(clause.old)
    if slot is not None:
        _redefine_as(alteration, slot, clause)


def _redefine_as(alteration: Alteration, slot: Slot, clause: clauses.ChangeColumn) -> None:
    old, definition = slot.column, clause.definition
    slot.column = replace(alteration.builder.build(definition, old=old), name=old.name)
    if definition.name != clause.old or definition.name.lower() == old.name.lower():
        alteration.draft.rename(slot, definition.name)


def _modify_column(alteration: Alteration, clause: clauses.ModifyColumn) -> None:
    slot = alteration.draft.original(clause.definition.name)
    if slot is not None:
        _redefine(alteration, slot, clause.definition)


def _redefine(alteration: Alteration, slot: Slot, definition: ColumnDefinition) -> None:
    if definition.name.lower() != slot.column.name.lower():  # its quotes are doubled in one
        definition = replace(definition, name=slot.column.name)
    slot.column = alteration.builder.build(definition)


def _drop_primary_key(alteration: Alteration, _clause: clauses.DropPrimaryKey) -> None:
    alteration.draft.set_key(())


def _rename_to(alteration: Alteration, clause: clauses.RenameTo) -> None:
    alteration.draft.id = alteration.resolve(clause.name)


def _comment(alteration: Alteration, clause: clauses.TableComment) -> None:
    if alteration.builder.comments:
        alteration.draft.comment = clause.comment


def _split_off(alteration: Alteration, clause: clauses.SplitOff) -> None:
    alteration.made.append(alteration.resolve(clause.table))


def _take_in(alteration: Alteration, clause: clauses.TakeIn) -> None:
    alteration.gone.append(alteration.resolve(clause.table))


def _add_column(alteration: Alteration, clause: clauses.AddColumn) -> None:
    alteration.draft.add(alteration.builder.build(clause.definition), clause.position)


def _add_elements(alteration: Alteration, clause: clauses.AddElements) -> None:
    """Add columns and keys; MySQL's oracle takes the keys first, and knows no new column then."""
    draft, builder = alteration.draft, alteration.builder
    keys = [e for e in clause.elements if isinstance(e, KeyDefinition)]
    columns = [e for e in clause.elements if isinstance(e, ColumnDefinition)]
    if builder.dialect == "mysql":
        for key in keys:
            draft.add_key(key)
        for column in columns:
            draft.add(builder.build_bare(column))
    elif not keys:
        add_together(draft, columns, builder)
    else:
        for element in clause.elements:
            add_element(draft, element, builder)


def _place_changed(alteration: Alteration, clause: clauses.ChangeColumn) -> None:
    """Place a column.

    MariaDB takes one that the same statement adds, and discards the position of the ADD.
    Debezium keeps the position, and mixes up the values.
    """
    draft = alteration.draft
    slot = draft.altered(clause.old, clause.definition.name)
    if slot.original is None:
        _redefine_as(alteration, slot, clause)
        draft.move_last(slot)
    draft.move(slot, clause.position)


def _place_modified(alteration: Alteration, clause: clauses.ModifyColumn) -> None:
    """Place a column, as CHANGE of it to its own name does."""
    draft, definition = alteration.draft, clause.definition
    slot = draft.altered(definition.name, definition.name)
    if slot.original is None:
        _redefine(alteration, slot, definition)
        draft.move_last(slot)
    draft.move(slot, clause.position)


def _mark_added(alteration: Alteration, clause: clauses.AddColumn) -> None:
    slot = alteration.draft.find(clause.definition.name)
    if slot is not None:
        alteration.mark(slot, clause.definition)


def _mark_changed(alteration: Alteration, clause: clauses.ChangeColumn) -> None:
    slot = alteration.draft.altered(clause.old, clause.definition.name)
    alteration.mark(slot, clause.definition)


def _mark_modified(alteration: Alteration, clause: clauses.ModifyColumn) -> None:
    name = clause.definition.name
    alteration.mark(alteration.draft.altered(name, name), clause.definition)


def _add_key(alteration: Alteration, clause: clauses.AddKey) -> None:
    alteration.draft.add_key(clause.key)


def _alter_default(alteration: Alteration, clause: clauses.AlterDefault) -> None:
    draft = alteration.draft
    slot = draft.original(clause.name) or draft.find(clause.name)
    if slot is not None:
        slot.column = replace(slot.column, has_default=clause.has_default, default=clause.default)


def _default_charset(alteration: Alteration, clause: clauses.DefaultCharset) -> None:
    """Take the charset of columns that have none of their own, which Debezium overlooks."""
    if not alteration.builder.exact:
        return
    named = alteration.builder.named_charset(clause.charset, clause.collation)
    if named is None and clause.charset is not None:
        named = alteration.database_charset
    alteration.draft.default_charset = named or alteration.draft.default_charset


def _convert_charset(alteration: Alteration, clause: clauses.ConvertCharset) -> None:
    """Give all columns that have a charset another one; Debezium overlooks DEFAULT."""
    charset, exact = clause.charset, alteration.builder.exact
    if charset is None and exact:
        named = alteration.builder.named_charset(None, clause.collation)
        charset = named or alteration.database_charset
    if charset is None:
        return
    alteration.draft.default_charset = charset
    for slot in alteration.draft.slots:
        column = slot.column
        if column.charset is None or (exact and column.charset.lower() == "binary"):
            continue
        if exact and charset.lower() == "binary":
            column = in_bytes(column)
        slot.column = replace(column, charset=charset)


_REDEFINITION: Final[_Phase] = {
    clauses.DropColumn: _drop_column,
    clauses.RenameColumn: _rename_column,
    clauses.ChangeColumn: _change_column,
    clauses.ModifyColumn: _modify_column,
    clauses.DropPrimaryKey: _drop_primary_key,
    clauses.RenameTo: _rename_to,
    clauses.DefaultCharset: _default_charset,
    clauses.TableComment: _comment,
    clauses.SplitOff: _split_off,
    clauses.TakeIn: _take_in,
}
_PLACEMENT: Final[_Phase] = {
    clauses.AddColumn: _add_column,
    clauses.AddElements: _add_elements,
    clauses.ChangeColumn: _place_changed,
    clauses.ModifyColumn: _place_modified,
}
_COMPLETION: Final[_Phase] = {
    clauses.AddColumn: _mark_added,
    clauses.ChangeColumn: _mark_changed,
    clauses.ModifyColumn: _mark_modified,
    clauses.AddKey: _add_key,
    clauses.AlterDefault: _alter_default,
    clauses.ConvertCharset: _convert_charset,
}
