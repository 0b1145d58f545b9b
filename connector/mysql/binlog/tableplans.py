"""What to do with the rows of a table in the log: skip them, or how to decode them."""

from __future__ import annotations

import logging
import struct
from collections.abc import Callable
from typing import Literal, Protocol

from connector.capture.change import Row, SchemaChange
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

log = logging.getLogger(__name__)

_MAX_PLANS = 20_000

OnInconsistency = Literal["fail", "warn", "skip"]


class TablePlan:
    """Decodes the rows of one version of a table."""

    def __init__(self, codec: TableEventSchema, table_map: TableMap) -> None:
        self.codec = codec
        self._wires = table_map.wires
        self._wanted = [(column, _index(codec.table, column)) for column in codec.columns]
        hidden = len(table_map.wires) - len(codec.table.columns)
        versioned = hidden == VERSION_COLUMNS and table_map.may_be_versioned()
        self._versions = VersionedRows(table_map.wires) if versioned else None
        self._decoders: dict[bytes, ImageDecoder] = {}
        self._lacking: dict[tuple[bytes, bytes], frozenset[int]] = {}
        self._partial: PartialDecoder | None = None

    @property
    def is_versioned(self) -> bool:
        """Whether updates of the log may be deletions: of rows that come to their end."""
        return self._versions is not None

    def rows(self, event: RowsChanged) -> list[tuple[Row | None, Row | None]]:
        """Decode the rows of an event.

        :raises SchemaMismatchError: when its bytes are no rows of the table.
        """
        try:
            pairs = self._rows(event)
            if self._versions is not None:
                pairs = self._versions.present(event, pairs)
        except (LookupError, ValueError, struct.error) as error:
            raise SchemaMismatchError(
                f"the rows of table {self.codec.table.id} at position {event.header[2]} of the "
                f"log cannot be read ({type(error).__name__})"
            ) from None  # its own text may hold values of the row
        if self.codec.derived:
            complete = self.codec.completed
            return [
                (before and complete(before), after and complete(after)) for before, after in pairs
            ]
        return pairs

    def lacking(self, event: RowsChanged) -> frozenset[int]:
        """Return the slots whose values an event holds neither before nor after the change."""
        bitmaps = event.present, event.present_after
        found = self._lacking.get(bitmaps)
        if found is None:
            found = frozenset(
                slot
                for slot, (_, index) in enumerate(self._wanted)
                if not any(has_column(bitmap, index) for bitmap in bitmaps)
            )
            self._lacking[bitmaps] = found
        return found

    def _rows(self, event: RowsChanged) -> list[tuple[Row | None, Row | None]]:
        if event.partial:
            return self._completed(self._partial_rows(event), event)
        decoder = self._decoder(event.present)
        if event.kind == "c":
            return [(None, row) for row in decoder.decode(event.data, event.start, event.end)]
        if event.kind == "d":
            return [(row, None) for row in decoder.decode(event.data, event.start, event.end)]
        if event.present == event.present_after:
            images = iter(decoder.decode(event.data, event.start, event.end))
            return list(zip(images, images, strict=True))
        pairs = self._unlike_pairs(event, decoder, self._decoder(event.present_after))
        return self._completed(pairs, event)

    def _unlike_pairs(
        self, event: RowsChanged, before: ImageDecoder, after: ImageDecoder
    ) -> list[tuple[Row | None, Row | None]]:
        pairs: list[tuple[Row | None, Row | None]] = []
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

    def _completed(
        self, pairs: list[tuple[Row | None, Row | None]], event: RowsChanged
    ) -> list[tuple[Row | None, Row | None]]:
        """Take what an update did not change from the image before, as far as it is there.

        With ``binlog_row_image=MINIMAL`` only that one has the key.
        """
        unchanged = [
            slot
            for slot, (_, index) in enumerate(self._wanted)
            if has_column(event.present, index) and not has_column(event.present_after, index)
        ]
        if not unchanged:
            return pairs
        return [(old, old and new and _taken(old, new, unchanged)) for old, new in pairs]

    def _partial_rows(self, event: RowsChanged) -> list[tuple[Row | None, Row | None]]:
        if self._partial is None:
            self._partial = PartialDecoder(self._wires, self._wanted)
        return self._partial.rows(event)

    def _decoder(self, present: bytes) -> ImageDecoder:
        decoder = self._decoders.get(present)
        if decoder is None:
            decoder = ImageDecoder(self._wires, self._wanted, present)
            self._decoders[present] = decoder
        return decoder


