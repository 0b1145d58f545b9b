"""Rows with exactly the columns of their target table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from sparksink.decode.history_columns import EVENT_COLUMNS
from sparksink.decode.reading import GONE
from sparksink.evolve import before_image
from sparksink.evolve.column_mapping import ColumnMapping, find_name
from sparksink.schemas.spark_types import BEFORE
from sparksink.sql import quote_name, unquote_type

OPTIONAL_COLUMNS: Final = (BEFORE, *EVENT_COLUMNS)
"""Sink columns of a history that depend on its settings, and that can be added later."""
DEFAULT: Final = "default."
"""Prefix of the fact with the SQL of a column's default."""


@dataclass(frozen=True, slots=True)
class RowAlignment:
    """Aligns rows with a table: its columns (name to type), sink columns, facts and mapping.

    ``read`` returns the table's rows. Only tables that keep the past (``keeps_past``) take
    values of dropped columns.
    """

    columns: Mapping[str, str]
    sink_columns: Mapping[str, str]
    facts: Mapping[str, str]
    mapping: ColumnMapping
    read: Callable[[], DataFrame]
    keeps_past: bool

    def align(self, rows: DataFrame) -> DataFrame:
        """Return rows with exactly the table's columns, and the sink's working columns."""
        fields = rows.schema.fields
        given = {one.name: unquote_type(one.dataType.simpleString()) for one in fields
                 if self.keeps_past or not one.metadata.get(GONE)}  # fmt: skip
        source = [name for name in self.columns if name not in self.sink_columns]
        working = [
            f.col(name)
            for name in given
            if name.startswith("__") and name not in source and name not in OPTIONAL_COLUMNS
        ]
        optional = [
            self._optional_column(name, rows)
            for name in OPTIONAL_COLUMNS
            if name in self.sink_columns
        ]
        return rows.select(*(self._value(name, given) for name in source), *working, *optional)

    def _optional_column(self, name: str, rows: DataFrame) -> Column:
        if name not in rows.columns:  # from a message without a row
            return f.lit(None).cast(self.read().schema[name].dataType).alias(name)
        if self.sink_columns[name] != before_image.ROW:
            return f.col(name)
        old = {new: old for old, new in self.mapping.renamed().items()}
        given, present = before_image.row_fields(rows), before_image.row_fields(self.read())
        return before_image.align_row(
            given, present, lambda one: find_name(one, given) or old.get(one, one)
        )

    def _value(self, name: str, given: Mapping[str, str]) -> Column:
        kind = self.columns[name]
        value, present = self.value_sql(name, given)
        found = f.expr(value)
        return (found if present == kind else found.cast(kind)).alias(name)

    def value_sql(self, name: str, given: Mapping[str, str]) -> tuple[str, str]:
        """Return SQL of a column's value, and its type, empty if unknown.

        :param given: the columns of the rows, name to type.
        """
        found = self.mapping.origin(name, given)
        if found is None:
            return self.facts.get(DEFAULT + name) or "NULL", ""
        if not self.mapping.takes(name, given[found]):
            return "NULL", ""
        return quote_name(found), given[found]
