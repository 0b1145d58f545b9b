"""Which tables a snapshot reads, and in which order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from connector.capture.selection import Selection, any_of, pattern, split_list
from connector.capture.tables import TableId
from connector.mysql.snapshot.selects import configured_select

Estimates = Mapping[TableId, int | None]


class TableChoice:
    """The tables of one snapshot.

    ``includes`` selects among the captured ones. ``selects`` are the tables with a SELECT of their
    own, whose rows cannot be estimated. ``order`` are expressions whose order the tables follow,
    ``row_count_order`` is the order by size.
    """

    def __init__(
        self,
        selection: Selection,
        includes: Callable[[TableId], bool],
        selects: Mapping[str, str],
        order: Sequence[str] = (),
        row_count_order: str = "disabled",
    ) -> None:
        self._selection = selection
        self._includes = includes
        self._selects = selects
        self._order = order
        self._sign = {"ascending": 1, "descending": -1}.get(row_count_order)

    def captured(self, tables: Iterable[TableId]) -> list[TableId]:
        """Return those that belong to the snapshot: in the order of the list, then by name."""
        captured = [table for table in tables if self._selection.captures(table)]
        captured = sorted(filter(self._includes, captured), key=str)
        ordered: dict[TableId, None] = {}
        for text in self._order or (".*",):
            expression = pattern("table.include.list", text)
            ordered |= {table: None for table in captured if expression.fullmatch(str(table))}
        signals = {table: None for table in captured if self.is_signal_table(table)}
        return list(ordered | signals)

    def is_signal_table(self, table: TableId) -> bool:
        """Whether a table is the one of signals, whose rows are not read."""
        return table == self._selection.signal_table

    def estimates(self, tables: Iterable[TableId], found: Estimates) -> dict[TableId, int | None]:
        """Return what is known of the tables' sizes."""
        return {
            table: None if configured_select(self._selects, table) else found.get(table)
            for table in tables
        }

    def by_size(self, estimates: Estimates) -> list[TableId]:
        """Order tables by ``snapshot.tables.order.by.row.count``; equal ones keep their order.

        A table of unknown size counts as one without rows, as in Debezium.
        """
        if self._sign is None:
            return list(estimates)
        sign = self._sign
        return sorted(estimates, key=lambda table: sign * (estimates[table] or 0))


def included_by(names: str | None) -> Callable[[TableId], bool]:
    """Return what ``snapshot.include.collection.list`` selects; all tables without it."""
    if not names:
        return lambda _: True
    matches = any_of("snapshot.include.collection.list", names)
    return lambda table: matches(str(table))


def table_order(include_list: str | None) -> tuple[str, ...]:
    """Return the expressions of ``table.include.list``, whose order the snapshot follows."""
    return tuple(split_list(include_list)) if include_list else ()
