"""ALTER TABLE applied: one function a kind of clause."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final

from connector.capture.tables import TableId
from connector.mysql.ddl import clauses
from connector.mysql.ddl.added_together import add_together
from connector.mysql.ddl.column_building import ColumnBuilder
from connector.mysql.ddl.creation import add_element, mark_key
from connector.mysql.ddl.definitions import ColumnDefinition, KeyDefinition
from connector.mysql.ddl.draft import TableDraft
from connector.mysql.ddl.reader import TableName


@dataclass(slots=True)
class Alteration:
    """A table being altered.

    ``made`` and ``gone`` are other tables that work on partitions creates and swallows.
    """

    draft: TableDraft
    builder: ColumnBuilder
    resolve: Callable[[TableName], TableId]
    made: list[TableId] = field(default_factory=list)
    gone: list[TableId] = field(default_factory=list)

    def apply(self, clause: clauses.AlterClause) -> None:
        """Apply one clause.

        :raises DdlError: when it changes a column that does not exist.
        """
        _APPLIED[type(clause)](self, clause)

    def mark(self, definition: ColumnDefinition) -> None:
        """Make a column the key if it is declared to be one.

        UNIQUE counts in MariaDB only: MySQL's oracle overlooks it in ALTER TABLE.
        """
        mark_key(self.draft, definition, unique=self.builder.dialect == "mariadb")


def _add_column(alteration: Alteration, clause: clauses.AddColumn) -> None:
    definition = clause.definition
    if clause.if_not_exists and alteration.draft.find(definition.name):
        return
    alteration.draft.add(alteration.builder.build(definition), clause.position)
    alteration.mark(definition)


def _add_elements(alteration: Alteration, clause: clauses.AddElements) -> None:
    """Add columns and keys; MySQL's oracle takes the keys first, and knows no new column then."""
    draft, builder = alteration.draft, alteration.builder
    keys = [e for e in clause.elements if isinstance(e, KeyDefinition)]
    columns = [e for e in clause.elements if isinstance(e, ColumnDefinition)]
    if clause.if_not_exists:
        columns = [column for column in columns if draft.find(column.name) is None]
    if builder.dialect == "mysql":
        for key in keys:
            draft.add_key(key)
        for column in columns:
            draft.add(builder.build_bare(column))
    elif not keys:
        add_together(draft, columns, builder)
    else:
        for element in clause.elements:
            if element in columns or element in keys:
                add_element(draft, element, builder)


def _add_key(alteration: Alteration, clause: clauses.AddKey) -> None:
    alteration.draft.add_key(clause.key)


def _change_column(alteration: Alteration, clause: clauses.ChangeColumn) -> None:
    draft, definition = alteration.draft, clause.definition
    if clause.if_exists and draft.lookup(clause.old) is None:
        return
    slot = draft.existing(clause.old)
    old = slot.column
    slot.column = replace(alteration.builder.build(definition, old=old), name=old.name)
    alteration.mark(replace(definition, name=old.name))
    if definition.name != clause.old or definition.name.lower() == old.name.lower():
        draft.rename(slot, definition.name)
    draft.move(slot, clause.position)


def _modify_column(alteration: Alteration, clause: clauses.ModifyColumn) -> None:
    """Redefine a column.

    MariaDB takes one that the same statement adds: the position of the ADD is discarded then,
    and with IF EXISTS it does not exist yet. Debezium keeps the position, and mixes up the values.
    """
    draft, definition = alteration.draft, clause.definition
    slot = draft.lookup(definition.name)
    if clause.if_exists and (slot is None or slot.original is None):
        return
    slot = draft.existing(definition.name)
    if slot.original is None:
        draft.move_last(slot)
    if definition.name.lower() != slot.column.name.lower():  # its quotes are doubled in one
        definition = replace(definition, name=slot.column.name)
    slot.column = alteration.builder.build(definition)
    alteration.mark(definition)
    draft.move(slot, clause.position)


def _rename_column(alteration: Alteration, clause: clauses.RenameColumn) -> None:
    draft = alteration.draft
    if clause.if_exists and draft.lookup(clause.old) is None:
        return
    draft.rename(draft.existing(clause.old), clause.new)


def _drop_column(alteration: Alteration, clause: clauses.DropColumn) -> None:
    slot = alteration.draft.lookup(clause.name)
    if slot is not None:
        alteration.draft.drop(slot)


def _alter_default(alteration: Alteration, clause: clauses.AlterDefault) -> None:
    slot = alteration.draft.lookup(clause.name)
    if slot is not None:
        slot.column = replace(slot.column, has_default=clause.has_default, default=clause.default)


def _drop_primary_key(alteration: Alteration, _clause: clauses.DropPrimaryKey) -> None:
    alteration.draft.set_key(())


def _rename_to(alteration: Alteration, clause: clauses.RenameTo) -> None:
    alteration.draft.id = alteration.resolve(clause.name)


def _convert_charset(alteration: Alteration, clause: clauses.ConvertCharset) -> None:
    alteration.draft.default_charset = clause.charset
    for slot in alteration.draft.slots:
        if slot.column.charset is not None:
            slot.column = replace(slot.column, charset=clause.charset)


def _comment(alteration: Alteration, clause: clauses.TableComment) -> None:
    if alteration.builder.comments:
        alteration.draft.comment = clause.comment


def _split_off(alteration: Alteration, clause: clauses.SplitOff) -> None:
    alteration.made.append(alteration.resolve(clause.table))


def _take_in(alteration: Alteration, clause: clauses.TakeIn) -> None:
    alteration.gone.append(alteration.resolve(clause.table))


_APPLIED: Final[dict[type, Callable[[Alteration, Any], None]]] = {
    clauses.AddColumn: _add_column,
    clauses.AddElements: _add_elements,
    clauses.AddKey: _add_key,
    clauses.ChangeColumn: _change_column,
    clauses.ModifyColumn: _modify_column,
    clauses.RenameColumn: _rename_column,
    clauses.DropColumn: _drop_column,
    clauses.AlterDefault: _alter_default,
    clauses.DropPrimaryKey: _drop_primary_key,
    clauses.RenameTo: _rename_to,
    clauses.ConvertCharset: _convert_charset,
    clauses.TableComment: _comment,
    clauses.SplitOff: _split_off,
    clauses.TakeIn: _take_in,
}
