"""What the log has while a chunk is being read, until its window has the rows."""

from __future__ import annotations

from typing import Any, Final

from connector.capture.change import RowChanges
from connector.capture.incremental.window import Windows, changed_keys
from connector.capture.tables import TableId

_MOST: Final = 20_000  # keys, of which each may have 3 KB


class MissedChanges:
    """The keys that the log has changed behind the first mark of chunks that are being read.

    They belong to any table: another one may be read between the same marks.
    """

    def __init__(self, *, skips_unchanged: bool = False) -> None:
        self._skips_unchanged = skips_unchanged
        self._is_open = False
        self._keys: dict[TableId, set[Any]] = {}
        self._count = 0
        self._altered: set[TableId] = set()

    @property
    def are_many(self) -> bool:
        """Whether the stream has to wait for the chunk: there are too many keys to keep."""
        return self._count > _MOST

    def clear(self) -> None:
        """Forget everything: other chunks are read now."""
        self._is_open = False
        self._keys.clear()
        self._count = 0
        self._altered.clear()

    def open(self) -> None:
        """Note that the log has come to the first mark."""
        self._is_open = True

    def note(self, change: RowChanges) -> None:
        """Note the keys of a change."""
        if self._is_open and change.codec.key_slots:
            keys = list(changed_keys(change, skips_unchanged=self._skips_unchanged))
            self._keys.setdefault(change.codec.table.id, set()).update(keys)
            self._count += len(keys)

    def alter(self, table: TableId) -> None:
        """Note that a table was truncated."""
        self._altered.add(table)

    def replay(self, windows: Windows) -> None:
        """Do with the windows what would have been done if they had had their rows."""
        for table in self._altered:
            windows.alter(table)
        if self._is_open:
            windows.open()
        for table, keys in self._keys.items():
            windows.drop(table, keys)
        self.clear()
