"""Translates whole transactions to batches of changes, by the native core.

The core does what `connector.mysql.binlog.translate` does, for transactions whose tables it knows.
It learns a table when Python has translated rows of it, and forgets all when a definition changes.
"""

from __future__ import annotations

from typing import Final

from connector.capture.change import EventBatch, RowsOfKind
from connector.mysql.binlog.events import RowsChanged
from connector.mysql.binlog.left_out import LeftOutEvents
from connector.mysql.binlog.tablemap import TableMap
from connector.mysql.binlog.tableplans import TablePlans
from connector.mysql.binlog.translate_options import TranslateOptions
from connector.mysql.position.coordinates import Coordinates
from connector.mysql.source_block import SourceBlock
from connector.native import Transaction, TransactionTranslator, transaction_translator

_MOST_KNOWN: Final = 20_000


class BatchTranslator:
    """Translates whole transactions of one connection; moves ``at`` behind them."""

    def __init__(
        self,
        native: TransactionTranslator,
        at: Coordinates,
        plans: TablePlans,
        options: TranslateOptions,
        left_out: LeftOutEvents,
    ) -> None:
        self._native = native
        self._at = at
        self._plans = plans
        self._signals = options.signals
        self._left_out = left_out
        self._known = set[tuple[TableMap, bytes]]()
        self._generation = plans.generation()

    def translate(
        self, transactions: list[Transaction], start: int
    ) -> tuple[list[EventBatch], int]:
        """Translate transactions from a number on.

        Return batches of their changes, and the number of the first transaction that is left:
        Python has to see it, or there are enough changes.
        """
        at = self._at
        if at.query is not None:
            return [], start
        if self._plans.generation() != self._generation or len(self._known) >= _MOST_KNOWN:
            self._forget()
        place = at.file, at.pos, at.gtid, at.has_gtids, at.ts_micros, at.thread
        translated = self._native.translate(transactions, start, place)
        number, batches, filtered, (state, gtids, last_row) = translated
        if number > start:
            at.pass_transactions(number - start, state, gtids, last_row)
            self._left_out.filtered += filtered
        return [
            EventBatch([RowsOfKind(*one) for one in kinds], events) for kinds, events in batches
        ], number

    def learn(self, event: RowsChanged) -> None:
        """Learn how rows are read, from an event that Python has translated."""
        table_map, present, plans = event.table_map, event.present, self._plans
        if table_map is None or (table_map, present) in self._known:
            return
        if plans.generation() != self._generation:
            self._forget()
        if not plans.has(table_map):
            return  # its rows were left out before it was looked at
        self._known.add((table_map, present))
        plan = plans.plan(table_map)
        if plan is None:
            self._native.learn(table_map)
            return
        table, program = plan.codec.table.id, plan.native_program(present)
        if program is not None and table != self._signals:
            captured = plan.codec, table.database, table.table
            self._native.learn(table_map, captured, present, program)

    def _forget(self) -> None:
        self._native.forget()
        self._known.clear()
        self._generation = self._plans.generation()


def batch_translator(
    at: Coordinates,
    plans: TablePlans,
    source: SourceBlock,
    options: TranslateOptions,
    left_out: LeftOutEvents,
) -> BatchTranslator | None:
    """Return what translates whole transactions at once; None if all take Python's way.

    That is so for options that need more of a transaction than its rows.
    """
    needs_more = (
        options.boundaries,
        options.position_headers,
        options.captures_gtid is not None,
        options.reselection is not None,
        "u" in options.skipped,  # an update may turn out to delete a version
    )
    if any(needs_more):
        return None
    constants = source.version, source.connector, source.name
    skipped = "".join(options.skipped & {"c", "d"})
    reads_clock = not options.gtid_times
    native = transaction_translator(constants, skipped, reads_clock=reads_clock)
    return None if native is None else BatchTranslator(native, at, plans, options, left_out)
