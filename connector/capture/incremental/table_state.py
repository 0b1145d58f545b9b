"""How far an incremental snapshot has read one table."""

from __future__ import annotations

from dataclasses import dataclass, field

from connector.capture.incremental.chunk_source import Chunk, Key, TableRequest
from connector.capture.tables import TableId


@dataclass(slots=True)
class TableState:
    """A table to read, and how far it is read.

    ``is_initial``: it belongs to the initial snapshot of the connector. ``position`` is the key up
    to which rows are emitted, ``chunk_end`` the last key of the chunk that is read; both are None
    at the start. ``maximum`` is the highest key that the table had at its start. ``key_columns``
    are those of the keys with their order, empty if unknown. ``failures`` counts attempts
    to read the present chunk, the next of which is due at ``ready_at``. ``reason`` says why a table
    failed. ``text`` is what offsets have of the request, empty until one needs it. ``is_known``:
    the table existed when a chunk of it was due, or when it got its name. ``is_renamed``: it is
    read under its new name, too. ``stop`` is its number among the tables that are to be stopped, 0
    if it is not.
    """

    request: TableRequest
    is_initial: bool = False
    position: Key | None = None
    chunk_end: Key | None = None
    maximum: Key | None = None
    key_columns: tuple[str, ...] = ()
    rows: int = 0
    failures: int = 0
    ready_at: float = 0.0
    reason: str = ""
    text: str = field(default="", compare=False)
    is_known: bool = field(default=False, compare=False)
    is_renamed: bool = field(default=False, compare=False)
    stop: int = 0
    _rows_of_chunk: int = 0

    @property
    def table(self) -> TableId:
        """The table."""
        return self.request.table

    @property
    def is_started(self) -> bool:
        """Whether a part of it is read."""
        return self.maximum is not None or self.position is not None

    @property
    def has_progress(self) -> bool:
        """Whether offsets need more of it than the request."""
        return self.is_started or self.is_known or self.is_renamed or self.stop > 0

    @property
    def rows_emitted(self) -> int:
        """The rows that were read, without those of a chunk that is not emitted."""
        return self.rows - self._rows_of_chunk

    def fits(self, columns: tuple[str, ...]) -> bool:
        """Whether the keys are those of some columns; if those are unknown, their number counts."""
        if self.key_columns:
            return columns == self.key_columns
        return all(key is None or len(key) == len(columns) for key in (self.position, self.maximum))

    def restart(self) -> None:
        """Forget how far the table is read."""
        self.position = self.chunk_end = self.maximum = None
        self.key_columns = ()
        self.rows = self._rows_of_chunk = 0
        self.failures, self.ready_at = 0, 0.0

    def begin_chunk(self, chunk: Chunk) -> None:
        """Note a chunk that is read and not emitted yet."""
        self.chunk_end = chunk.end
        self._rows_of_chunk = chunk.count
        self.rows += self._rows_of_chunk
        self.failures = 0

    def end_chunk(self) -> None:
        """Note that the chunk is emitted."""
        self.position = self.chunk_end
        self._rows_of_chunk = 0

    def drop_chunk(self) -> None:
        """Forget the chunk: it is read again."""
        self.chunk_end = self.position
        self.rows -= self._rows_of_chunk
        self._rows_of_chunk = 0
