"""Translates events of the log to changes: transactions, rows of captured tables, DDL.

The order of the steps and their counters follow Debezium's streaming source, so that source blocks
and offsets are equal.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Literal, cast

from connector.capture.change import CaptureEvent, Progress, TransactionBoundary
from connector.mysql.binlog.batch_translation import batch_translator
from connector.mysql.binlog.batches import batches
from connector.mysql.binlog.events import (
    Began,
    BinlogEvent,
    Committed,
    GtidRead,
    HeartbeatSeen,
    IncidentSeen,
    QueryRan,
    Rotated,
    RowsChanged,
    RowsQueryRead,
    TransactionCompressed,
    Unreadable,
    XaPrepared,
    XaStarted,
)
from connector.mysql.binlog.left_out import LeftOutEvents
from connector.mysql.binlog.resumption import Resumption
from connector.mysql.binlog.row_events import RowEventTranslator
from connector.mysql.binlog.tableplans import TablePlans
from connector.mysql.binlog.transaction_buffer import TransactionBuffer
from connector.mysql.binlog.translate_options import TranslateOptions
from connector.mysql.binlog.whole_transactions import LogEvent, TransactionEvents, events_of
from connector.mysql.position.binlog_position import BinlogPosition
from connector.mysql.position.coordinates import Coordinates
from connector.mysql.position.gtid import source_of
from connector.mysql.source_block import SourceBlock
from connector.native import Transaction, is_transaction

log = logging.getLogger(__name__)

BinlogChange = CaptureEvent | Progress[BinlogPosition]
ApplyStatement = Callable[[QueryRan, Coordinates, int], Iterable[CaptureEvent]]
_NOTHING: tuple[CaptureEvent, ...] = ()


class Translator:
    """Turns the events of one connection into changes.

    ``statement`` handles DDL. The caller owns ``at``; the translator moves it. ``done`` is the part
    of the first group that was processed before: it is skipped if the group begins there.
    """

    def __init__(
        self,
        at: Coordinates,
        plans: TablePlans,
        source: SourceBlock,
        statement: ApplyStatement,
        options: TranslateOptions,
        done: BinlogPosition | None = None,
    ) -> None:
        self._at = at
        self._plans = plans
        self._statement = statement
        self._options = options
        self._left_out = LeftOutEvents(at, options.on_failure)
        self._row_events = RowEventTranslator(at, plans, source, options, self._left_out)
        self._batches = batch_translator(at, plans, source, options, self._left_out)
        self._buffer = TransactionBuffer() if options.logs_rollbacks else None
        self._resumption = Resumption(at, self._row_events, done, annotations=options.queries)
        self._standalone = self._ineffective = False
        self._handlers: dict[type[BinlogEvent], Callable[..., Iterable[CaptureEvent]]] = {
            RowsChanged: self._row_events.changes,
            GtidRead: self._gtid,
            Began: self._began,
            Committed: self._committed,
            QueryRan: self._query,
            XaStarted: self._xa_started,
            XaPrepared: self._xa_prepared,
            TransactionCompressed: self._compressed,
            Rotated: self._rotated,
            IncidentSeen: self._left_out.fail_incident,
            Unreadable: self._left_out.fail_unreadable,
        }
        if options.queries:
            self._handlers[RowsQueryRead] = self._rows_query

    def close(self) -> None:
        """Drop what waits for the end of its transaction."""
        if self._buffer is not None:
            self._buffer.close()

    def changes(self, events: Iterable[LogEvent]) -> Iterator[BinlogChange]:
        """Yield the changes of some events, then their progress.

        A buffer may release all events of a large transaction at once.
        """
        self._at.settle()
        if self._buffer is None:
            yield from self._changes(events)
            return
        for part in batches(self._buffer.release(events)):
            yield from self._changes(part)
        counts = self._buffer.take_counts()
        if counts is not None:
            yield counts

    def _changes(self, events: Iterable[LogEvent]) -> Iterator[BinlogChange]:
        at = self._at
        for are_whole, part in groupby(events, is_transaction):
            if are_whole:
                yield from self._transactions(cast("list[Transaction]", list(part)))
            else:
                yield from self._events(cast("Iterator[BinlogEvent]", part))
        left_out = self._left_out.take_counts()
        if left_out is not None:
            yield left_out
        commits, at.commits = at.commits, 0
        yield Progress(self._resumption.position(), commits, at.committed_ms, at.in_transaction)

    def _events(self, events: Iterable[BinlogEvent]) -> Iterator[CaptureEvent]:
        at, handler_of, row_events = self._at, self._handlers.get, self._row_events
        reads_clock = not self._options.gtid_times
        for event in events:
            timestamp, at.server_id, position, size = event.header
            if position > 0:
                at.move(position, size)
            elif at.is_compressed:
                at.move_inside(size)
            handle = handler_of(event.__class__)
            if handle is not None:
                yield from handle(event)
            # Debezium reads the clock of an event after it handled it: BEGIN of MariaDB has the
            # time of the event before, rows that of their table map. It does not read those of the
            # events in a compressed transaction.
            if timestamp and ((reads_clock and not at.is_compressed) or not at.ts_micros):
                at.ts_micros = timestamp * 1_000_000
            if at.in_transaction and event.__class__ is not HeartbeatSeen:
                at.events_done += 1
                if row_events.events_to_skip:
                    row_events.events_to_skip -= 1

    def _transactions(self, transactions: list[Transaction]) -> Iterator[CaptureEvent]:
        """Yield the changes of whole transactions."""
        at, number = self._at, 0
        while number < len(transactions):
            if at.in_transaction or at.is_compressed or not self._resumption.is_over:
                yield from self._events(events_of(transactions[number]))
                number += 1
                continue
            first = number
            if self._batches is not None:
                found, number = self._batches.translate(transactions, number)
                yield from found
            if number > first:
                self._leave_group()
            else:
                yield from self._transaction(TransactionEvents(*transactions[number].fields()))
                number += 1

    def _transaction(self, event: TransactionEvents) -> Iterator[CaptureEvent]:
        """Yield the changes of a transaction, and move as its single events do."""
        at, reads_clock = self._at, not self._options.gtid_times
        timestamp, at.server_id, first, size = event.header
        at.move(first, size)
        base = at.pos - first  # the positions of events have 32 bits
        if event.gtid:
            self._start_gtid(event.gtid, event.commit_micros or timestamp * 1_000_000)
        if not event.begins and (reads_clock or not at.ts_micros):
            at.ts_micros = timestamp * 1_000_000
        _, _, position, at.size = event.begin
        at.pos = base + position
        yield from self._begin(event.thread)
        translate = self._row_events.changes
        for number, clock, rows in event.rows:
            _, _, position, at.size = rows.header
            at.pos, at.events_done = base + position, number
            if reads_clock:
                at.ts_micros = clock * 1_000_000
            yield from translate(rows)
            if self._batches is not None:
                self._batches.learn(rows)
        if reads_clock:
            at.ts_micros = event.before_commit * 1_000_000
        timestamp, _, position, at.size = event.commit
        at.pos = base + position
        yield from self._committed(event)
        if reads_clock:
            at.ts_micros = timestamp * 1_000_000

    def _gtid(self, event: GtidRead) -> Iterable[CaptureEvent]:
        self._start_gtid(event.gtid, event.commit_micros or event.header[0] * 1_000_000)
        self._standalone, self._ineffective = event.standalone, event.ineffective
        return self._begin(None) if event.begins else _NOTHING

    def _start_gtid(self, gtid: str, micros: int) -> None:
        at = self._at
        if self._options.gtid_times:
            at.ts_micros = micros
        if at.has_gtids:
            at.start_gtid(gtid)
            captures = self._options.captures_gtid
            self._row_events.ignores = captures is not None and not captures(source_of(gtid))

    def _began(self, event: Began) -> Iterable[CaptureEvent]:
        return self._begin(event.thread)

    def _begin(self, thread: int | None) -> Iterable[CaptureEvent]:
        at = self._at
        at.begin()
        if thread is not None:
            at.thread = thread
        self._resumption.skip_processed()
        return self._boundary("BEGIN") if self._options.boundaries else _NOTHING

    def _xa_started(self, event: XaStarted) -> Iterable[CaptureEvent]:  # noqa: ARG002 - a handler
        self._at.begin_xa()
        self._resumption.skip_processed()
        return _NOTHING

    def _compressed(self, event: TransactionCompressed) -> Iterable[CaptureEvent]:  # noqa: ARG002 - a handler
        self._at.enter_compressed()
        return _NOTHING

    def _committed(self, event: Committed | TransactionEvents) -> Iterable[CaptureEvent]:  # noqa: ARG002 - a handler
        boundary = self._boundary("END") if self._options.boundaries else _NOTHING
        self._at.commit()
        self._leave_group()
        return boundary

    def _xa_prepared(self, event: XaPrepared) -> Iterable[CaptureEvent]:  # noqa: ARG002 - a handler
        """End an XA transaction where its events end, as Debezium does: with PREPARE."""
        self._at.end_group()
        self._leave_group()
        return _NOTHING

    def _leave_group(self) -> None:
        row_events = self._row_events
        row_events.events_to_skip = row_events.rows_to_skip = 0
        row_events.ignores = self._standalone = self._ineffective = False

    def _boundary(self, status: Literal["BEGIN", "END"]) -> Iterable[CaptureEvent]:
        at = self._at
        resumed = status == "BEGIN" and self._row_events.events_to_skip > 0
        return (
            TransactionBoundary(status, at.transaction_id or "", at.ts_micros // 1000, resumed),
        )

    def _rows_query(self, event: RowsQueryRead) -> Iterable[CaptureEvent]:
        self._at.annotations_done += event.on_request
        hidden = self._options.signal_table
        if not hidden or hidden not in event.sql.lower():
            self._at.query = event.sql
        return _NOTHING

    def _rotated(self, event: Rotated) -> Iterable[CaptureEvent]:
        self._at.rotate(event.file, event.start, artificial=event.artificial)
        return _NOTHING

    def _query(self, event: QueryRan) -> Iterable[CaptureEvent]:
        at = self._at
        words = event.sql[:64].upper()
        if words == "ROLLBACK":
            return self._rolled_back()
        changes: tuple[CaptureEvent, ...] = ()
        if not words.startswith(("XA ", "SAVEPOINT ", "ROLLBACK TO ")) and not self._ineffective:
            changes = tuple(self._statement(event, at, at.ts_micros // 1000 * 1000))
        if changes:
            self._plans.clear()
        if self._standalone or not at.in_transaction:
            at.end_statement()
            self._leave_group()
        return changes

    def _rolled_back(self) -> Iterable[CaptureEvent]:
        if self._buffer is None:
            log.warning(
                "A transaction was rolled back at %s:%d; the events of its rows are published",
                self._at.file,
                self._at.pos,
            )
        return self._committed(Committed((0, 0, 0, 0)))
