"""The window of a chunk: its rows until the log has passed the point at which they were read.

Two marks in the log enclose the moment at which a chunk is read. A row whose key the log has
between them is dropped: the change in the log may be newer. What is left is emitted at the second
mark. The rows stay as they were read: only their keys are decoded.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any, Final, Literal

from connector.capture.change import PositionText, Row, RowChanges, RowPairs
from connector.capture.incremental.chunk_source import ChunkRows
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import TableId
from connector.native import Rows, is_native, part_of

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


_MOST_CHANGED: Final = 4096
"""The keys from the log that are kept until they are compared with those of the rows."""


class Window:
    """The rows of one chunk, and the phase of their window.

    ``skips_unchanged``: updates that change no captured column are not emitted.
    """

    def __init__(self, *, skips_unchanged: bool = False) -> None:
        self._skips_unchanged = skips_unchanged
        self.phase: Phase = "idle"
        self.schema: TableEventSchema | None = None
        self._batches: list[tuple[ChunkRows, Sequence[Any]]] = []
        self._changed: set[Any] = set()

    def clear(self) -> None:
        """Forget the rows and marks."""
        self.phase, self.schema = "idle", None
        self._drop_all()

    def fill(self, schema: TableEventSchema, batches: Sequence[ChunkRows]) -> None:
        """Take the rows of a chunk; of those with one message key the last one."""
        self.schema = schema
        self._batches = [(batch, _keys(schema, batch)) for batch in batches]
        count = sum(map(len, batches))
        if len({key for _, keys in self._batches for key in keys}) < count:
            rows = {
                key: row
                for batch, keys in self._batches
                for key, row in zip(keys, decoded(batch), strict=True)
            }
            self._batches = [(list(rows.values()), list(rows))]

    def advance(self, event: Event) -> Phase:
        """Return the phase in which an event came, and go on to the next one."""
        before = self.phase
        self.phase = TRANSITIONS.get((before, event), before)
        if self.phase == "stale":
            self._drop_all()
        return before

    def take(self) -> list[ChunkRows]:
        """Return the rows that are left, in their order."""
        self._drop_changed()
        batches = [batch for batch, _ in self._batches]
        self._drop_all()
        return batches

    def concerns(self, change: RowChanges) -> bool:
        """Whether a change belongs to the table of the rows that wait in the open window."""
        if self.phase != "open" or self.schema is None or not self._batches:
            return False
        return change.codec.table.id == self.schema.table.id

    def deduplicate(self, change: RowChanges) -> None:
        """Drop the rows whose keys a change of the log has; of an altered key both."""
        if self.concerns(change):
            self.drop(changed_keys(change, skips_unchanged=self._skips_unchanged))

    def drop(self, keys: Iterable[Any]) -> None:
        """Drop the rows of some keys, if the window is open."""
        if self.phase != "open":
            return
        self._changed.update(keys)
        if len(self._changed) > _MOST_CHANGED:
            self._drop_changed()

    def _drop_changed(self) -> None:
        """Drop the rows whose keys the log has."""
        if not self._changed or self.schema is None:
            return
        changed, left = self._changed, list[tuple[ChunkRows, Sequence[Any]]]()
        for batch, keys in self._batches:
            if changed.isdisjoint(keys):
                left.append((batch, keys))
            else:
                dropped = [at for at, key in enumerate(keys) if key in changed]
                left += ((part, _keys(self.schema, part)) for part in _without(batch, dropped))
        self._batches = left
        changed.clear()

    def _drop_all(self) -> None:
        self._batches = []
        self._changed.clear()


def changed_keys(change: RowChanges, *, skips_unchanged: bool = False) -> Iterable[Any]:
    """Return the keys of a change of the log, before and after.

    :param skips_unchanged: updates that change no captured column are not emitted.
    """
    if is_native(change.rows) and not skips_unchanged:
        keys = _native_keys(change.codec, change.rows)
        if keys is not None:
            return keys
    return _decoded_keys(change, skips_unchanged=skips_unchanged)


def _decoded_keys(change: RowChanges, *, skips_unchanged: bool) -> Iterator[Any]:
    key, width = key_of(change.codec), len(change.codec.value_schema.fields)
    for before, after in change.rows:
        if before is not None:
            if after is not None and skips_unchanged and before[:width] == after[:width]:
                continue
            yield key(before)
        if after is not None:
            yield key(after)


def _without(batch: ChunkRows, dropped: Sequence[int]) -> Iterator[ChunkRows]:
    """Yield the rows of a batch between some of them."""
    begin = 0
    for end in (*dropped, len(batch)):
        if end > begin:
            yield part_of(batch, begin, end)
        begin = end + 1


def _keys(schema: TableEventSchema, batch: ChunkRows) -> Sequence[Any]:
    """Return the message keys of the rows of a chunk."""
    if is_native(batch):
        keys = _native_keys(schema, batch)
        if keys is not None:
            return keys
    return [*map(key_of(schema), decoded(batch))]


def decoded(batch: ChunkRows) -> list[Row]:
    """Return rows as Python has them."""
    return [row for _, row in batch] if is_native(batch) else list(batch)


def _native_keys(schema: TableEventSchema, rows: Rows) -> Sequence[Any] | None:
    """Return the message keys of rows, before and after; None if whole rows must be decoded."""
    columns = list[list[Any]]()
    for slot in schema.key_slots:
        values = rows.values(slot)
        if values is None:
            return None
        columns.append(values)
    return columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))


def key_of(schema: TableEventSchema) -> Callable[[Row], Any]:
    """Return the function that reads the key of a row."""
    return itemgetter(*schema.key_slots)


def read_changes(
    schema: TableEventSchema, batches: Iterable[ChunkRows], source: Row, text: PositionText | None
) -> Iterator[RowChanges]:
    """Yield the rows of a chunk as changes; they are numbered through all of them."""
    for batch in batches:
        rows: Rows | RowPairs = batch if is_native(batch) else [(None, row) for row in batch]
        yield RowChanges(schema, "r", rows, source, None, text)
        if text is not None:
            text = text._replace(first=text.first + len(batch))


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

    def fill(self, schema: TableEventSchema, batches: Sequence[ChunkRows]) -> None:
        """Take the chunk of a table."""
        window = self._windows[schema.table.id] = Window(skips_unchanged=self._skips_unchanged)
        window.advance("chunk")
        window.fill(schema, batches)

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

    def drop(self, table: TableId, keys: Iterable[Any]) -> None:
        """Drop the rows of some keys of a table."""
        window = self._windows.get(table)
        if window is not None:
            window.drop(keys)

    def close(self) -> list[tuple[TableEventSchema, list[ChunkRows], bool]]:
        """Return the chunks in their order: the rows that are left, and whether one is void."""
        self._marks.advance("close")
        found = []
        for window in self._windows.values():
            is_void = window.advance("close") == "stale"
            if window.schema is not None:
                found.append((window.schema, window.take(), is_void))
        self._windows.clear()
        return found
