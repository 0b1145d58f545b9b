"""Tables that change as a test says, a step at a time."""

from __future__ import annotations

from typing import Any

from tests.fixtures.sink.random_tables import RandomTable
from tests.fixtures.sink.recorded import Row
from tests.fixtures.sink.redefined import Column


class WrittenTable(RandomTable):
    """A table of two columns; each message has a partition of its own."""

    def _create(self) -> None:
        self._state(
            f"CREATE TABLE {self.name} (…)", [Column(1, "a", "int32"), Column(2, "b", "int32")]
        )

    def insert(self, key: int, *values: Any) -> None:
        self._at = (self._at[0], self._at[1] + 10)
        row = dict(zip([one.identity for one in self.columns], values, strict=True))
        self._emit("c", key, row)
        self.rows[key] = row

    def alter(self, clause: str, *columns: Column) -> None:
        self._at = (self._at[0], self._at[1] + 10)
        self._fill([*columns])
        self._state(f"ALTER TABLE {self.name} {clause}", [*columns])

    def message(self, *given: Any) -> Row:
        """Return a message in a partition of its own."""
        found = super().message(*given)
        return {**found, "partition": found["offset"]}
