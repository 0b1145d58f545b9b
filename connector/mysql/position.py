"""Positions in the binary log, as offsets and as they move from event to event."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from connector.capture.change import Place
from connector.data.java import hash_order
from connector.errors import DamagedOffsetError, StopError
from connector.mysql.gtid import GtidSet, MariaDbGtidSet

Gtids = GtidSet | MariaDbGtidSet
_HEADER_BITS, _HALF = 0xFFFFFFFF, 1 << 31
# Keys of our own in offsets: Debezium leaves keys alone that it does not know.
_EPOCH, _SERVER, _EVENT, _ROW = (f"millrace_{name}" for name in ("epoch", "server", "event", "row"))


@dataclass(frozen=True, slots=True)
class BinlogPosition:
    """Where to continue reading.

    ``gtids`` are the transactions completely processed. ``event`` and ``row`` count what is
    done of the group of events that starts at ``pos``: so many events, and so many rows of the
    next one. ``own_count``: only Millrace counts the events of this group so, not Debezium.
    ``snapshot`` is set while a snapshot is not complete. GTIDs that are text are as
    the server gave them. ``server`` names the server whose log this is, None if it is not known;
    ``epoch`` counts the logs (`connector.mysql.epoch`), None if they are not counted.
    """

    file: str
    pos: int
    gtids: Gtids | str | None = None
    event: int = 0
    row: int = 0
    server_id: int = 0
    ts_sec: int | None = None
    snapshot: str | None = None
    epoch: int | None = None
    server: str | None = None
    own_count: bool = False

    @property
    def in_group(self) -> bool:
        """Whether a part of a group of events is done."""
        return bool(self.event or self.row)

    def with_gtids(self, *, is_mariadb: bool) -> BinlogPosition:
        """Return the position with its GTIDs as a set, an empty one if it has none."""
        if isinstance(self.gtids, (GtidSet, MariaDbGtidSet)):
            return self
        parse = MariaDbGtidSet.parse if is_mariadb else GtidSet.parse
        return replace(self, gtids=parse(self.gtids or ""))

    def without_gtids(self) -> BinlogPosition:
        """Return the position for a server that gives no GTIDs."""
        return replace(self, gtids=None)

    def at_group_start(self) -> BinlogPosition:
        """Return the position with nothing done of the group that starts there."""
        return replace(self, event=0, row=0, own_count=False)

    def recorded(self) -> BinlogPosition:
        """Return the position as the schema history has it, where Debezium reads it."""
        return replace(self, server=None, epoch=None, own_count=False)

    def to_offset(self) -> dict[str, Any]:
        """Return Debezium's offset map, with its keys in Java's order.

        Debezium counts neither the events of an XA transaction nor those within a compressed
        transaction: to it such a group is not begun. The server is named where it matters: a
        count of events is valid in the log of one server only.
        """
        event, row = (_EVENT, _ROW) if self.own_count else ("event", "row")
        follows_server = self.epoch is not None or self.in_group
        values: dict[str, Any] = {
            "server_id": self.server_id or None,
            "gtids": str(self.gtids or "") or None,
            "file": self.file,
            "pos": self.pos,
            event: self.event or None,
            row: self.row or None,
            "ts_sec": self.ts_sec,
            "snapshot": self.snapshot,
            _EPOCH: self.epoch,
            _SERVER: self.server if follows_server else None,
        }
        present = [key for key, value in values.items() if value is not None]
        return {key: values[key] for key in hash_order(present)}


def position_of(offset: Mapping[str, Any], *, is_mariadb: bool) -> BinlogPosition:
    """Read an offset map; those of old Debezium versions mark a snapshot by a boolean.

    :raises StopError: it has no file or position, or one that cannot be read.
    """
    try:
        return _position(offset, is_mariadb=is_mariadb)
    except KeyError as error:
        reason = f"has no {error}"
    except (ValueError, TypeError) as error:
        reason = f"cannot be read: {error}"
    raise StopError(f"The stored offset {reason}.", DamagedOffsetError.remedy)


def _position(offset: Mapping[str, Any], *, is_mariadb: bool) -> BinlogPosition:
    gtids = offset.get("gtids")
    parse = MariaDbGtidSet.parse if is_mariadb else GtidSet.parse
    snapshot = offset.get("snapshot")
    if isinstance(snapshot, bool):
        snapshot = "INITIAL" if snapshot else None
    epoch = offset.get(_EPOCH)
    own_count = _EVENT in offset or _ROW in offset
    event, row = (_EVENT, _ROW) if own_count else ("event", "row")
    return BinlogPosition(
        file=str(offset["file"]),
        pos=int(offset["pos"]),
        gtids=parse(gtids) if gtids else None,
        event=int(offset.get(event) or 0),
        row=int(offset.get(row) or 0),
        server_id=int(offset.get("server_id") or 0),
        ts_sec=offset.get("ts_sec"),
        snapshot=snapshot,
        epoch=None if epoch is None else int(epoch),
        server=offset.get(_SERVER),
        own_count=own_count,
    )


def file_number(file: str) -> int:
    """Return the number of a binlog file, -1 where there is none."""
    digits = file.rpartition(".")[2]
    return int(digits) if digits.isascii() and digits.isdigit() else -1


def behind(previous: int, pos: int) -> int:
    """Return the position that an event's header means, which has the last 32 bits of it.

    A file of the log grows beyond 4 GB with a transaction that is as large.

    :param previous: where the event before is; 0 for ``pos`` means that the header tells nothing.
    """
    if not pos:
        return previous
    found = previous & ~_HEADER_BITS | pos
    return found if previous - found <= _HALF else found + _HEADER_BITS + 1


class Coordinates:
    """Follows the log event by event; counts as Debezium counts, so that offsets are the same.

    ``file`` and ``pos`` are those of the present event, ``restart_*`` those from which a
    restart would read: the start of a group of events (a transaction), or the end of the last
    event outside one. ``committed_ms`` is the database's time of the last commit, ``commits``
    how many there were.
    """

    def __init__(self, start: BinlogPosition) -> None:
        assert not isinstance(start.gtids, str)
        self.file = self.restart_file = start.file
        self.pos = self.restart_pos = start.pos
        self.gtid: str | None = None
        self._gtids: Gtids | None = start.gtids
        self._begun: list[str] = []  # transactions not among the GTIDs yet
        self._committed = True  # the last of them too
        self._statement_ended = False
        self.server_id = start.server_id
        self.row = 0
        self.size = 0
        self.thread: int | None = None
        self.query: str | None = None
        self.transaction_id: str | None = None
        self.in_transaction = start.in_group
        self.events_done = start.event
        self.rows_done = start.row
        self._own_count = start.own_count
        self._compressed = False
        self.ts_micros = 0
        self.commits = self.committed_ms = 0
        self.epoch, self.server = start.epoch, start.server
        self._newest_file = start.file

    def begin_epoch(self) -> None:
        """Treat the start as one of another log: the number of its file is not comparable."""
        self._newest_file = ""

    def move(self, pos: int, size: int) -> None:
        """Come to the event at ``pos``."""
        if self.pos > pos:
            pos = behind(self.pos, pos)
        self.pos = pos
        self.size = size
        if not self.in_transaction:
            self.restart_pos = pos + size
            self.events_done = self.rows_done = 0

    def rotate(self, file: str, position: int, *, artificial: bool = False) -> None:
        """Go to another file. One with a lower number is of another log.

        No group of events spans two files: one that is open was cut off when the server ended.
        But the event that the server makes up first comes before the group that is continued.
        """
        if self.epoch is not None and file_number(file) < file_number(self._newest_file):
            self.epoch += 1
        self._newest_file = file
        self.file, self.pos = file, position
        self.row = 0
        if artificial and self.in_transaction:
            return
        self.restart_file, self.restart_pos = file, position
        self.events_done = self.rows_done = 0
        self.in_transaction = self._compressed = False

    def start_gtid(self, gtid: str) -> None:
        """Take the id of the transaction that begins."""
        self.gtid = gtid
        self._begun.append(gtid)
        self._committed = self._statement_ended = self._compressed = False

    @property
    def has_gtids(self) -> bool:
        """Whether transactions are followed by their GTIDs."""
        return self._gtids is not None

    def compressed(self) -> None:
        """Enter a compressed transaction: the positions of its events are those of the whole."""
        self._compressed = True

    def begin(self) -> None:
        """Begin a transaction at the present event."""
        self.begin_xa()
        self._own_count = self._compressed
        self.transaction_id = self.gtid or f"file={self.file},pos={self.pos}"

    def begin_xa(self) -> None:
        """Begin the events of an XA transaction, which Debezium does not take for one."""
        self.events_done = self.rows_done = 0
        self.restart_file, self.restart_pos = self.file, self.pos
        self.in_transaction = self._own_count = True

    def commit(self) -> None:
        """End the transaction with the present event."""
        self.end_group()
        self.transaction_id = self.thread = self.query = None
        self.commits += 1
        self.committed_ms = self.ts_micros // 1000

    def end_group(self) -> None:
        """End a group of events with the present one: all of it is done."""
        self._committed = True
        self._leave_group()

    def end_statement(self) -> None:
        """End a group that is one statement.

        For Debezium its id is not done until the next group begins, so that after a restart a
        DDL statement is read, and published, again. It is done when something else follows or
        the log has no more for now (`settle`).
        """
        self._statement_ended = True
        self._leave_group()

    def settle(self) -> None:
        """Count a statement that ended before as done."""
        if self._statement_ended:
            self._committed, self._statement_ended = True, False

    def _leave_group(self) -> None:
        self.restart_file, self.restart_pos = self.file, self.pos + self.size
        self.events_done = self.rows_done = 0
        self.in_transaction = self._compressed = False

    @property
    def place(self) -> Place:
        """The place of the present event's rows."""
        return f"{self.epoch}/{self.file}/{self.pos}/", ""

    def position(self) -> BinlogPosition:
        """Return the position from which a restart would read, as of now."""
        return BinlogPosition(
            file=self.restart_file,
            pos=self.restart_pos,
            gtids=self._restart_gtids(),
            event=self.events_done,
            row=self.rows_done,
            server_id=self.server_id,
            ts_sec=self.ts_micros // 1_000_000 if self.ts_micros else None,
            epoch=self.epoch,
            server=self.server,
            own_count=self._own_count,
        )

    def _restart_gtids(self) -> Gtids | None:
        """Return the transactions that are done."""
        if self._gtids is None:
            return None
        present = [] if self._committed else self._begun[-1:]
        done = self._begun[: len(self._begun) - len(present)]
        self._gtids = self._gtids.with_all(done)
        self._begun = present
        return self._gtids
