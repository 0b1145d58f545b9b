"""Decodes the rows of one version of a table."""

from __future__ import annotations

import struct
from functools import partial

from connector.capture.change import Row, RowPairs
from connector.capture.columns import ColumnCodec
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import Table
from connector.errors import SchemaMismatchError
from connector.mysql.binlog.events import RowsChanged
from connector.mysql.binlog.partial import PartialDecoder
from connector.mysql.binlog.rows import ImageDecoder
from connector.mysql.binlog.tablemap import TableMap
from connector.mysql.binlog.versions import VERSION_COLUMNS, VersionedRows
from connector.native import MAX_BUFFER, RowProgram, Rows, row_program


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
        program = self._program(event.present)
        if program is None:
            return None
        return program.rows(event.data, event.start, event.end, event.kind)

    def native_program(self, present: bytes) -> RowProgram | None:
        """Return what reads all rows with such columns, without Python; None if Python has to."""
        return self._program(present) if self._may_be_native else None

    def _program(self, present: bytes) -> RowProgram | None:
        if present not in self._programs:
            decoder = self._decoder(present)
            columns, slots = decoder.native_columns(), len(self._requested)
            self._programs[present] = row_program(columns, slots, partial(_pairs, decoder))
        return self._programs[present]

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
            start = offset
            old, offset = before.decode_one(event.data, offset)
            new, offset = after.decode_one(event.data, offset)
            if offset == start:  # bitmaps may differ in bits that stand for no column
                raise SchemaMismatchError("row images hold data but no column")
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
