"""Decides for each table in the log whether its rows are skipped or how they are decoded."""

from __future__ import annotations

import logging
import struct
from collections.abc import Callable
from functools import partial
from typing import Literal, Protocol

from connector.capture.change import Row, RowPairs, SchemaChange
from connector.capture.columns import ColumnCodec
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import Table, TableId, Tables
from connector.errors import DdlError, SchemaMismatchError, StopError, UnknownTableError
from connector.mysql.binlog.events import RowsChanged
from connector.mysql.binlog.fitting import difference
from connector.mysql.binlog.partial import PartialDecoder
from connector.mysql.binlog.rows import ImageDecoder
from connector.mysql.binlog.tablemap import TableMap
from connector.mysql.binlog.versions import VERSION_COLUMNS, VersionedRows
from connector.native import MAX_BUFFER, RowProgram, Rows, row_program

log = logging.getLogger(__name__)

_MAX_PLANS = 20_000

OnInconsistency = Literal["fail", "warn", "skip"]


class TablePlan:
    """Decodes the rows of one version of a table."""

    def __init__(self, codec: TableEventSchema, table_map: TableMap) -> None:
        self.codec = codec
        self._wires = table_map.wires
        self._requested = [(column, _index(codec.table, column)) for column in codec.columns]
        hidden = len(table_map.wires) - len(codec.table.columns)
        versioned = hidden == VERSION_COLUMNS and table_map.may_be_versioned()
        self._versions = VersionedRows(table_map.wires) if versioned else None
        self._decoders: dict[bytes, ImageDecoder] = {}
        self._programs: dict[bytes, RowProgram | None] = {}
        self._may_be_native = self._versions is None and not codec.derived
        self._lacking: dict[tuple[bytes, bytes], frozenset[int]] = {}
        self._partial: PartialDecoder | None = None

    @property
    def is_versioned(self) -> bool:
        """Whether an update of the log may be a deletion: of a row whose end it sets."""
        return self._versions is not None

    def rows(self, event: RowsChanged) -> RowPairs | Rows:
        """Decode the rows of an event.

        :raises SchemaMismatchError: its bytes are not rows of the table.
        """
        try:
            if self._may_be_native:
                rows = self._native_rows(event)
                if rows is not None:
                    return rows
            pairs = self._rows(event)
            if self._versions is not None:
                pairs = self._versions.present(event, pairs)
        except (LookupError, ValueError, struct.error) as error:
            raise SchemaMismatchError(
                f"the rows of table {self.codec.table.id} at position {event.header[2]} of the "
                f"log cannot be read ({type(error).__name__})"
            ) from None  # its own text may hold values of the row
        if self.codec.derived:
            derive = self.codec.with_derived
            return [(before and derive(before), after and derive(after)) for before, after in pairs]
        return pairs

    def lacking(self, event: RowsChanged) -> frozenset[int]:
        """Return the slots whose values an event holds neither before nor after the change."""
        bitmaps = event.present, event.present_after
        found = self._lacking.get(bitmaps)
        if found is None:
            found = frozenset(
                slot
                for slot, (_, index) in enumerate(self._requested)
                if not any(has_column(bitmap, index) for bitmap in bitmaps)
            )
            self._lacking[bitmaps] = found
        return found

    def _native_rows(self, event: RowsChanged) -> Rows | None:
        """Return the rows as the native core reads them; None if it does not."""
        if event.partial or (event.kind == "u" and event.present != event.present_after):
            return None
        if len(event.data) > MAX_BUFFER:  # rows of the core keep all of it
            return None
        present = event.present
        if present not in self._programs:
            decoder = self._decoder(present)
            columns, slots = decoder.native_columns(), len(self._requested)
            self._programs[present] = row_program(columns, slots, partial(_pairs, decoder))
        program = self._programs[present]
        if program is None:
            return None
        return program.rows(event.data, event.start, event.end, event.kind)

    def _rows(self, event: RowsChanged) -> RowPairs:
        if event.partial:
            return self._fill_unchanged(self._partial_rows(event), event)
        decoder = self._decoder(event.present)
        if event.kind != "u" or event.present == event.present_after:
            return _pairs(decoder, event.kind, event.data, event.start, event.end)
        pairs = self._pairs_of_unequal_images(event, decoder, self._decoder(event.present_after))
        return self._fill_unchanged(pairs, event)

    def _pairs_of_unequal_images(
        self, event: RowsChanged, before: ImageDecoder, after: ImageDecoder
    ) -> RowPairs:
        pairs: RowPairs = []
        offset = event.start
        while offset < event.end:
            old, offset = before.decode_one(event.data, offset)
            new, offset = after.decode_one(event.data, offset)
            pairs.append((old, new))
        if offset != event.end:
            raise SchemaMismatchError(
                f"a row image ends {offset - event.end} bytes behind its event"
            )
        return pairs

    def _fill_unchanged(self, pairs: RowPairs, event: RowsChanged) -> RowPairs:
        """Copy columns that the image after lacks from the image before.

        With ``binlog_row_image=MINIMAL`` only the image before has the key.
        """
        unchanged = [
            slot
            for slot, (_, index) in enumerate(self._requested)
            if has_column(event.present, index) and not has_column(event.present_after, index)
        ]
        if not unchanged:
            return pairs
        return [(old, old and new and _copy_slots(old, new, unchanged)) for old, new in pairs]

    def _partial_rows(self, event: RowsChanged) -> RowPairs:
        if self._partial is None:
            self._partial = PartialDecoder(self._wires, self._requested)
        return self._partial.rows(event)

    def _decoder(self, present: bytes) -> ImageDecoder:
        decoder = self._decoders.get(present)
        if decoder is None:
            decoder = ImageDecoder(self._wires, self._requested, present)
            self._decoders[present] = decoder
        return decoder


