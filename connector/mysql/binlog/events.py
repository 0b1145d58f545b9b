"""Events of the binary log, one class for each type of event that the capture needs.

The position in a header is where the event starts in its file; an event inside a compressed
transaction has the position that the server wrote into it, which may be zero.
"""

from __future__ import annotations

from typing import Literal

from connector.errors import ConversionError
from connector.mysql.binlog.tablemap import TableMap

RowsKind = Literal["c", "u", "d"]
EventHeader = tuple[int, int, int, int]  # timestamp (seconds), server id, position, size


class BinlogEvent:
    """The header that all events have; also an event of a type that the capture ignores."""

    __slots__ = ("header",)

    def __init__(self, header: EventHeader) -> None:
        self.header = header

    @property
    def size(self) -> int:
        """The length in bytes of what it holds, or a little more."""
        return self.header[3]


class Rotated(BinlogEvent):
    """The log continues in another file. ``artificial``: sent at the start of a dump."""

    __slots__ = ("artificial", "file", "start")

    def __init__(self, header: EventHeader, file: str, start: int, *, artificial: bool) -> None:
        self.header = header
        self.file = file
        self.start = start
        self.artificial = artificial


class GtidRead(BinlogEvent):
    """The first event of a group. ``commit_micros`` is its original commit time, 0 if unknown.

    ``begins``: it is also the BEGIN of a transaction (MariaDB). ``standalone``: the group ends with
    its only statement (MariaDB). ``ineffective``: that statement announces what a later group does,
    or cancels it (MariaDB's START ALTER and ROLLBACK ALTER).
    """

    __slots__ = ("begins", "commit_micros", "gtid", "ineffective", "standalone")

    def __init__(
        self,
        header: EventHeader,
        gtid: str,
        commit_micros: int = 0,
        *,
        begins: bool = False,
        standalone: bool = False,
        ineffective: bool = False,
    ) -> None:
        self.header = header
        self.gtid = gtid
        self.commit_micros = commit_micros
        self.begins = begins
        self.standalone = standalone
        self.ineffective = ineffective


class TransactionCompressed(BinlogEvent):
    """A whole transaction in one event; the events inside follow."""

    __slots__ = ()


class Began(BinlogEvent):
    """``BEGIN`` of a transaction by the session ``thread``."""

    __slots__ = ("thread",)

    def __init__(self, header: EventHeader, thread: int) -> None:
        self.header = header
        self.thread = thread


class Committed(BinlogEvent):
    """The end of a transaction: an XID event or a ``COMMIT`` statement."""

    __slots__ = ()


class XaStarted(BinlogEvent):
    """``XA START`` of a transaction of the XA protocol; it ends with `XaPrepared` (MySQL)."""

    __slots__ = ()


class XaPrepared(BinlogEvent):
    """``XA PREPARE``, or a commit in one phase: the events of the transaction end here."""

    __slots__ = ()


class QueryRan(BinlogEvent):
    """A statement, almost always DDL, run in ``database``.

    ``sql_mode`` holds the bits of the session's mode, None where the server does not log it.
    """

    __slots__ = ("database", "sql", "sql_mode", "thread")

    def __init__(
        self,
        header: EventHeader,
        thread: int,
        database: str,
        sql: str,
        sql_mode: int | None = None,
    ) -> None:
        self.header = header
        self.thread = thread
        self.database = database
        self.sql = sql
        self.sql_mode = sql_mode


class RowsQueryRead(BinlogEvent):
    """The statement that caused the rows that follow; long, and rarely requested.

    ``on_request``: the server leaves it out unless the dump requests it (MariaDB).
    """

    __slots__ = ("_text", "on_request")

    def __init__(self, header: EventHeader, text: bytes, *, on_request: bool = False) -> None:
        self.header = header
        self._text = text
        self.on_request = on_request

    @property
    def size(self) -> int:
        """The length of the statement in bytes."""
        return len(self._text)

    @property
    def sql(self) -> str:
        """The statement as text."""
        return self._text.decode("utf-8", "replace")


class TableMapped(BinlogEvent):
    """The table of the row events that follow."""

    __slots__ = ("table_map",)

    def __init__(self, header: EventHeader, table_map: TableMap) -> None:
        self.header = header
        self.table_map = table_map


class RowsChanged(BinlogEvent):
    """Row images, not decoded yet: ``data[start:end]`` of columns as in ``present``.

    Updates have pairs of images; ``present_after`` belongs to the second of each. ``partial``:
    JSON columns of the second image may hold differences (PARTIAL_UPDATE_ROWS).
    """

    __slots__ = ("data", "end", "kind", "partial", "present", "present_after", "start", "table_map")

    def __init__(
        self,
        header: EventHeader,
        kind: RowsKind,
        table_map: TableMap | None,
        images: tuple[bytes, int, int],
        columns: tuple[bytes, bytes],
        *,
        partial: bool = False,
    ) -> None:
        self.header = header
        self.kind: RowsKind = kind
        self.table_map = table_map
        self.data, self.start, self.end = images
        self.present, self.present_after = columns
        self.partial = partial

    @property
    def size(self) -> int:
        """The length of the images in bytes."""
        return self.end - self.start

    @property
    def has_final_kind(self) -> bool:
        """Whether its kind is final; an update may turn out to delete a version."""
        table_map = self.table_map
        return self.kind != "u" or table_map is None or not table_map.may_be_versioned()

    def trim(self) -> None:
        """Discard all data except the images."""
        self.data = self.data[self.start : self.end]
        self.start, self.end = 0, len(self.data)

    def release_images(self) -> None:
        """Release the images, which may have hundreds of megabytes, once they are decoded."""
        self.data, self.start, self.end = b"", 0, 0


class Unreadable(BinlogEvent):
    """A malformed event."""

    __slots__ = ("error",)

    def __init__(self, header: EventHeader, error: ConversionError) -> None:
        self.header = header
        self.error = error


class HeartbeatSeen(BinlogEvent):
    """A sign of life of an idle server. It is not in the log and must not be counted."""

    __slots__ = ()


class IncidentSeen(BinlogEvent):
    """The server lost events: its log is not complete."""

    __slots__ = ("message",)

    def __init__(self, header: EventHeader, message: str) -> None:
        self.header = header
        self.message = message
