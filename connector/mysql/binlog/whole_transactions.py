"""Whole transactions, which the native core finds in what was read of the log.

Most transactions consist of rows of known tables and of nothing else. The core returns such a one
as one object in place of an event for its id, its BEGIN, its tables, its rows and its COMMIT. All
others are parsed event by event. Of a small one that has not been read completely the rest is
awaited.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from connector.mysql.binlog import event_types as types
from connector.mysql.binlog.events import BinlogEvent, EventHeader, RowsChanged
from connector.mysql.binlog.parser import EventParser
from connector.native import Transaction, transaction_scanner

_PACKET_HEAD: Final = 5  # length, number and status before an event
FIRST_EVENTS: Final = frozenset((types.GTID, types.ANONYMOUS_GTID, types.MARIADB_GTID))
"""The types of the events with which a whole transaction starts."""


class TransactionEvents(NamedTuple):
    """What the events of a transaction say.

    ``header`` belongs to the first event, ``begin`` to the BEGIN and ``commit`` to the last one.
    ``gtid`` is empty if the server assigns none; ``begins``: the event of the id is the BEGIN
    (MariaDB), whose ``thread`` is unknown. ``rows`` are, for each event of rows, the number of the
    transaction's events before it, the time of the event before it in seconds, and the event;
    ``before_commit`` is that time for the last event.
    """

    header: EventHeader
    gtid: str
    commit_micros: int
    begins: bool
    thread: int | None
    begin: EventHeader
    rows: Sequence[tuple[int, int, RowsChanged]]
    before_commit: int
    commit: EventHeader


def events_of(transaction: Transaction) -> list[BinlogEvent]:
    """Parse the events of a transaction one by one."""
    data, at, end, trailer = transaction.packets
    parser: EventParser = transaction.parser.copy()
    events = []
    while at < end:
        start, at = at + _PACKET_HEAD, at + 4 + int.from_bytes(data[at : at + 3], "little")
        events.append(parser.event(data, start, at - trailer))
    return events


LogEvent = BinlogEvent | Transaction
Scan = Callable[[bytes, int, int], tuple[list[Transaction], int, int]]
"""Returns the transactions from a packet on, the offset behind them, and how many bytes from there
the next one needs, if the data end within it; takes the data, the offset and the size of a
checksum."""


def scan_of(parser: EventParser, *, reads_queries: bool) -> Scan:
    """Return what finds the transactions of a parser's log; without the core it finds none.

    :param reads_queries: transactions with `RowsQueryRead` events are not found.
    """
    known, tables = parser.known_maps, parser.tables
    scanner = transaction_scanner(known, tables, RowsChanged, parser, reads_queries=reads_queries)
    return scan_nothing if scanner is None else scanner.scan


def scan_nothing(data: bytes, start: int, trailer: int) -> tuple[list[Transaction], int, int]:  # noqa: ARG001 - a `Scan`
    """Leave all transactions to the parser."""
    return [], start, 0
