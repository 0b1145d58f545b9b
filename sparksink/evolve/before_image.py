"""The column with the row before a change: its fields follow the table's columns."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import StructType

from sparksink.evolve.migration_steps import MigrationSteps
from sparksink.schemas.spark_types import BEFORE, struct_type
from sparksink.sql import quote_name, unquote_type
from sparksink.tables import Add, Alteration, Rename, Widen

ROW: Final = "row"
"""Stands for the struct type of this column in the definitions of sink columns."""


def with_row_type(own: Mapping[str, str], columns: Mapping[str, str]) -> dict[str, str]:
    """Return the sink's columns with types; ``columns`` are those of the source."""
    row = struct_type([*columns.items()])
    return {name: row if kind == ROW else kind for name, kind in own.items()}


def row_fields(table: DataFrame) -> dict[str, str]:
    """Return the fields of the row before a change, name to type."""
    row = table.schema[BEFORE].dataType
    assert isinstance(row, StructType)
    return {one.name: one.dataType.simpleString() for one in row.fields}


def rename_fields(present: Collection[str], renamed: Mapping[str, str]) -> list[Alteration]:
    """Return alterations that rename fields as columns that only the target has renamed."""
    return [
        Rename(f"{BEFORE}.{old}", new)
        for old, new in renamed.items()
        if old in present and new not in present
    ]


def field_alterations(migration: MigrationSteps) -> list[Alteration]:
    """Return alterations that widen and add fields."""
    widened = [Widen(f"{BEFORE}.{name}", kind) for name, kind in migration.widened.items()]
    added = {f"{BEFORE}.{name}": kind for name, kind in migration.added.items()}
    return [*widened, *([Add(added)] if added else [])]


def align_row(
    given: Mapping[str, str], present: Mapping[str, str], name: Callable[[str], str]
) -> Column:
    """Return the row with exactly the fields that it has in the table; NULL stays NULL.

    :param given: the fields of the incoming row, name to type.
    :param present: the fields in the table.
    :param name: returns the incoming name of a field in the table.
    """
    parts = []
    for column, kind in present.items():
        found = name(column)
        value = f.col(f"{BEFORE}.{quote_name(found)}") if found in given else f.lit(None)
        same = unquote_type(given.get(found, "")) == unquote_type(kind)
        parts.append((value if same else value.cast(kind)).alias(column))
    return f.when(f.col(BEFORE).isNotNull(), f.struct(*parts)).alias(BEFORE)
