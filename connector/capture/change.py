"""The `Change` union: what a source of changes yields, independent of SQL dialects and Kafka.

A source yields its changes in the order in which they were committed. After a run of
changes it yields a `Progress`: once every record made from the changes before it is
acknowledged by Kafka, the position it carries may be stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeVar

from connector.capture.snapshot_events import (
    ChunkedReadBegan,
    ChunkedReadEnded,
    ChunkScan,
    IncrementalProgress,
    LocksHeld,
    Notification,
    SnapshotBegan,
    TableScan,
)
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import Table, TableId
from connector.native import NativeEvent

Operation = Literal["c", "u", "d", "r", "t"]
Row = tuple[Any, ...]
RowPairs = list[tuple[Row | None, Row | None]]
"""Rows before and after an event: no row before an insert, none after a delete."""
SchemaChangeKind = Literal["CREATE", "ALTER", "DROP", "TRUNCATE", "DATABASE"]
WaitCause = Literal["database", "history"]
"""The system that a capture waits for: its database, or the Kafka of its schema history."""
SchemaChangeCause = Literal["parsed", "unparsed", "resolved"]
"""A parsed statement, one that could not be parsed, or a definition that replaces a wrong one."""


class PositionText(NamedTuple):
    """The position of an event as text: ``start``, the number of a row, and ``end``.

    For example ``0/binlog.000004/157/`` and the number. ``first`` is added to the numbers of rows,
    so that they are unique where several events have one position. ``end`` is ``/end`` for the last
    row of the snapshot of a table and ``/empty`` for a table without rows.
    """

    start: str
    end: str = ""
    first: int = 0

    def of_row(self, number: int) -> str:
        """Return the position of a row of the event."""
        return f"{self.start}{self.first + number}{self.end}"


class Position(Protocol):
    """The position of a source; opaque outside the package of its database."""

    def to_offset(self) -> dict[str, Any]:
        """Return the position as Debezium's offset map."""
        ...


@dataclass(slots=True)
class RowChanges:
    """Rows of one table changed by one event of the log, or read by a snapshot.

    ``rows`` holds ``(before, after)``: tuples of Connect values in the order of the fields
    of ``codec.value_schema``, or None. ``source`` holds the values of the source block in the
    order of its schema; ``first_row`` is the number of ``rows[0]`` within its log event, None
    when rows have no numbers (in a snapshot). ``position_text`` is None unless configured.
    """

    codec: TableEventSchema
    op: Operation
    rows: Sequence[tuple[Row | None, Row | None]]
    source: Row
    first_row: int | None = 0
    position_text: PositionText | None = None


class RowsOfKind(NamedTuple):
    """The changes of one version of a table by one operation, among others.

    ``rows`` are their rows, ``longest`` is the most rows of an event.
    """

    codec: TableEventSchema
    op: Operation
    rows: int
    longest: int


@dataclass(slots=True)
class EventBatch:
    """Changes of rows by neighboring events of the log, in their order.

    An event is the number of its kind, its rows, which the native core read, and the values of its
    source block.
    """

    kinds: Sequence[RowsOfKind]
    events: Sequence[NativeEvent]

    def change(self, number: int) -> RowChanges:
        """Return the changes of an event."""
        kind, rows, source = self.events[number]
        codec, op, *_ = self.kinds[kind]
        return RowChanges(codec, op, rows, source)

    def changes(self) -> Iterator[RowChanges]:
        """Yield the changes of all events."""
        return map(self.change, range(len(self.events)))


@dataclass(slots=True)
class Truncated:
    """A table that one statement truncated, or in which a snapshot found no rows."""

    codec: TableEventSchema
    source: Row
    position_text: PositionText | None = None


@dataclass(frozen=True, slots=True)
class Emptied:
    """A table that was truncated, where no event of that is emitted."""

    table: TableId


