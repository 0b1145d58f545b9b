"""MariaDB's ``ALTER TABLE … ADD (a …, b …)``, with what its oracle gets wrong.

Debezium's MariaDB parser moves on to the next column before it notes whether the present one may
be NULL, so that nullability and UNIQUE go to the column after it, and those of the last column
are lost. Events carry the result in their schemas, so it is kept here. Observed with 3.5.0.
"""

from __future__ import annotations

from dataclasses import replace

from connector.capture.tables import Column
from connector.mysql.ddl.column_building import ColumnBuilder
from connector.mysql.ddl.definitions import ColumnDefinition
from connector.mysql.ddl.draft import TableDraft


def add_together(
    draft: TableDraft, definitions: list[ColumnDefinition], builder: ColumnBuilder
) -> None:
    """Add the columns of one ADD (…) that holds nothing but columns."""
    columns = [replace(builder.build(definition), optional=True) for definition in definitions]
    for column in columns:
        draft.add(column)
    last = len(columns) - 1
    for index, definition in enumerate(definitions):
        nullable = _nullable(definition)
        if definition.settled:
            columns[index] = _nullability(columns[index], nullable=bool(definition.nullable))
        if definition.primary:
            draft.add(columns[index])
            draft.set_key((definition.name,))
        if index == last:
            for column in columns:
                draft.add(column)
        following = min(index + 1, last)
        columns[following] = _nullability(columns[following], nullable=nullable in (None, True))
        if (definition.unique or definition.serial) and not draft.key:
            draft.add(columns[following])
            draft.set_key((columns[following].name,))
        if nullable is not None and not definition.settled:
            columns[index] = _nullability(columns[index], nullable=nullable)


def _nullable(definition: ColumnDefinition) -> bool | None:
    if definition.primary:
        return False
    if definition.nullable is None and definition.serial:
        return False
    return definition.nullable


def _nullability(column: Column, *, nullable: bool) -> Column:
    """Return the column as one that may or may not be NULL; the default NULL stays for good."""
    return replace(column, optional=nullable, has_default=column.has_default or nullable)