class Definitions(Protocol):
    """Resolves definitions that are missing, wrong or unresolved."""

    def unresolved_reason(self, table: TableId) -> str | None:
        """Return why the schema of a table is unresolved, None if it is not."""

    def mark_resolved(self, table: TableId) -> None:
        """Confirm the tracked definition."""

    def resolve(self, table_map: TableMap) -> list[SchemaChange]:
        """Find the definition that fits; return the changes that define it."""


class TablePlans:
    """The plans of all tables met since the last DDL statement.

    ``hidden_columns``: a table may end in columns that are in no definition (MariaDB).
    ``resolved`` are the changes of definitions that proved wrong, until the caller clears them.
    """

    def __init__(
        self,
        tables: Tables,
        codec_of: Callable[[Table], TableEventSchema],
        captures: Callable[[TableId], bool],
        on_inconsistency: OnInconsistency,
        definitions: Definitions | None = None,
        *,
        hidden_columns: bool = False,
    ) -> None:
        self.resolved: list[SchemaChange] = []
        self._tables = tables
        self._codec_of = codec_of
        self._captures = captures
        self._on_inconsistency = on_inconsistency
        self._definitions = definitions
        self._hides_columns = hidden_columns
        self._plans: dict[TableMap, TablePlan | None] = {}
        self._version = tables.version

    def plan(self, table_map: TableMap | None) -> TablePlan | None:
        """Return how to decode a table's rows; None if they are skipped.

        :raises UnknownTableError: the definition of a captured table is unknown.
        :raises SchemaMismatchError: the definition does not fit the log.
        :raises DdlError: a statement that could not be parsed may have changed the table.
        """
        if table_map is None:
            return None
        if self._tables.version != self._version:
            self.clear()
        if table_map in self._plans:
            return self._plans[table_map]
        if len(self._plans) >= _MAX_PLANS:  # a table that is reopened has another description
            self._plans.clear()
        self._plans[table_map] = plan = self._make(table_map)
        return plan

    def clear(self) -> None:
        """Discard the plans: a definition has changed."""
        self._plans.clear()
        self._version = self._tables.version

    def _make(self, table_map: TableMap) -> TablePlan | None:
        name = table_map.table
        if not self._captures(name):
            return None
        if name not in self._tables and table_map.looks_like_sequence():
            return None
        fault = self._fault(table_map)
        # Debezium skips rows of unknown tables if configured so: such tables stay unknown
        resolves = name in self._tables or self._on_inconsistency == "fail"
        if self._definitions is not None and resolves:
            fault = self._resolve(table_map, fault, self._definitions)
        table = self._tables.get(name)
        if fault is not None or table is None:
            self._inconsistent(fault or _unknown(name))
            return None
        return TablePlan(self._codec_of(table), table_map)

    def _fault(self, table_map: TableMap) -> StopError | None:
        """Return why the tracked definition cannot decode the rows, None if it can."""
        name = table_map.table
        table = self._tables.get(name)
        if table is None:
            return _unknown(name)
        fault = difference(table, table_map, self._hidden(table_map), strict=False)
        if fault is None:
            return None
        return SchemaMismatchError(
            f"The definition of table {name} does not match its rows in the binlog: {fault}."
        )

    def _resolve(
        self, table_map: TableMap, fault: StopError | None, definitions: Definitions
    ) -> StopError | None:
        """Replace a definition that is wrong or unresolved; return the error that remains."""
        name = table_map.table
        if (
            fault is None
            and definitions.unresolved_reason(name) is None
            and not self._may_hide(table_map)
        ):
            return None
        changes = definitions.resolve(table_map)
        if changes:
            self.resolved += changes
            self._plans.clear()
            return self._fault(table_map)
        reason = definitions.unresolved_reason(name)
        if reason is None:
            return fault
        if fault is None and table_map.names:  # the names confirm it
            definitions.mark_resolved(name)
            return None
        return DdlError(f"The schema of table {name} is unresolved: {reason}", _REMEDY)

    def _hidden(self, table_map: TableMap) -> int:
        return table_map.hidden_columns() if self._hides_columns else 0

    def _may_hide(self, table_map: TableMap) -> bool:
        """Whether the log has more columns than the definition, and no names of them.

        They may be hidden ones, or were added by a statement that is not in the log.
        """
        table = self._tables.get(table_map.table)
        more = table is not None and len(table_map.wires) > len(table.columns)
        return more and not table_map.names

    def _inconsistent(self, error: StopError) -> None:
        if self._on_inconsistency == "fail":
            raise error
        level = logging.WARNING if self._on_inconsistency == "warn" else logging.DEBUG
        log.log(level, "%s Its events are skipped.", error)


_REMEDY = (
    "Restart the connector with snapshot.mode=recovery if no table has changed since, set "
    "binlog_row_metadata=FULL before such statements, or set "
    "schema.history.internal.skip.unparseable.ddl=true to continue with the tracked definition."
)


def _unknown(name: TableId) -> UnknownTableError:
    return UnknownTableError(
        f"Encountered change event for table {name} whose schema isn't known to this connector."
    )


def _pairs(decoder: ImageDecoder, kind: str, data: bytes, start: int, end: int) -> RowPairs:
    """Decode rows all of whose images hold the same columns."""
    images = decoder.decode(data, start, end)
    if kind == "c":
        return [(None, row) for row in images]
    if kind == "d":
        return [(row, None) for row in images]
    rows = iter(images)
    return list(zip(rows, rows, strict=True))


def has_column(present: bytes, index: int) -> bool:
    """Whether a bitmap of columns has a column."""
    return bool(present[index >> 3] >> (index & 7) & 1)


def _copy_slots(old: Row, new: Row, slots: list[int]) -> Row:
    values = list(new)
    for slot in slots:
        values[slot] = old[slot]
    return tuple(values)


def _index(table: Table, codec: ColumnCodec) -> int:
    return table.columns.index(codec.column)