@dataclass(frozen=True, slots=True)
class TableChange:
    """A table that was created, altered or dropped.

    ``previous_id`` is its name before a rename, as the schema history has it; ``origin`` is that
    before any kind of rename.
    """

    type: Literal["CREATE", "ALTER", "DROP"]
    id: TableId
    table: Table | None = None
    previous_id: TableId | None = None
    origin: TableId | None = None


@dataclass(slots=True)
class SchemaChange:
    """A statement that changed the structure of a database, with the tables it changed.

    ``ddl`` is None if a signal requested the change.
    """

    kind: SchemaChangeKind
    database: str
    ddl: str | None
    changes: tuple[TableChange, ...]
    source: Row
    cause: SchemaChangeCause = "parsed"
    schema: str | None = None


@dataclass(slots=True)
class TransactionBoundary:
    """The begin or the end of a transaction; ``ts_ms`` is the database's time of it.

    A source yields them only if transaction metadata is configured. ``resumed``: a part of the
    transaction was captured before a restart and is skipped now.
    """

    status: Literal["BEGIN", "END"]
    id: str
    ts_ms: int
    resumed: bool = False


@dataclass(slots=True)
class HeartbeatDue:
    """A heartbeat record may be written, if its interval has elapsed; ``now``: in any case."""

    now: bool = False


@dataclass(frozen=True, slots=True)
class CaughtUp:
    """The source has nothing more at hand: messages gain nothing by waiting for others."""


P_co = TypeVar("P_co", bound=Position, covariant=True)


@dataclass(slots=True)
class Progress(Generic[P_co]):
    """All changes up to ``position`` have been yielded.

    ``commits`` counts the transactions that ended since the one before, ``committed_ms`` is the
    database's time of the last of them. ``in_transaction``: one is not complete. ``kept`` is what
    the offset has to keep beside the position. A ``restart`` reads there instead of at the
    position. ``is_due``: the offset is stored before anything else is emitted.
    """

    position: P_co
    commits: int = 0
    committed_ms: int = 0
    in_transaction: bool = False
    kept: Mapping[str, Any] = field(default_factory=dict)
    restart: Position | None = None
    is_due: bool = False


@dataclass(slots=True)
class Waiting:
    """A pause of some seconds because of a transient error.

    ``reason`` is empty when the error is over. ``cause`` is the system that does not answer.
    """

    reason: str
    seconds: float = 0.0
    cause: WaitCause = "database"


@dataclass(frozen=True, slots=True)
class Notice:
    """What an operator should know, such as a likely mistake in the configuration.

    The status shows it until another text about the same subject replaces it.
    """

    text: str
    about: str = "configuration"


@dataclass(frozen=True, slots=True)
class FailedTables:
    """All tables whose last incremental snapshot failed, each with the reason."""

    reasons: Mapping[str, str]

    def __str__(self) -> str:
        return "; ".join(
            f"Incremental snapshot of table {table} failed: {reason}"
            for table, reason in self.reasons.items()
        )


@dataclass(frozen=True, slots=True)
class LookAhead:
    """Transactions that were held until their end, since the last report.

    ``rolled_back`` ones were not emitted, ``malformed`` ones have no end in the log, ``large`` ones
    did not fit into memory.
    """

    rolled_back: int = 0
    malformed: int = 0
    large: int = 0


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Events of the log that led to no change, since the last report.

    ``filtered`` ones have rows of tables that are not captured, ``skipped`` ones could not be read.
    """

    filtered: int = 0
    skipped: int = 0


CaptureEvent = (
    RowChanges
    | EventBatch
    | Truncated
    | SchemaChange
    | TransactionBoundary
    | HeartbeatDue
    | CaughtUp
    | Waiting
    | Notice
    | FailedTables
    | IncrementalProgress
    | ChunkedReadBegan
    | ChunkedReadEnded
    | LookAhead
    | LeftOut
    | LocksHeld
    | SnapshotBegan
    | TableScan
    | ChunkScan
    | Notification
    | Emptied
)
"""All changes without a position."""
Change = CaptureEvent | Progress[Position]
