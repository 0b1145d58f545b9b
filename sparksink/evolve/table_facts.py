"""The facts that are stored with a table, among them the values that its rows still lack."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from sparksink.evolve.row_alignment import DEFAULT
from sparksink.tables import Fill, Table

_PENDING: Final = "pending."


class TableFacts:
    """Reads the facts of a table once, and stores changes with it."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._texts: dict[str, str] | None = None

    @property
    def texts(self) -> dict[str, str]:
        """All facts, name to text."""
        if self._texts is None:
            self._texts = dict(self._table.facts())
        return self._texts

    def replace(self, facts: Mapping[str, str]) -> None:
        """Use the facts with which the table is created."""
        self._texts = dict(facts)

    def update(self, facts: Mapping[str, str]) -> None:
        """Use facts that were stored with an alteration of the table."""
        self.texts.update(facts)

    def store(self, facts: Mapping[str, str]) -> None:
        """Store facts without another alteration."""
        self._table.alter([], facts)
        self.update(facts)

    def forget(self, names: Iterable[str]) -> None:
        """Empty the facts that have a text."""
        stale = {name for name in names if self.texts.get(name)}
        if stale:
            self.store(dict.fromkeys(stale, ""))

    def pending(self) -> dict[str, str]:
        """Return the columns that are to be filled, name to SQL; empty SQL if they are filled."""
        facts = self.texts.items()
        return {n.removeprefix(_PENDING): sql for n, sql in facts if n.startswith(_PENDING)}

    def fill(self, names: Iterable[str]) -> None:
        """Fill pending columns, whose values become their defaults."""
        pending = self.pending()
        filled = [one for one in names if pending.get(one) and one in (self._table.columns() or ())]
        if not filled:
            return
        self._table.alter([Fill({name: pending[name] for name in filled})], {})
        done = {DEFAULT + name: pending[name] for name in filled}
        self.store({**done, **pending_facts(dict.fromkeys(filled, ""))})


def pending_facts(columns: Mapping[str, str]) -> dict[str, str]:
    """Return the facts of columns that are to be filled, name to SQL."""
    return {_PENDING + name: sql for name, sql in columns.items()}
