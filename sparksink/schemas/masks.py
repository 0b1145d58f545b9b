"""Columns whose values are not to be seen in the tables: NULL, a hash, or a text in their place."""

from __future__ import annotations

from dataclasses import replace

from sparksink.config.columns import HASH, Columns, Types
from sparksink.schemas.row_schema import Column
from sparksink.schemas.spark_types import ColumnConversion, column_conversion
from sparksink.sql import string_literal

_NESTED = ("struct", "array", "map", "variant")


def masked_conversion(column: Column, types: Types, rules: Columns) -> ColumnConversion:
    """Choose how a column is read, with the mask that its table's settings ask for."""
    found = column_conversion(column, types)
    if column.wire:
        found = replace(found, member=column.wire)
    for name in (column.source, column.name):  # before and after it was renamed
        if name in rules.mask:
            return apply_mask(found, rules.mask[name])
    return found


def apply_mask(column: ColumnConversion, mask: str | None) -> ColumnConversion:
    """Put something else in the place of values; NULL stays NULL, as there is nothing to be seen.

    A hash is SHA-256 in hexadecimal of the value as Spark writes it as text, of bytes as they are.
    """
    if mask is None:
        sql = f"CAST(NULL AS {column.target})"
        return replace(column, sql=sql, drops=True)
    if mask == HASH:
        return replace(column, target="string", sql=f"sha2({_hashable(column)}, 256)")
    return replace(
        column, target="string", sql=f"CASE WHEN {{v}} IS NOT NULL THEN {string_literal(mask)} END"
    )


def _hashable(column: ColumnConversion) -> str:
    if column.target == "binary":
        return column.sql
    if column.target.startswith(_NESTED):
        return f"to_json({column.sql})"
    return f"CAST({column.sql} AS STRING)"
