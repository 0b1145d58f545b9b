"""The tables as the topics have them, to compare with those of the database."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tools.demo.feed import Event, Row


class Replica:
    """Applies events: what a consumer of the topics has in the end.

    ``seen`` counts them as (table, kind) → count.
    """

    def __init__(self) -> None:
        self.seen: Counter[tuple[str, str]] = Counter()
        self._tables: dict[str, dict[tuple[Any, ...], Row]] = defaultdict(dict)

    def apply(self, event: Event) -> None:
        """Take in one event."""
        self.seen[event.table, event.kind] += 1
        if event.key is None or event.kind == "tombstone":
            return
        table, key = self._tables[event.table], tuple(event.key.values())
        if event.after is None:
            table.pop(key, None)
        else:
            table[key] = event.after

    def missing(self, written: Mapping[tuple[str, str], int]) -> list[str]:
        """Return a line for each kind of event of which not as many came as were written."""
        return [
            f"{table}: {self.seen[table, kind]} events '{kind}', not {count}"
            for (table, kind), count in written.items()
            if self.seen[table, kind] != count
        ]

    def differences(self, table: str, rows: Iterable[Row]) -> Iterator[str]:
        """Yield a line for each row that is not here as it is in the database.

        A row that was captured before a column was added lacks it: that is a NULL.
        """
        here = dict(self._tables[table])
        for row in rows:
            found = here.pop((row["id"],), None)
            if found is None or {name: found.get(name) for name in row} != row:
                yield f"{table}: the database has {row}, the topic {found}"
        for found in here.values():
            yield f"{table}: the topic has {found}, the database has no such row"
