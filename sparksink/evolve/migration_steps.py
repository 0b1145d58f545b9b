"""Plans how a target table follows a change of the source's columns. Does not need Spark."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from connector import names
from sparksink.config.columns import Evolution
from sparksink.errors import TableError
from sparksink.schemas.defaults import literal_value
from sparksink.schemas.row_schema import Column
from sparksink.schemas.spark_types import ColumnConversion
from sparksink.schemas.wider_types import DECIMAL, DIGITS, fits, is_wider
from sparksink.sql import string_literal, typed_literal, unquote_type


def _iceberg_widens(kind: str, other: str) -> bool:
    """Return whether Iceberg can promote a type (table format version 2)."""
    if (kind, other) in {("int", "bigint"), ("float", "double")}:
        return True
    narrow, wide = DECIMAL.fullmatch(kind), DECIMAL.fullmatch(other)
    return bool(narrow and wide and is_wider(kind, other) and narrow[2] == wide[2])


@dataclass(frozen=True, slots=True)
class MigrationSteps:
    """Columns to add, to widen, and to cast in all rows, name to type."""

    added: Mapping[str, str]
    widened: Mapping[str, str]
    rewritten: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.added or self.widened or self.rewritten)


def plan_steps(
    table: str,
    target: Mapping[str, str],
    incoming: Mapping[str, str],
    rules: Evolution,
    table_format: str = "delta",
    keys: Collection[str] = (),
) -> MigrationSteps:
    """Compare the columns of a target with the incoming ones; columns that are missing stay.

    :param keys: columns that cannot be cast, because rows are matched by them.
    :raises TableError: a type cannot be changed, or the rules forbid the change.
    """
    added = {name: kind for name, kind in incoming.items() if name not in target}
    widened: dict[str, str] = {}
    rewritten: dict[str, str] = {}
    may_cast = rules.conflict == "rewrite"
    for name, kind in incoming.items():
        present = unquote_type(target.get(name, kind))
        if fits(unquote_type(kind), present):
            continue
        if can_widen(table_format, present, unquote_type(kind)):
            widened[name] = kind
        elif may_cast and name not in keys and can_cast(present, unquote_type(kind)):
            rewritten[name] = kind
        else:
            raise TableError(
                f"{table}: column {name} is {present} and now arrives as {unquote_type(kind)}.",
                "Convert the column by hand, or remove the table; then run park replay.",
            )
    _check_allowed(table, "evolution.add", rules.add, added)
    _check_allowed(table, "evolution.widen", rules.widen, widened)
    return MigrationSteps(added, widened, rewritten)


def _check_allowed(table: str, key: str, rule: bool, columns: Mapping[str, str]) -> None:
    if columns and not rule:
        listed = ", ".join(columns)
        raise TableError(f"{table}: the columns {listed} changed, which {key}=false forbids.")


_WIDENS: Final[Mapping[str, Callable[[str, str], bool]]] = {
    "delta": is_wider,
    "iceberg": _iceberg_widens,
    "jdbc": is_wider,
    "parquet": lambda _kind, _other: False,
}
"""Table format → whether it can change a column of one type into the other."""


def can_widen(table_format: str, kind: str, other: str) -> bool:
    """Return whether a table of a format can change a column of one type into the other."""
    return _WIDENS[table_format](kind, other)


def can_cast(kind: str, other: str) -> bool:
    """Return whether every value of one type can be cast to the other as the source casts it.

    For other types MySQL and Spark write different strings.
    """
    exact = kind in {*DIGITS, "date"} or DECIMAL.fullmatch(kind) is not None
    return is_wider(kind, other) or (exact and other == "string")


def fill_value_sql(column: Column, mapped: ColumnConversion) -> str | None:
    """Return SQL of the value that existing rows get when the column is added; None for NULL.

    Existing rows get the column's default or, if it is NOT NULL without a default, MySQL's
    implicit default of its type. The source emits no row event for either.
    """
    value = _implicit_default(column) if column.default is None else column.default
    if column.default is not None and column.type == "string":
        value = literal_value(str(value))
    return None if value is None else mapped.convert(_literal(value, mapped.wire))


def _implicit_default(column: Column) -> Any:
    if column.optional:
        return None
    if column.semantic == names.ENUM:
        return column.parameters.get("allowed", "").split(",")[0]
    if column.semantic == names.CONNECT_DECIMAL:
        return "AA=="
    if column.semantic == names.ZONED_TIMESTAMP:
        return "1970-01-01T00:00:00Z"
    return _ZEROS.get(column.type)


_ZEROS: Final = {
    "boolean": False, "int8": 0, "int16": 0, "int32": 0, "int64": 0, "float": 0, "float32": 0,
    "double": 0, "float64": 0, "string": "", "bytes": "",
}  # fmt: skip


def _literal(value: Any, wire: str) -> str:
    if wire == "binary":
        return f"unbase64({string_literal(str(value))})"
    return typed_literal(value, wire)
