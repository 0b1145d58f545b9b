"""Positions in the binary log, as offsets and as they move from event to event."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from connector.data.java import hash_order
from connector.errors import DamagedOffsetError, StopError
from connector.mysql.position.gtid import GtidSet
from connector.mysql.position.mariadb_gtid import MariaDbGtidSet

Gtids = GtidSet | MariaDbGtidSet
_HEADER_BITS, _HALF = 0xFFFFFFFF, 1 << 31
# Keys of our own in offsets: Debezium leaves keys alone that it does not know.
_EPOCH, _SERVER, _EVENT, _ROW, _ANNOTATIONS = (
    f"millrace_{name}" for name in ("epoch", "server", "event", "row", "annotations")
)


@dataclass(frozen=True, slots=True)
class BinlogPosition:
    """Where to continue reading.

    ``gtids`` are the transactions completely processed. ``event`` and ``row`` count what is
    done of the group of events that starts at ``pos``: so many events, and so many rows of the
    next one. ``own_count``: only Millrace counts the events of this group so, not Debezium.
    ``annotations`` are those of the events that MariaDB sends on request only, statements of rows.
    ``snapshot`` is set while a snapshot is not complete. GTIDs that are text are as
    the server gave them. ``server`` names the server whose log this is, None if it is not known;
    ``epoch`` counts the logs (`connector.mysql.position.epoch`), None if they are not counted.
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
    annotations: int = 0

    @property
    def in_group(self) -> bool:
        """Whether a part of a group of events is done."""
        return bool(self.event or self.row)

    @property
    def events_without_annotations(self) -> int:
        """How many events are done of those that the server always sends."""
        return self.event - self.annotations

    def events_sent(self, *, annotations: bool) -> int:
        """Return how many of the events that are done a server sends, with annotations or not."""
        return self.event if annotations else self.events_without_annotations

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
        return replace(self, event=0, row=0, own_count=False, annotations=0)

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
            _ANNOTATIONS: self.annotations or None,
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
    elif snapshot == "INCREMENTAL":  # rows that Debezium read while it streamed
        snapshot = None
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
        annotations=int(offset.get(_ANNOTATIONS) or 0),
    )


def file_number(file: str) -> int:
    """Return the number of a binlog file, -1 where there is none."""
    digits = file.rpartition(".")[2]
    return int(digits) if digits.isascii() and digits.isdigit() else -1


def behind(previous: int, pos: int) -> int:
    """Return the position that an event's header means, which has the last 32 bits of it.

    A file of the log grows beyond 4 GB with a transaction that is as large.

    :param previous: the position of the event before; ``pos`` is 0 if the header has none.
    """
    if not pos:
        return previous
    found = previous & ~_HEADER_BITS | pos
    return found if previous - found <= _HALF else found + _HEADER_BITS + 1
