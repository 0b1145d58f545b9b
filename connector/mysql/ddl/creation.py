"""CREATE TABLE applied."""

from __future__ import annotations

from connector.capture.tables import Table, TableId
from connector.mysql.ddl.column_building import ColumnBuilder
from connector.mysql.ddl.definitions import ColumnDefinition, TableElement
from connector.mysql.ddl.draft import TableDraft
from connector.mysql.ddl.statements import CreateTable


def build_table(
    table_id: TableId, statement: CreateTable, default_charset: str | None, builder: ColumnBuilder
) -> Table:
    """Return the table that a CREATE TABLE with columns makes.

    :param default_charset: that of a table of this database that names none.
    """
    draft = TableDraft(table_id)
    named = builder.named_charset(statement.charset, statement.collation)
    draft.default_charset = named or default_charset
    if builder.comments:
        draft.comment = statement.comment
    for element in statement.elements:
        add_element(draft, element, builder)
    return builder.finish(draft.table())


def add_element(draft: TableDraft, element: TableElement, builder: ColumnBuilder) -> None:
    """Add a column or a key of CREATE TABLE to a draft."""
    if not isinstance(element, ColumnDefinition):
        draft.add_key(element)
        return
    position = len(draft.slots) + 1
    draft.append(builder.build(element, position, draft.default_charset))
    mark_key(draft, element, unique=True)


def mark_key(draft: TableDraft, definition: ColumnDefinition, *, unique: bool) -> None:
    """Make a column the key that is declared to be one.

    A column that is UNIQUE by its own declaration counts even if it may be NULL.

    :param unique: whether UNIQUE counts here at all.
    """
    if definition.primary or (
        unique and not draft.key and (definition.unique or definition.serial)
    ):
        draft.set_key((definition.name,))


def copy_table(table: Table, table_id: TableId) -> Table:
    """Return the table that CREATE TABLE … LIKE makes: all but the comment."""
    return table.with_changes(id=table_id, comment=None)
