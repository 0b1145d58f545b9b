"""Masked columns, whose values are replaced by NULL, a hash or a constant."""

from __future__ import annotations

from dataclasses import replace

from sparksink.config.columns import HASH, Columns, Types
from sparksink.schemas.row_schema import Column
from sparksink.schemas.spark_types import ColumnConversion, column_conversion
from sparksink.schemas.versions import SchemaVersions
from sparksink.sql import json_text_sql, string_literal

_NESTED = ("struct", "array", "map", "variant")


def masked_conversion(column: Column, types: Types, rules: Columns) -> ColumnConversion:
    """Return the conversion of a column, with the mask of its table's settings."""
    found = column_conversion(column, types)
    if column.wire:
        found = replace(found, member=column.wire)
    name = masked_name(column, rules)
    return found if name is None else apply_mask(found, rules.mask[name])


def masked_name(column: Column, rules: Columns) -> str | None:
    """Return the name with which the settings mask a column, None if they do not.

    Any name that it has had masks a column, so that a rename does not reveal its values.
    """
    named = (column.source, column.name, *sorted(column.source_names))
    return next((name for name in named if name in rules.mask), None)


def masked_columns(rules: Columns, versions: SchemaVersions | None) -> set[str]:
    """Return the columns of the source that a table's settings mask, by any of their names."""
    present = versions.newest.shape.names if versions is not None else ()
    known = {name for name in present if versions and versions.names_of(None, name) & {*rules.mask}}
    return {*rules.mask, *known}


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
