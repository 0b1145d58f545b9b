"""Follows a binary log event by event, so that a position can be stored at any time."""

from __future__ import annotations

from connector.capture.change import PositionText
from connector.mysql.position.binlog_position import BinlogPosition, Gtids, behind, file_number


class Coordinates:
    """Follows the log event by event; counts as Debezium counts, so that offsets are equal.

    ``file`` and ``pos`` are those of the present event, ``restart_*`` those from which a
    restart would read: the start of a group of events (a transaction), or the end of the last
    event outside one. ``committed_ms`` is the database's time of the last commit, ``commits``
    how many there were. ``is_compressed``: within a compressed transaction. ``thread`` is the
    session of the present transaction, ``last_thread`` that of the last one. ``annotations_done``
    are those of ``events_done`` that MariaDB sends on request only.
    """

    def __init__(self, start: BinlogPosition) -> None:
        assert not isinstance(start.gtids, str)
        self.file = self.restart_file = start.file
        self.pos = self.restart_pos = start.pos
        self.gtid: str | None = None
        self._gtids: Gtids | None = start.gtids
        self._begun: list[str] = []  # transactions that are not in the GTID set yet
        self._committed = True  # the last of them too
        self._statement_ended = False
        self.server_id = start.server_id
        self.row = 0
        self.size = 0
        self.thread: int | None = None
        self.last_thread: int | None = None
        self.query: str | None = None
        self.transaction_id: str | None = None
        self.in_transaction = start.in_group
        self.events_done = start.event
        self.annotations_done = start.annotations
        self.rows_done = start.row
        self._own_count = start.own_count
        self.is_compressed = False
        self._payload_offset = self._payload_read = 0
        self.ts_micros = 0
        self.commits = self.committed_ms = 0
        self.epoch, self.server = start.epoch, start.server
        self._newest_file = start.file

    def begin_epoch(self) -> None:
        """Treat the start as one in another log: the number of its file is not comparable."""
        self._newest_file = ""

    def move(self, pos: int, size: int) -> None:
        """Move to the event at ``pos``."""
        if self.pos > pos:
            pos = behind(self.pos, pos)
        self.pos = pos
        self.size = size
        if not self.in_transaction:
            self.restart_pos = pos + size
            self.events_done = self.rows_done = 0

    def rotate(self, file: str, position: int, *, artificial: bool = False) -> None:
        """Move to another file. One with a lower number belongs to another log.

        No group of events spans two files: an open one was truncated when the server ended. But
        the artificial event at the start of a dump comes before the group that is continued.
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
        self.in_transaction = self.is_compressed = False

    def start_gtid(self, gtid: str) -> None:
        """Set the id of the transaction that begins."""
        self.gtid = gtid
        self._begun.append(gtid)
        self._committed = self._statement_ended = self.is_compressed = False

    @property
    def unfinished_gtid(self) -> str | None:
        """The id of a transaction of which a part was read, if it is not in the GTID set."""
        partly = self._statement_ended or (self.in_transaction and self.events_done)
        return self._begun[-1] if partly and self._begun and not self._committed else None

    @property
    def has_gtids(self) -> bool:
        """Whether transactions are followed by their GTIDs."""
        return self._gtids is not None

    def enter_compressed(self) -> None:
        """Enter a compressed transaction: the positions of its events are those of the whole."""
        self.is_compressed = True
        self._payload_offset = self._payload_read = 0

    def move_inside(self, size: int) -> None:
        """Move to the next event of a compressed transaction."""
        self._payload_offset = self._payload_read
        self._payload_read += size

    def begin(self) -> None:
        """Begin a transaction at the present event."""
        self.begin_xa()
        self._own_count = self.is_compressed
        self.transaction_id = self.gtid or f"file={self.file},pos={self.pos}"

    def begin_xa(self) -> None:
        """Begin the events of an XA transaction, which is not a transaction to Debezium."""
        self.events_done = self.annotations_done = self.rows_done = 0
        self.restart_file, self.restart_pos = self.file, self.pos
        self.in_transaction = self._own_count = True

    def commit(self) -> None:
        """End the transaction with the present event."""
        self.end_group()
        self.last_thread = self.thread
        self.transaction_id = self.thread = self.query = None
        self.commits += 1
        self.committed_ms = self.ts_micros // 1000

    def pass_transactions(
        self,
        count: int,
        last: tuple[int, int, int, str | None, int, int, int | None],
        gtids: list[str],
        last_row: int | None,
    ) -> None:
        """Move behind whole transactions, as their events do one by one.

        :param last: what the last one leads to: server, position and size of its last event, its
            id, the time, that of the commit in milliseconds, and its session.
        :param gtids: the ids of all, if they are followed.
        :param last_row: the number of the last row in its event, if rows were captured.
        """
        self.server_id, self.pos, self.size, self.gtid = last[:4]
        self.ts_micros, self.committed_ms, self.last_thread = last[4:]
        if gtids:
            self._begun += gtids
            self._statement_ended = False
        if last_row is not None:
            self.row = last_row
        self.transaction_id = self.thread = None
        self.annotations_done, self._own_count = 0, False
        self.commits += count
        self.end_group()

    def end_group(self) -> None:
        """End a group of events with the present one: all of it is done."""
        self._committed = True
        self._leave_group()

    def end_statement(self) -> None:
        """End a group that is one statement.

        For Debezium its id is not done until the next group begins, so that after a restart a
        DDL statement is read, and published, again. It is done when another event follows or the
        log has no more for now (`settle`).
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
        self.in_transaction = self.is_compressed = False

    @property
    def position_text(self) -> PositionText:
        """The position of the present event as text.

        The events of a compressed transaction have one position. There the numbers of rows start
        with the offset of their event in the uncompressed transaction: each row has a byte at
        least, so they are unique, and the same when the transaction is read again from its middle.
        """
        first = self._payload_offset if self.is_compressed else 0
        return PositionText(f"{self.epoch}/{self.file}/{self.pos}/", first=first)

    def position(self) -> BinlogPosition:
        """Return the position from which a restart would read, as of now."""
        return BinlogPosition(
            file=self.restart_file,
            pos=self.restart_pos,
            gtids=self._restart_gtids(),
            event=self.events_done,
            annotations=self.annotations_done if self.in_transaction else 0,
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
