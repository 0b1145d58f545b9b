"""Removes the values of former columns from columns that have their names now."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from sparksink.change_position import before_sql
from sparksink.evolve import renames
from sparksink.evolve.migration_steps import can_widen, fill_value_sql, fits
from sparksink.evolve.row_alignment import DEFAULT
from sparksink.schemas.row_schema import RowSchema
from sparksink.schemas.spark_types import ColumnConversion
from sparksink.schemas.versions import SchemaVersions
from sparksink.sql import unquote_type
from sparksink.tables import Drop, Fill


def reuse_steps(
    versions: SchemaVersions,
    shape: RowSchema,
    columns: Mapping[str, ColumnConversion],
    keys: Collection[str],
    present: Mapping[str, str],
    known: Mapping[str, str],
    table_format: str,
) -> Iterator[renames.Step]:
    """Yield the steps for columns that were dropped and added again under their name.

    Rows from before get the new column's default. A column whose type cannot hold the new values
    is dropped, and added again with the other new columns.

    :param present: the columns of the table, name to type; ``known`` are its facts.
    """
    for name, start in renames.reused_names(versions, known).items():
        column = shape.column(name)
        if name not in columns or name in keys or column is None:
            continue
        kind, before = unquote_type(columns[name].target), unquote_type(present.get(name, ""))
        value = fill_value_sql(column, columns[name]) or ""
        if fits(kind, before) or can_widen(table_format, before, kind):
            fill = Fill({name: f"CAST({value or 'NULL'} AS {before})"}, before_sql(start))
            yield {DEFAULT + name: value}, [fill]
        elif before:
            yield {DEFAULT + name: ""}, [Drop([name])]
        yield renames.start_fact(name, start), []
