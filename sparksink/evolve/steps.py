"""What a change of the source's table asks of its target. Nothing here needs Spark."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from sparksink.config.columns import Evolution
from sparksink.errors import TableError
from sparksink.schemas.shapes import Column
from sparksink.schemas.spark_types import Mapped, text

_DECIMAL: Final = re.compile(r"decimal\((\d+),(\d+)\)")
_DIGITS: Final = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 20}
"""Integers, narrow to wide → the digits that a decimal needs for them."""
_WIDER: Final = {
    ("float", "double"),
    ("date", "timestamp_ntz"),
    ("tinyint", "double"),
    ("smallint", "double"),
    ("int", "double"),
}


def _iceberg_widens(kind: str, other: str) -> bool:
    """Tell whether Iceberg can change a column: its table of type promotions, format version 2."""
    if (kind, other) in {("int", "bigint"), ("float", "double")}:
        return True
    narrow, wide = _DECIMAL.fullmatch(kind), _DECIMAL.fullmatch(other)
    return bool(narrow and wide and wider(kind, other) and narrow[2] == wide[2])


@dataclass(frozen=True, slots=True)
class Steps:
    """Columns to add, to widen, and to cast in all rows, name to type."""

    added: Mapping[str, str]
    widened: Mapping[str, str]
    rewritten: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.added or self.widened or self.rewritten)


def steps(
    table: str,
    target: Mapping[str, str],
    wanted: Mapping[str, str],
    rules: Evolution,
    table_format: str = "delta",
    keys: Collection[str] = (),
) -> Steps:
    """Compare the columns of a target with those that arrive; columns that went stay.

    :param keys: columns that cannot be cast, as rows are found by them.
    :raises TableError: a type cannot become the other, or the rules forbid the change.
    """
    added = {name: kind for name, kind in wanted.items() if name not in target}
    widened: dict[str, str] = {}
    rewritten: dict[str, str] = {}
    for name, kind in wanted.items():
        present = plain(target.get(name, kind))
        if fits(plain(kind), present):
            continue
        if widens(table_format, present, plain(kind)):
            widened[name] = kind
        elif rules.conflict == "rewrite" and name not in keys and casts(present, plain(kind)):
            rewritten[name] = kind
        else:
            raise TableError(
                f"{table}: column {name} is {present} and now comes as {plain(kind)}.",
                "Convert the column by hand, or remove the table; then run park replay.",
            )
    _allowed(table, "evolution.add", rules.add, added)
    _allowed(table, "evolution.widen", rules.widen, widened)
    return Steps(added, widened, rewritten)


def _allowed(table: str, key: str, rule: bool, columns: Mapping[str, str]) -> None:
    if columns and not rule:
        names = ", ".join(columns)
        raise TableError(f"{table}: {names} changed, which {key}=false forbids.")


def plain(kind: str) -> str:
    """Return a type without the quotes around the names in it."""
    return kind.replace("`", "")


def fits(kind: str, into: str) -> bool:
    """Tell whether every value of one type is one of the other."""
    return kind == into or wider(kind, into)


def wider(kind: str, other: str) -> bool:
    """Tell whether a column of one type can become the other without loss."""
    if (kind, other) in _WIDER:
        return True
    sizes = list(_DIGITS)
    if kind in _DIGITS and other in _DIGITS:
        return sizes.index(kind) < sizes.index(other)
    target = _DECIMAL.fullmatch(other)
    if target is None:
        return False
    whole, scale = int(target[1]) - int(target[2]), int(target[2])
    if kind in _DIGITS:
        return whole >= _DIGITS[kind]
    given = _DECIMAL.fullmatch(kind)
    return given is not None and whole >= int(given[1]) - int(given[2]) and scale >= int(given[2])


_WIDENS: Final[Mapping[str, Callable[[str, str], bool]]] = {
    "delta": wider,
    "iceberg": _iceberg_widens,
    "jdbc": wider,
    "parquet": lambda _kind, _other: False,
}
"""Table format → whether it can change a column of one type into the other."""


def widens(table_format: str, kind: str, other: str) -> bool:
    """Tell whether a table of a format can change a column of one type into the other."""
    return _WIDENS[table_format](kind, other)


def casts(kind: str, other: str) -> bool:
    """Tell whether every value of one type has one of the other, the same that the source makes.

    Of other types MySQL and Spark do not write the same texts.
    """
    exact = kind in {*_DIGITS, "date"} or _DECIMAL.fullmatch(kind) is not None
    return wider(kind, other) or (exact and other == "string")


def filling(column: Column, mapped: Mapped) -> str | None:
    """Return SQL of what rows have that were there before the column was; None for NULL.

    An added column gives its default to the rows that are there, and one that can be neither
    NULL nor has a default gives MySQL's own for its type. No row event tells of either.
    """
    value = column.default if column.default is not None else _implicit(column)
    return None if value is None else mapped.of(_literal(value, mapped.wire))


def _implicit(column: Column) -> Any:
    if column.optional:
        return None
    if column.semantic == "io.debezium.data.Enum":
        return column.parameters.get("allowed", "").split(",")[0]
    if column.semantic == "org.apache.kafka.connect.data.Decimal":
        return "AA=="
    if column.semantic == "io.debezium.time.ZonedTimestamp":
        return "1970-01-01T00:00:00Z"
    return _ZEROS.get(column.type)


_ZEROS: Final = {
    "boolean": False, "int8": 0, "int16": 0, "int32": 0, "int64": 0, "float": 0, "float32": 0,
    "double": 0, "float64": 0, "string": "", "bytes": "",
}  # fmt: skip


def _literal(value: Any, wire: str) -> str:
    given = text(str(value))
    return f"unbase64({given})" if wire == "binary" else f"CAST({given} AS {wire})"
