"""Rows of MariaDB's system-versioned tables: which of them are of the past.

An UPDATE of such a table also inserts what the row was before, with the time of its end; a DELETE
is an update of nothing but the time of its end. A SELECT sees such rows only if it is asked for the
past, so they are no rows of the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from connector.capture.change import Row
from connector.capture.columns import ColumnCodec, Expression
from connector.capture.tables import Column
from connector.data.schema import BYTES
from connector.errors import SchemaMismatchError
from connector.mysql.binlog.events import RowsChanged
from connector.mysql.binlog.rows import ImageDecoder
from connector.mysql.types.fields import Wire, layout

VERSION_COLUMNS: Final = 2  # the hidden times of begin and end
# The end of what has not ended: seconds (31 bits; 32 since MariaDB 11.5) and microseconds.
_NEVER: Final = (b"\x7f\xff\xff\xff\x0f\x42\x3f", b"\xff\xff\xff\xff\x0f\x42\x3f")
_END: Final = ColumnCodec(
    Column("row_end", "TIMESTAMP", 0), BYTES, Expression(), layout, None, None
)


class VersionedRows:
    """Tells the rows of the present among inserted ones; the time of their end stands last."""

    def __init__(self, wires: Sequence[Wire]) -> None:
        self._wires = wires
        self._ends: dict[bytes, ImageDecoder] = {}

    def present(
        self, event: RowsChanged, pairs: list[tuple[Row | None, Row | None]]
    ) -> list[tuple[Row | None, Row | None]]:
        """Return what the pairs of an event are for who sees the present only.

        An event whose rows all come to their end becomes one of deletions.

        :raises SchemaMismatchError: some rows of an update come to their end, and others do not.
        """
        if event.kind == "d":
            return pairs
        decoder = self._end(event.present_after)
        ends = [end for (end,) in decoder.decode(event.data, event.start, event.end)]
        if event.kind == "c":
            return [pair for pair, end in zip(pairs, ends, strict=True) if end in _NEVER]
        goes_on = {end in _NEVER for end in ends[1::2]}
        if goes_on == {False}:
            event.kind = "d"
            return [(before, None) for before, _ in pairs]
        if False in goes_on:
            raise SchemaMismatchError("an update of versioned rows ends some of them only")
        return pairs

    def _end(self, present: bytes) -> ImageDecoder:
        decoder = self._ends.get(present)
        if decoder is None:
            decoder = ImageDecoder(self._wires, [(_END, len(self._wires) - 1)], present)
            self._ends[present] = decoder
        return decoder
