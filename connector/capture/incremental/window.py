"""The window of a chunk: its rows until the log has passed the point at which they were read.

Two marks in the log enclose the moment at which a chunk is read. A row whose key the log has
between them is dropped: the change in the log may be newer. What is left is emitted at the second
mark.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from operator import itemgetter
from typing import Any, Final, Literal

from connector.capture.change import Row, RowChanges
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import TableId

Phase = Literal["idle", "read", "open", "stale"]
Event = Literal["chunk", "open", "change", "close"]
TRANSITIONS: Final[dict[tuple[Phase, Event], Phase]] = {
    # a chunk is read; its first mark comes with the log
    ("idle", "chunk"): "read",
    ("read", "open"): "open",
    ("open", "close"): "idle",
    # the table was altered or truncated while its rows wait: they are dropped and read again
    ("read", "change"): "stale",
    ("open", "change"): "stale",
    ("stale", "open"): "stale",
    ("stale", "change"): "stale",
    ("stale", "close"): "idle",
    # the first mark was not seen: its source of transactions is not captured
    ("read", "close"): "idle",
}


class Window:
    """The rows of one chunk by their keys, and the phase of their window.

    ``skips_unchanged``: updates that change no captured column are not emitted.
    """

    def __init__(self, *, skips_unchanged: bool = False) -> None:
        self._skips_unchanged = skips_unchanged
        self.phase: Phase = "idle"
        self.schema: TableEventSchema | None = None
        self._rows: dict[Any, Row] = {}

    def clear(self) -> None:
        """Forget the rows and marks."""
        self.phase, self.schema, self._rows = "idle", None, {}

    def fill(self, schema: TableEventSchema, rows: Sequence[Row]) -> None:
        """Take the rows of a chunk."""
        key = key_of(schema)
        self.schema = schema
        self._rows = {key(row): row for row in rows}

    def advance(self, event: Event) -> Phase:
        """Return the phase in which an event came, and go on to the next one."""
        before = self.phase
        self.phase = TRANSITIONS.get((before, event), before)
        if self.phase == "stale":
            self._rows = {}
        return before

    def take(self) -> list[Row]:
        """Return the rows that are left, in their order."""
        rows = list(self._rows.values())
        self._rows = {}
        return rows

    def concerns(self, change: RowChanges) -> bool:
        """Whether a change belongs to the table of the rows that wait in the open window."""
        if self.phase != "open" or self.schema is None or not self._rows:
            return False
        return change.codec.table.id == self.schema.table.id

    def deduplicate(self, change: RowChanges) -> None:
        """Drop the rows whose keys a change of the log has; of an altered key both."""
        if not self.concerns(change):
            return
        key, rows = key_of(change.codec), self._rows
        width = len(change.codec.value_schema.fields)
        for before, after in change.rows:
            if before is not None:
                if after is not None and self._skips_unchanged and before[:width] == after[:width]:
                    continue
                rows.pop(key(before), None)
            if after is not None:
                rows.pop(key(after), None)


def key_of(schema: TableEventSchema) -> Callable[[Row], Any]:
    """Return the function that reads the key of a row."""
    return itemgetter(*schema.key_slots)


class Windows:
    """The windows of the chunks that are read between the same two marks, one for each table.

    ``phase`` is that of the marks: not idle until the log has come to the second one, though no
    table may have rows.
    """

    def __init__(self, *, skips_unchanged: bool = False) -> None:
        self._skips_unchanged = skips_unchanged
        self._marks = Window()
        self._windows: dict[TableId, Window] = {}

    @property
    def phase(self) -> Phase:
        """The phase of the marks."""
        return self._marks.phase

    @property
    def tables(self) -> Collection[TableId]:
        """The tables of which a chunk is read."""
        return self._windows.keys()

    def clear(self) -> None:
        """Forget the rows and marks."""
        self._marks.clear()
        self._windows.clear()

    def begin(self) -> None:
        """Begin to read chunks."""
        self.clear()
        self._marks.advance("chunk")

    def fill(self, schema: TableEventSchema, rows: Sequence[Row]) -> None:
        """Take the chunk of a table."""
        window = self._windows[schema.table.id] = Window(skips_unchanged=self._skips_unchanged)
        window.advance("chunk")
        window.fill(schema, rows)

    def open(self) -> None:
        """Note that the log has come to the first mark."""
        for window in (self._marks, *self._windows.values()):
            window.advance("open")

    def alter(self, table: TableId) -> None:
        """Drop the rows of a table that was altered or truncated."""
        if table in self._windows:
            self._windows[table].advance("change")

    def compare(self, schema_of: Callable[[TableId], TableEventSchema | None]) -> None:
        """Drop the rows of tables that have another definition now."""
        for table, window in self._windows.items():
            if window.schema is not None and schema_of(table) is not window.schema:
                window.advance("change")

    def concern(self, change: RowChanges) -> bool:
        """Whether a change belongs to a table of which rows wait."""
        window = self._windows.get(change.codec.table.id)
        return window is not None and window.concerns(change)

    def deduplicate(self, change: RowChanges) -> None:
        """Drop the rows whose keys a change of the log has."""
        window = self._windows.get(change.codec.table.id)
        if window is not None:
            window.deduplicate(change)

    def close(self) -> list[tuple[TableEventSchema, list[Row], bool]]:
        """Return the chunks in their order: the rows that are left, and whether one is void."""
        self._marks.advance("close")
        found = []
        for window in self._windows.values():
            is_void = window.advance("close") == "stale"
            if window.schema is not None:
                found.append((window.schema, window.take(), is_void))
        self._windows.clear()
        return found
