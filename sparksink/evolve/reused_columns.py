"""Removes the values of former columns from columns that have their names now."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping

from sparksink.change_position import before_sql
from sparksink.evolve import renames
from sparksink.evolve.column_mapping import VERSIONS
from sparksink.evolve.migration_steps import can_widen, fill_value_sql
from sparksink.evolve.row_alignment import DEFAULT
from sparksink.schemas.row_schema import RowSchema
from sparksink.schemas.spark_types import ColumnConversion
from sparksink.schemas.versions import SchemaVersions
from sparksink.schemas.wider_types import fits
from sparksink.sql import unquote_type
from sparksink.tables import Drop, Fill


def reuse_steps(
    versions: SchemaVersions,
    shape: RowSchema,
    columns: Mapping[str, ColumnConversion],
    keys: Collection[str],
    defaults: Mapping[str, str | None],
    present: Mapping[str, str],
    known: Mapping[str, str],
    table_format: str,
) -> Iterator[renames.Step]:
    """Yield the steps for columns that were dropped and added again under their name.

    Rows from before get the new column's default, and NULL in its additional columns. A column
    whose type cannot hold the new values is dropped, and added again with the other new columns.

    :param present: the columns of the table, name to type; ``known`` are its facts.
    """
    for name, start in renames.reused_names(versions, known).items():
        column = shape.column(name)
        if name not in columns or name in keys or column is None:
            continue
        kind, before = unquote_type(columns[name].target), unquote_type(present.get(name, ""))
        value = defaults.get(name, fill_value_sql(column, columns[name])) or ""
        beside = [one for one in json.loads(known.get(VERSIONS + name) or "[]") if one in present]
        values = {one: f"CAST(NULL AS {present[one]})" for one in beside}
        holds = fits(kind, before) or can_widen(table_format, before, kind)
        if holds:
            values[name] = f"CAST({value or 'NULL'} AS {before})"
        fill = [Fill(values, before_sql(start))] if values else []
        drop = [Drop([name])] if before and not holds else []
        yield {DEFAULT + name: value if holds else ""}, [*fill, *drop]
        yield renames.start_fact(name, start), []
