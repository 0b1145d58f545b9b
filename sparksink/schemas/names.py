"""Selects the columns of a table, with their names in the target."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import Final

from sparksink.config.columns import Columns
from sparksink.errors import TableError
from sparksink.schemas.row_schema import Column, RowSchema

RESERVED: Final = frozenset(
    f"__{name}"
    for name in (
        "all ambiguous batch before before_name begin behind content corrupt count current cut"
        " deleted end end_at end_hi end_lo event_id fault file fresh gtid hi key last_at last_hi"
        " last_lo late later lo moving n names newer offset older op partition pos prior repeats"
        " row row_name run seq_hi seq_lo snapshot source_db source_file source_gtid source_pos"
        " source_row source_sequence source_snapshot source_table source_ts source_ts_ms"
        " start_at streamed timestamp topic tracked transaction_id transaction_total_order tx_id"
        " tx_order v was whole"
    ).split()
)
"""Column names that the sink uses itself; columns of the source must not have them."""

Names = Callable[[str], Collection[str]]
"""Returns all names that a column has had at the source."""
Trace = Callable[[str], tuple[str, bool]]
"""Returns the last name of a column at the source, and whether it still exists."""


def select_columns(
    table: str,
    shape: RowSchema,
    rules: Columns,
    name: Callable[[str], str],
    *,
    row: bool,
    trace: Trace = lambda name: (name, True),
    names: Names = lambda name: (name,),
) -> RowSchema:
    """Return the columns that a table's settings include, with their names in the target.

    :param name: returns the name in the target of a column of the source.
    :param row: the messages are unwrapped rows, which contain the connector's metadata fields.
    :param trace: returns the last name of a column at the source, and whether it still exists.
    :param names: returns all its names there.
    :raises TableError: two columns would have the same name, or one has a reserved name.
    """
    columns = []
    for last, (column, exists) in _by_last_name(shape, trace).items():
        internal = row and column.name.startswith("__")
        known = frozenset({column.name, last, *names(column.name)})
        if not internal and _is_kept(known, rules):
            if name(last).lower() in RESERVED:
                raise TableError(
                    f"{table}: the name of column {last} is reserved.",
                    "Exclude it with columns.exclude, then run park replay.",
                )
            renamed = _rename_column(column, name(last))
            others = known - {column.name, renamed.name}
            columns.append(replace(renamed, gone=not exists, source_names=others))
    _check_distinct(table, columns)
    return RowSchema(tuple(columns))


def _check_distinct(table: str, columns: Iterable[Column]) -> None:
    """Refuse two columns with the same name in the target.

    :raises TableError: two have the same.
    """
    taken: dict[str, str] = {}
    for column in columns:
        other = taken.setdefault(column.name.lower(), column.source)
        if other != column.source:
            raise TableError(
                f"{table}: columns {other} and {column.source} would both be {column.name}.",
                "Exclude one of them with columns.exclude, or set target.illegal.chars=map; then"
                " run park replay.",
            )


def _by_last_name(shape: RowSchema, trace: Trace) -> dict[str, tuple[Column, bool]]:
    """Return columns by their last names; an existing column wins over a former one."""
    found: dict[str, tuple[Column, bool]] = {}
    traced = trace_names(shape.names, trace)
    for column in shape.columns:
        last, exists = traced[column.name]
        if last not in found or (exists and not found[last][1]):
            found[last] = column, exists
    return found


def trace_names(names: Collection[str], trace: Trace) -> dict[str, tuple[str, bool]]:
    """Return the last name of each column of a message, and whether it still exists.

    A column is not the former one of its name if the message has that one by its last name: it is
    a new one whose statement is not known yet.
    """
    found = {name: trace(name) for name in names}
    return {
        name: (name, True) if last != name and found.get(last) == (last, True) else (last, exists)
        for name, (last, exists) in found.items()
    }


def _is_kept(names: Collection[str], rules: Columns) -> bool:
    """Return whether a column is included; any of its names excludes a renamed column."""
    if any(name in rules.exclude for name in names):
        return False
    return rules.include is None or any(name in rules.include for name in names)


def _rename_column(column: Column, name: str) -> Column:
    return column if name == column.name else replace(column, name=name, wire=column.name)
