"""What a snapshot works with: its configuration, its session and what it reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from connector.capture.custom_snapshots import CustomLock, CustomQuery
from connector.capture.selection import Selection
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import Table
from connector.mysql.schema.definitions import DefinitionReader
from connector.mysql.schema.tracker import SchemaTracker
from connector.mysql.session.connection import Connection
from connector.mysql.snapshot.table_chunks import ChunkPlanner
from connector.mysql.source_block import SourceBlock


@dataclass(frozen=True, slots=True)
class SnapshotOptions:
    """The part of the configuration that a snapshot needs. Times are in seconds.

    ``row_count_order`` is the order of tables by size. With ``position_headers`` changes have their
    position as text, and tables without rows are emitted. ``threads`` is the number of sessions
    that read tables, which a ``planner`` splits; they read at most ``fetch_size`` rows at once, or
    as many as come if it is 0. ``lock`` and ``query`` are those of ``custom``.
    """

    locking: str = "minimal"
    lock_timeout: float = 10.0
    table_order: tuple[str, ...] = ()
    included: str | None = None
    selects: dict[str, str] = field(default_factory=dict)
    row_count_order: str = "disabled"
    position_headers: bool = False
    threads: int = 1
    planner: ChunkPlanner | None = None
    fetch_size: int = 0
    lock: CustomLock | None = None
    query: CustomQuery | None = None


@dataclass(frozen=True, slots=True)
class SnapshotParts:
    """What a snapshot works with.

    ``open_session`` opens additional sessions to read several tables at once.
    """

    connection: Connection
    definitions: DefinitionReader
    tracker: SchemaTracker
    selection: Selection
    codec_of: Callable[[Table], TableEventSchema]
    source: SourceBlock
    options: SnapshotOptions
    open_session: Callable[[], Connection]