class Definitions(Protocol):
    """What tells of tables whose rows are not what is known of them."""

    def doubt(self, table: TableId) -> str | None:
        """Return why the known definition of a table may be wrong, None when it is sure."""

    def settle(self, table: TableId) -> None:
        """Take the known definition for right."""

    def find(self, table_map: TableMap) -> list[SchemaChange]:
        """Look for the definition that fits; return the changes by which it became known."""


class TablePlans:
    """The plans of all tables met since the last DDL statement.

    ``hidden_columns``: a table may end in columns that no definition tells of (MariaDB).
    ``repaired`` are the changes of definitions that were found to be wrong, until they are taken.
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
        self.repaired: list[SchemaChange] = []
        self._tables = tables
        self._codec_of = codec_of
        self._captures = captures
        self._on_inconsistency = on_inconsistency
        self._definitions = definitions
        self._hides_columns = hidden_columns
        self._plans: dict[TableMap, TablePlan | None] = {}

    def plan(self, table_map: TableMap | None) -> TablePlan | None:
        """Return how to decode a table's rows; None when they are not wanted.

        :raises UnknownTableError: a captured table whose definition is not known.
        :raises SchemaMismatchError: one whose definition does not fit the log.
        :raises DdlError: one that a statement changed that could not be read.
        """
        if table_map is None:
            return None
        if table_map in self._plans:
            return self._plans[table_map]
        if len(self._plans) >= _MAX_PLANS:  # a table that is opened anew has another description
            self._plans.clear()
        self._plans[table_map] = plan = self._make(table_map)
        return plan

    def clear(self) -> None:
        """Forget the plans: a definition has changed."""
        self._plans.clear()

    def _make(self, table_map: TableMap) -> TablePlan | None:
        name = table_map.table
        if not self._captures(name):
            return None
        if name not in self._tables and table_map.looks_like_sequence():
            return None
        fault = self._fault(table_map)
        # Debezium passes rows of unknown tables over where it is told to: so they stay unknown
        wanted = name in self._tables or self._on_inconsistency == "fail"
        if self._definitions is not None and wanted:
            fault = self._looked_up(table_map, fault, self._definitions)
        table = self._tables.get(name)
        if fault is not None or table is None:
            self._inconsistent(fault or _unknown(name))
            return None
        return TablePlan(self._codec_of(table), table_map)

    def _fault(self, table_map: TableMap) -> StopError | None:
        """Tell why rows cannot be read with what is known of their table."""
        name = table_map.table
        table = self._tables.get(name)
        if table is None:
            return _unknown(name)
        fault = difference(table, table_map, self._hidden(table_map), strict=False)
        return SchemaMismatchError(f"Table {name} is known to {fault}.") if fault else None

    def _looked_up(
        self, table_map: TableMap, fault: StopError | None, definitions: Definitions
    ) -> StopError | None:
        """Find the right definition where the known one is wrong or in doubt."""
        name = table_map.table
        if fault is None and definitions.doubt(name) is None and not self._may_hide(table_map):
            return None
        found = definitions.find(table_map)
        if found:
            self.repaired += found
            self._plans.clear()
            return self._fault(table_map)
        doubt = definitions.doubt(name)
        if doubt is None:
            return fault
        if fault is None and table_map.names:  # the names prove it
            definitions.settle(name)
            return None
        return DdlError(f"What table {name} is like is not sure: {doubt}", _REMEDY)

    def _hidden(self, table_map: TableMap) -> int:
        return table_map.hidden_columns() if self._hides_columns else 0

    def _may_hide(self, table_map: TableMap) -> bool:
        """Whether there are more columns in the log than known, of which it has no names.

        They may be hidden ones, or were added without a word in the log.
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
    "schema.history.internal.skip.unparseable.ddl=true to go on with what is known."
)


def _unknown(name: TableId) -> UnknownTableError:
    return UnknownTableError(
        f"Encountered change event for table {name} whose schema isn't known to this connector."
    )


def has_column(present: bytes, index: int) -> bool:
    """Whether a bitmap of columns has a column."""
    return bool(present[index >> 3] >> (index & 7) & 1)


def _taken(old: Row, new: Row, slots: list[int]) -> Row:
    values = list(new)
    for slot in slots:
        values[slot] = old[slot]
    return tuple(values)


def _index(table: Table, codec: ColumnCodec) -> int:
    return table.columns.index(codec.column)
