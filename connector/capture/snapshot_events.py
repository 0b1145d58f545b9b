"""What a source reports about a snapshot: its locks, its tables and how far it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from connector.capture.tables import TableId


@dataclass(frozen=True, slots=True)
class IncrementalProgress:
    """How far incremental snapshots have come.

    ``tables`` are those to be read; there are none at the end. ``table`` is the one of which the
    last chunk is, ``rows`` are its rows. Keys are text: ``chunk_from`` that before the last chunk,
    ``chunk_to`` its last one, ``table_to`` the highest one of the table.
    """

    tables: tuple[str, ...] = ()
    rows: int = 0
    chunk: str | None = None
    chunk_from: str = ""
    chunk_to: str = ""
    table_to: str = ""
    paused: bool = False
    table: str | None = None

    def report(self) -> dict[str, object]:
        """Return the progress for the REST API."""
        return {
            "type": "incremental",
            "state": "PAUSED" if self.paused else "RUNNING",
            "table": self.table,
            "rows": self.rows,
            "chunk": self.chunk,
            "chunk_from": self.chunk_from,
            "chunk_to": self.chunk_to,
            "table_to": self.table_to,
            "tables_left": list(self.tables),
        }


@dataclass(frozen=True, slots=True)
class ChunkedReadBegan:
    """The tables of an initial snapshot that are read in chunks while the log is streamed."""

    tables: Sequence[TableId]


@dataclass(frozen=True, slots=True)
class ChunkedReadEnded:
    """The last of the tables of an initial snapshot that are read in chunks is read."""


@dataclass(frozen=True, slots=True)
class LocksHeld:
    """A snapshot has taken locks that stop writers, or has released them."""

    held: bool


@dataclass(frozen=True, slots=True)
class SnapshotBegan:
    """A snapshot begins to read rows; ``estimates`` are the server's, None where it has none.

    ``rows`` are those that were read before a restart.
    """

    estimates: Mapping[TableId, int | None]
    rows: Mapping[TableId, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TableScan:
    """A snapshot begins to read a table, or has read it: then ``rows`` is their number.

    ``tables`` are those of the snapshot. ``chunks`` is the number of ranges of keys into which
    the table is split, 0 if tables are not.
    """

    table: TableId
    tables: Sequence[TableId]
    rows: int | None = None
    chunks: int = 0


@dataclass(frozen=True, slots=True)
class ChunkScan:
    """A snapshot begins to read a range of keys, or has read it: then it ``is_complete``.

    ``number`` is that of the range, from 0 to less than ``count``. ``rows`` are those of the table
    that were read; ``tables`` are the tables of the snapshot.
    """

    table: TableId
    number: int
    count: int
    rows: int
    tables: Sequence[TableId]
    is_complete: bool = False


@dataclass(frozen=True, slots=True)
class Notification:
    """A report about a snapshot for the topic of notifications; ``timestamp`` in milliseconds."""

    id: str
    aggregate_type: str
    type: str
    additional_data: Mapping[str, str]
    timestamp: int

    def __str__(self) -> str:
        data = ", ".join(f"{name}={text}" for name, text in self.additional_data.items())
        return (
            f"{{id='{self.id}', aggregateType='{self.aggregate_type}', type='{self.type}', "
            f"additionalData={{{data}}}, timestamp={self.timestamp}}}"
        )
