"""The row before a change as a column: what is in it follows the table's columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import StructType

from sparksink.evolve.steps import Steps, plain
from sparksink.schemas.spark_types import BEFORE, quoted, struct_type
from sparksink.tables import Add, Alteration, Rename, Widen

ROW: Final = "row"
"""Stands for the type of such a column where a table's own columns are named."""


def kinds(own: Mapping[str, str], columns: Mapping[str, str]) -> dict[str, str]:
    """Return a table's own columns with types; ``columns`` are those of its source."""
    row = struct_type([*columns.items()])
    return {name: row if kind == ROW else kind for name, kind in own.items()}


def inside(table: DataFrame) -> dict[str, str]:
    """Return the columns in the row of a table, name to type."""
    row = table.schema[BEFORE].dataType
    assert isinstance(row, StructType)
    return {one.name: one.dataType.simpleString() for one in row.fields}


def renamings(present: Mapping[str, str], renamed: Mapping[str, str]) -> list[Alteration]:
    """Return what renames in the row what was renamed in the table."""
    return [
        Rename(f"{BEFORE}.{old}", new)
        for old, new in renamed.items()
        if old in present and new not in present
    ]


def actions(todo: Steps) -> list[Alteration]:
    """Return what lets the row follow."""
    widened = [Widen(f"{BEFORE}.{name}", kind) for name, kind in todo.widened.items()]
    added = {f"{BEFORE}.{name}": kind for name, kind in todo.added.items()}
    return [*widened, *([Add(added)] if added else [])]


def aligned(
    given: Mapping[str, str], wanted: Mapping[str, str], name: Callable[[str], str]
) -> Column:
    """Return the row with exactly the columns that it has in a table; NULL stays NULL.

    :param given: the columns of the row that is there, name to type.
    :param name: what a column of the table is called there.
    """
    parts = []
    for column, kind in wanted.items():
        found = name(column)
        value = f.col(f"{BEFORE}.{quoted(found)}") if found in given else f.lit(None)
        same = plain(given.get(found, "")) == plain(kind)
        parts.append((value if same else value.cast(kind)).alias(column))
    return f.when(f.col(BEFORE).isNotNull(), f.struct(*parts)).alias(BEFORE)
