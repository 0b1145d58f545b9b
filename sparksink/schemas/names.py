"""Which columns of the source a table has, and what they are called there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sparksink.config.columns import Columns
from sparksink.errors import TableError
from sparksink.schemas.shapes import Column, Shape, kept


def chosen(
    table: str, shape: Shape, rules: Columns, name: Callable[[str], str], *, row: bool
) -> Shape:
    """Return the columns that a table's settings let through, with their names in the target.

    :param name: returns what a column of the source is called there.
    :param row: the messages are rows alone, in which the connector's own members are beside them.
    :raises TableError: two columns would have one name.
    """
    names = kept(shape.names, rules.include, rules.exclude)
    columns = [_called(column, name(column.name)) for column in shape.columns
               if column.name in names and not (row and column.name.startswith("__"))]  # fmt: skip
    taken: dict[str, str] = {}
    for column in columns:
        other = taken.setdefault(column.name.lower(), column.source)
        if other != column.source:
            raise TableError(
                f"{table}: its columns {other} and {column.source} would both be {column.name}.",
                "Leave one of them out by columns.exclude, or set target.illegal.chars=map; then"
                " run park replay.",
            )
    return Shape(tuple(columns))


def _called(column: Column, name: str) -> Column:
    return column if name == column.name else replace(column, name=name, wire=column.name)
