"""Translates row events of the log to changes of captured tables."""

from __future__ import annotations

from collections.abc import Iterable

from connector.capture.change import CaptureEvent, RowChanges
from connector.errors import ConversionError, ReselectError, SchemaMismatchError
from connector.mysql.binlog.events import RowsChanged
from connector.mysql.binlog.left_out import LeftOutEvents
from connector.mysql.binlog.tableplans import TablePlans
from connector.mysql.binlog.translate_options import TranslateOptions
from connector.mysql.binlog.versions import split_by_kind
from connector.mysql.position.coordinates import Coordinates
from connector.mysql.source_block import SourceBlock


class RowEventTranslator:
    """Turns the row events of one connection into changes.

    The caller sets what a group leaves out: ``events_to_skip`` and ``rows_to_skip`` were processed
    before a restart, and ``ignores`` is true if its source of GTIDs is not captured.
    """

    def __init__(
        self,
        at: Coordinates,
        plans: TablePlans,
        source: SourceBlock,
        options: TranslateOptions,
        left_out: LeftOutEvents,
    ) -> None:
        self.events_to_skip = self.rows_to_skip = 0
        self.ignores = False
        self._at = at
        self._plans = plans
        self._source = source
        self._skipped = options.skipped
        self._reselection = options.reselection
        self._has_position_text = options.position_headers
        self._left_out = left_out

    def changes(self, event: RowsChanged) -> Iterable[CaptureEvent]:
        """Return the changes of an event; none if it is left out."""
        skipped = self._skipped
        if self.events_to_skip or self.ignores or (event.kind in skipped and event.has_final_kind):
            return ()
        if event.table_map is None:
            return self._left_out.fail_without_table(event)
        first, self.rows_to_skip = self.rows_to_skip, 0
        plan = self._plans.plan(event.table_map)
        if self._plans.resolved:
            return self._after_resolution(event, first)
        if plan is None:
            self._left_out.filtered += 1
            return ()
        try:
            rows = plan.rows(event)
            if self._reselection is not None and event.kind != "d":
                lacking, micros = plan.lacking(event), self._at.ts_micros
                rows = self._reselection.complete(plan.codec, rows[first:], lacking, micros)
                rows = [(None, None)] * first + rows
        except (ConversionError, ReselectError, SchemaMismatchError) as error:
            return self._left_out.fail(error)
        event.release_images()
        at = self._at
        at.row = first
        table = plan.codec.table.id
        source = self._source.for_stream(at, table.database, table.table, at.ts_micros)
        if at.query is not None and plan.codec.hides_values:
            source = self._source.without_query(source)
        at.row = max(len(rows) - 1, 0)
        rows = rows[first:] if first else rows
        if not rows:
            return ()
        text = at.position_text if self._has_position_text else None
        if plan.is_versioned:
            return [
                RowChanges(plan.codec, kind, part, source, number, text)
                for kind, part, number in split_by_kind(event.kind, list(rows), first, skipped)
            ]
        return (RowChanges(plan.codec, event.kind, rows, source, first, text),)

    def _after_resolution(self, event: RowsChanged, first: int) -> Iterable[CaptureEvent]:
        """Return the changes of resolved definitions, then those of the rows."""
        resolved = tuple(self._plans.resolved)
        self._plans.resolved.clear()
        self.rows_to_skip = first
        return (*resolved, *self.changes(event))
