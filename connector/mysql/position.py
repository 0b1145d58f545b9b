"""Positions in the binary log, as offsets and as they move from event to event."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from connector.capture.change import Place
from connector.data.java import hash_order
from connector.mysql.gtid import GtidSet, MariaDbGtidSet

Gtids = GtidSet | MariaDbGtidSet
_EPOCH, _SERVER = "millrace_epoch", "millrace_server"


@dataclass(frozen=True, slots=True)
class BinlogPosition:
    """Where to go on reading.

    ``gtids`` are the transactions completely processed. ``event`` and ``row`` count what is
    done of the transaction that starts at ``pos``: so many events, and so many rows of the
    next one. ``snapshot`` is set while a snapshot is not complete. GTIDs that are text are as
    the server gave them. ``epoch`` and ``server`` tell whose log it is (`connector.mysql.epoch`);
    without a server nobody has asked.
    """

    file: str
    pos: int
    gtids: Gtids | str | None = None
    event: int = 0
    row: int = 0
    server_id: int = 0
    ts_sec: int | None = None
    snapshot: str | None = None
    epoch: int = 0
    server: str | None = None

    def with_gtids(self, *, is_mariadb: bool) -> BinlogPosition:
        """Return the position with its GTIDs as a set, an empty one if it has none."""
        if isinstance(self.gtids, (GtidSet, MariaDbGtidSet)):
            return self
        parse = MariaDbGtidSet.parse if is_mariadb else GtidSet.parse
        return replace(self, gtids=parse(self.gtids or ""))

    def without_gtids(self) -> BinlogPosition:
        """Return the position for a server that gives no GTIDs."""
        return replace(self, gtids=None)

    def to_offset(self) -> dict[str, Any]:
        """Return Debezium's offset map, with its keys in Java's order."""
        values: dict[str, Any] = {
            "server_id": self.server_id or None,
            "gtids": None if self.gtids is None else str(self.gtids),
            "file": self.file,
            "pos": self.pos,
            "event": self.event or None,
            "row": self.row or None,
            "ts_sec": self.ts_sec,
            "snapshot": self.snapshot,
            _EPOCH: None if self.server is None else self.epoch,
            _SERVER: self.server,
        }
        present = [key for key, value in values.items() if value is not None]
        return {key: values[key] for key in hash_order(present)}


def position_of(offset: Mapping[str, Any], *, is_mariadb: bool) -> BinlogPosition:
    """Read an offset map; those of old Debezium versions mark a snapshot by a boolean.

    :raises ConfigError: when its GTIDs cannot be read.
    """
    gtids = offset.get("gtids")
    parse = MariaDbGtidSet.parse if is_mariadb else GtidSet.parse
    snapshot = offset.get("snapshot")
    if isinstance(snapshot, bool):
        snapshot = "INITIAL" if snapshot else None
    return BinlogPosition(
        file=str(offset["file"]),
        pos=int(offset["pos"]),
        gtids=parse(gtids) if gtids else None,
        event=int(offset.get("event") or 0),
        row=int(offset.get("row") or 0),
        server_id=int(offset.get("server_id") or 0),
        ts_sec=offset.get("ts_sec"),
        snapshot=snapshot,
        epoch=int(offset.get(_EPOCH) or 0),
        server=offset.get(_SERVER),
    )


def file_number(file: str) -> int:
    """Return the number of a binlog file, -1 where there is none."""
    digits = file.rpartition(".")[2]
    return int(digits) if digits.isascii() and digits.isdigit() else -1


class Coordinates:
    """Follows the log event by event; counts as Debezium counts, so that offsets are the same.

    ``file`` and ``pos`` are those of the present event, ``restart_*`` those from which a
    restart would read: the begin of the transaction, or the end of the last event outside one.
    ``committed_ms`` is the database's time of the last commit, ``commits`` how many there were.
    """

    def __init__(self, start: BinlogPosition) -> None:
        assert not isinstance(start.gtids, str)
        self.file = self.restart_file = start.file
        self.pos = self.restart_pos = start.pos
        self.gtid: str | None = None
        self._gtids: Gtids | None = start.gtids
        self._begun: list[str] = []  # transactions not among the GTIDs yet
        self._committed = True  # the last of them too
        self.server_id = start.server_id
        self.row = 0
        self.size = 0
        self.thread: int | None = None
        self.query: str | None = None
        self.transaction_id: str | None = None
        self.in_transaction = False
        self.events_done = start.event
        self.rows_done = start.row
        self.ts_micros = 0
        self.commits = self.committed_ms = 0
        self.epoch, self.server = start.epoch, start.server
        self._newest_file = start.file

    def begin_epoch(self) -> None:
        """Take the start for one of another log: the number of its file tells nothing."""
        self._newest_file = ""

    def move(self, pos: int, size: int) -> None:
        """Come to the event at ``pos``."""
        self.pos = pos
        self.size = size
        if not self.in_transaction:
            self.restart_pos = pos + size
            self.events_done = self.rows_done = 0

    def rotate(self, file: str, position: int) -> None:
        """Go to another file. One with a lower number is of another log."""
        if self.server is not None and file_number(file) < file_number(self._newest_file):
            self.epoch += 1
        self._newest_file = file
        self.file = self.restart_file = file
        self.pos = self.restart_pos = position
        self.row = self.events_done = self.rows_done = 0

    def start_gtid(self, gtid: str) -> None:
        """Take the id of the transaction that begins."""
        self.gtid = gtid
        self._begun.append(gtid)
        self._committed = False

    @property
    def has_gtids(self) -> bool:
        """Whether transactions are followed by their GTIDs."""
        return self._gtids is not None

    def begin(self) -> None:
        """Begin a transaction at the present event."""
        self.events_done = self.rows_done = 0
        self.restart_file, self.restart_pos = self.file, self.pos
        self.in_transaction = True
        self.transaction_id = self.gtid or f"file={self.file},pos={self.pos}"

    def commit(self) -> None:
        """End the transaction with the present event."""
        self._committed = True
        self.restart_file, self.restart_pos = self.file, self.pos + self.size
        self.events_done = self.rows_done = 0
        self.in_transaction = False
        self.transaction_id = self.thread = self.query = None
        self.commits += 1
        self.committed_ms = self.ts_micros // 1000

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
        )

    def _restart_gtids(self) -> Gtids | None:
        """Return the transactions that are done; the first of a log counts from its begin."""
        if self._gtids is None:
            return None
        present = [] if self._committed else self._begun[-1:]
        done = self._begun[: len(self._begun) - len(present)]
        self._gtids = self._gtids.with_all(done)
        self._begun = present
        return self._gtids or self._gtids.with_all(present)
