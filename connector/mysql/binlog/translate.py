"""Events of the log become changes: transactions, rows of known tables, DDL.

The order of the steps and what each counts follow Debezium's streaming source, so that source
blocks and offsets are the same.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Literal

from connector.capture.change import (
    Change,
    Progress,
    RowChanges,
    TransactionMark,
)
from connector.errors import ConversionError, ReselectError, SchemaMismatchError, StopError
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
from connector.mysql.binlog.tableplans import TablePlans
from connector.mysql.binlog.transaction_buffer import TransactionBuffer
from connector.mysql.binlog.translate_options import TranslateOptions
from connector.mysql.binlog.versions import apart
from connector.mysql.position.binlog_position import BinlogPosition
from connector.mysql.position.coordinates import Coordinates
from connector.mysql.position.gtid import source_of
from connector.mysql.source_block import SourceBlock

log = logging.getLogger(__name__)

Statement = Callable[[QueryRan, Coordinates, int], Iterable[Change]]
_NOTHING: tuple[Change, ...] = ()
_PART = 500  # events between two positions


class Translator:
    """Turns the events of one connection into changes.

    ``statement`` handles DDL; ``at`` is moved along and belongs to the caller. ``done`` is what
    of the group at the start was done before: it is skipped if the group begins there.
    """

    def __init__(
        self,
        at: Coordinates,
        plans: TablePlans,
        source: SourceBlock,
        statement: Statement,
        options: TranslateOptions,
        done: BinlogPosition | None = None,
    ) -> None:
        self._at = at
        self._plans = plans
        self._source = source
        self._statement = statement
        self._options = options
        self._reselection = options.reselection
        self._buffer = TransactionBuffer() if options.logs_rollbacks else None
        self._done = done
        self._events_to_skip = self._rows_to_skip = 0
        self._ignoring = self._standalone = self._ineffective = False
        self._handlers: dict[type[BinlogEvent], Callable[..., Iterable[Change]]] = {
            RowsChanged: self._rows,
            GtidRead: self._gtid,
            Began: self._began,
            Committed: self._committed,
            QueryRan: self._query,
            XaStarted: self._xa_started,
            XaPrepared: self._xa_prepared,
            TransactionCompressed: self._compressed,
            Rotated: self._rotated,
            IncidentSeen: self._incident,
            Unreadable: self._unreadable,
        }
        if options.queries:
            self._handlers[RowsQueryRead] = self._rows_query

    def changes(self, events: Iterable[BinlogEvent]) -> Iterator[Change]:
        """Yield the changes of some events, then how far they lead.

        A buffer may release all events of a large transaction at once.
        """
        self._at.settle()
        if self._buffer is None:
            yield from self._changes(events)
            return
        settled = self._buffer.settled(events)
        part = list(islice(settled, _PART))
        yield from self._changes(part)
        while len(part) == _PART:
            part = list(islice(settled, _PART))
            yield from self._changes(part)

    def _changes(self, events: Iterable[BinlogEvent]) -> Iterator[Change]:
        at, handler_of = self._at, self._handlers.get
        reads_clock = not self._options.gtid_times
        for event in events:
            timestamp, at.server_id, position, size = event.header
            if position > 0:
                at.move(position, size)
            handle = handler_of(event.__class__)
            if handle is not None:
                yield from handle(event)
            # Debezium reads the clock of an event after it handled it: BEGIN of MariaDB has the
            # time of the event before, rows that of their table map.
            if timestamp and (reads_clock or not at.ts_micros):
                at.ts_micros = timestamp * 1_000_000
            if at.in_transaction and event.__class__ is not HeartbeatSeen:
                at.events_done += 1
                if self._events_to_skip:
                    self._events_to_skip -= 1
        commits, at.commits = at.commits, 0
        yield Progress(at.position(), commits, at.committed_ms, at.in_transaction)

    def _gtid(self, event: GtidRead) -> Iterable[Change]:
        at = self._at
        if self._options.gtid_times:
            at.ts_micros = event.commit_micros or event.header[0] * 1_000_000
        if at.has_gtids:
            at.start_gtid(event.gtid)
            captures = self._options.captures_gtid
            self._ignoring = captures is not None and not captures(source_of(event.gtid))
        self._standalone, self._ineffective = event.standalone, event.ineffective
        return self._begin(None) if event.begins else _NOTHING

    def _began(self, event: Began) -> Iterable[Change]:
        return self._begin(event.thread)

    def _begin(self, thread: int | None) -> Iterable[Change]:
        at = self._at
        at.begin()
        if thread is not None:
            at.thread = thread
        self._skip_what_is_done()
        return self._mark("BEGIN") if self._options.marks else _NOTHING

    def _xa_started(self, event: XaStarted) -> Iterable[Change]:  # noqa: ARG002 - a handler
        self._at.begin_xa()
        self._skip_what_is_done()
        return _NOTHING

    def _skip_what_is_done(self) -> None:
        """Prepare to skip events that were handled before a restart, where this is their group.

        Their count is valid in the log that it was taken from. Where that is not sure, a group
        that begins at the same position is taken for the same one if it is the first.
        """
        done, at = self._done, self._at
        self._events_to_skip = self._rows_to_skip = 0
        if done is None:
            return
        if (done.file, done.pos) == (at.restart_file, at.restart_pos):
            self._events_to_skip, self._rows_to_skip = done.event, done.row
        elif done.server is not None:
            return
        else:
            log.info("The transaction in which the capture stopped is read again from its start")
        self._done = None

    def _compressed(self, event: TransactionCompressed) -> Iterable[Change]:  # noqa: ARG002 - a handler
        self._at.compressed()
        return _NOTHING

    def _committed(self, event: Committed) -> Iterable[Change]:  # noqa: ARG002 - a handler
        marks = self._mark("END") if self._options.marks else _NOTHING
        self._at.commit()
        self._leave_group()
        return marks

    def _xa_prepared(self, event: XaPrepared) -> Iterable[Change]:  # noqa: ARG002 - a handler
        """End an XA transaction where its events end, as Debezium does: with PREPARE."""
        self._at.end_group()
        self._leave_group()
        return _NOTHING

    def _leave_group(self) -> None:
        self._events_to_skip = self._rows_to_skip = 0
        self._ignoring = self._standalone = self._ineffective = False

    def _mark(self, status: Literal["BEGIN", "END"]) -> Iterable[Change]:
        at = self._at
        resumed = status == "BEGIN" and self._events_to_skip > 0
        return (TransactionMark(status, at.transaction_id or "", at.ts_micros // 1000, resumed),)

    def _rows(self, event: RowsChanged) -> Iterable[Change]:
        skipped = self._options.skipped
        if self._events_to_skip or self._ignoring or (event.kind in skipped and _is_sure(event)):
            return _NOTHING
        if event.table_map is None:
            return self._without_table(event)
        first, self._rows_to_skip = self._rows_to_skip, 0
        plan = self._plans.plan(event.table_map)
        if self._plans.repaired:
            return self._after_repair(event, first)
        if plan is None:
            return _NOTHING
        try:
            rows = plan.rows(event)
            if self._reselection is not None and event.kind != "d":
                lacking, micros = plan.lacking(event), self._at.ts_micros
                rows = self._reselection.completed(plan.codec, rows[first:], lacking, micros)
                rows = [(None, None)] * first + rows
        except (ConversionError, ReselectError, SchemaMismatchError) as error:
            self._failed(error)
            return _NOTHING
        event.decoded()
        at = self._at
        at.row = first
        table = plan.codec.table.id
        source = self._source.streamed(at, table.database, table.table, at.ts_micros)
        if at.query is not None and plan.codec.hides_values:
            source = self._source.without_query(source)
        at.row = max(len(rows) - 1, 0)
        if first:
            rows = rows[first:]
        place = at.place if self._options.places else None
        if plan.is_versioned:
            return [
                RowChanges(plan.codec, kind, part, source, number, place)
                for kind, part, number in apart(event.kind, rows, first)
                if part and kind not in skipped
            ]
        return (
            (RowChanges(plan.codec, event.kind, rows, source, first, place),) if rows else _NOTHING
        )

    def _without_table(self, event: RowsChanged) -> Iterable[Change]:
        """Refuse rows of which no TABLE_MAP event names the table.

        The server ends some statements with an event that has neither.
        """
        if event.start < event.end:
            at = self._at
            self._failed(
                StopError(
                    f"The rows at {at.file}:{at.pos} of the binlog follow no TABLE_MAP event: "
                    "the stored offset lies within a transaction.",
                    "Set the connector's offset to the position at which the transaction begins, "
                    "or take a new snapshot.",
                )
            )
        return _NOTHING

    def _after_repair(self, event: RowsChanged, first: int) -> Iterable[Change]:
        """Tell of the definitions that were found to be wrong, then of the rows."""
        repaired = tuple(self._plans.repaired)
        self._plans.repaired.clear()
        self._rows_to_skip = first
        return (*repaired, *self._rows(event))

    def _unreadable(self, event: Unreadable) -> Iterable[Change]:
        self._failed(event.error)
        return _NOTHING

    def _failed(self, error: Exception) -> None:
        """Do with an event that cannot be processed what the user wants."""
        if self._options.on_failure == "fail":
            raise error
        level = logging.WARNING if self._options.on_failure == "warn" else logging.DEBUG
        log.log(level, "The event at %s:%d is passed over: %s", self._at.file, self._at.pos, error)

    def _rows_query(self, event: RowsQueryRead) -> Iterable[Change]:
        self._at.query = event.sql
        return _NOTHING

    def _rotated(self, event: Rotated) -> Iterable[Change]:
        self._at.rotate(event.file, event.start, artificial=event.artificial)
        return _NOTHING

    def _query(self, event: QueryRan) -> Iterable[Change]:
        at = self._at
        words = event.sql[:64].upper()
        if words == "ROLLBACK":
            return self._rolled_back()
        changes: tuple[Change, ...] = ()
        if not words.startswith("XA ") and not self._ineffective:
            changes = tuple(self._statement(event, at, at.ts_micros // 1000 * 1000))
        if changes:
            self._plans.clear()
        if self._standalone or not at.in_transaction:
            at.end_statement()
            self._leave_group()
        return changes

    def _rolled_back(self) -> Iterable[Change]:
        if self._buffer is None:
            log.warning(
                "A transaction was rolled back at %s:%d; the events of its rows are published",
                self._at.file,
                self._at.pos,
            )
        return self._committed(Committed((0, 0, 0, 0)))

    def _incident(self, event: IncidentSeen) -> Iterable[Change]:
        self._failed(
            StopError(
                f"The server reports lost events in its log before {self._at.file}:"
                f"{self._at.pos}: {event.message}",
                "Take a new snapshot. event.processing.failure.handling.mode=warn continues "
                "without the lost events.",
            )
        )
        return _NOTHING


def _is_sure(event: RowsChanged) -> bool:
    """Whether an event is what its kind says; updates may prove to be deletions of versions."""
    table_map = event.table_map
    return event.kind != "u" or table_map is None or not table_map.may_be_versioned()
