"""Masked columns, whose values are replaced by NULL, a hash or a constant."""

from __future__ import annotations

from dataclasses import replace

from sparksink.config.columns import HASH, Columns, Types
from sparksink.schemas.row_schema import Column
from sparksink.schemas.spark_types import ColumnConversion, column_conversion
from sparksink.sql import json_text_sql, string_literal

_NESTED = ("struct", "array", "map", "variant")


def masked_conversion(column: Column, types: Types, rules: Columns) -> ColumnConversion:
    """Return the conversion of a column, with the mask of its table's settings."""
    found = column_conversion(column, types)
    if column.wire:
        found = replace(found, member=column.wire)
    for name in (column.source, column.name):  # before and after a rename
        if name in rules.mask:
            return apply_mask(found, rules.mask[name])
    return found


def apply_mask(column: ColumnConversion, mask: str | None) -> ColumnConversion:
    """Replace values by a mask; NULL stays NULL.

    A hash is the hexadecimal SHA-256 of the value cast to a string, or of the bytes.
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
        return json_text_sql(column.sql)
    return f"CAST({column.sql} AS STRING)"
