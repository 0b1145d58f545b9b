"""Selects the present rows of MariaDB's system-versioned tables.

An UPDATE of such a table also inserts the previous row, with the time of its end; a DELETE updates
only the time of the end. A SELECT returns such rows only if it requests history, so they are not
rows of the table. If a trigger deletes rows and updates others, one event has both.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from itertools import groupby
from typing import Final

from connector.capture.change import RowPairs
from connector.capture.columns import ColumnCodec
from connector.capture.tables import Column
from connector.codegen import Expression
from connector.data.schema import BYTES
from connector.mysql.binlog.events import RowsChanged, RowsKind
from connector.mysql.binlog.rows import ImageDecoder
from connector.mysql.types.fields import Wire, layout

VERSION_COLUMNS: Final = 2  # the hidden times of begin and end
# The end of a row that has not ended: seconds (31 bits; 32 since MariaDB 11.5) and microseconds. An
# image without it does not change it (binlog_row_image=MINIMAL).
_NEVER: Final = (b"\x7f\xff\xff\xff\x0f\x42\x3f", b"\xff\xff\xff\xff\x0f\x42\x3f", None)
_END: Final = ColumnCodec(
    Column("row_end", "TIMESTAMP", 0), BYTES, Expression(), layout, None, None
)


class VersionedRows:
    """Selects present rows by the time of their end, which is the last column."""

    def __init__(self, wires: Sequence[Wire]) -> None:
        self._wires = wires
        self._ends: dict[bytes, ImageDecoder] = {}

    def present(self, event: RowsChanged, pairs: RowPairs) -> RowPairs:
        """Return the pairs of an event without history.

        A row whose end an update sets is deleted: it has no image after.
        """
        if event.kind == "d":
            return pairs
        ends = self._ends_of(event)
        if event.kind == "c":
            return [pair for pair, end in zip(pairs, ends, strict=True) if end in _NEVER]
        return [
            (before, after if end in _NEVER else None)
            for (before, after), end in zip(pairs, ends, strict=True)
        ]

    def _ends_of(self, event: RowsChanged) -> list[bytes | None]:
        """Return when each row ends after the event; None where its image lacks it."""
        before, after = self._end(event.present), self._end(event.present_after)
        data, offset = event.data, event.start
        if event.kind == "c" or before is after:
            ends = [end for (end,) in after.decode(data, offset, event.end)]
            return ends if event.kind == "c" else ends[1::2]
        ends = []
        while offset < event.end:
            _, offset = before.decode_one(data, offset)
            (end,), offset = after.decode_one(data, offset)
            ends.append(end)
        return ends

    def _end(self, present: bytes) -> ImageDecoder:
        decoder = self._ends.get(present)
        if decoder is None:
            decoder = ImageDecoder(self._wires, [(_END, len(self._wires) - 1)], present)
            self._ends[present] = decoder
        return decoder


def split_by_kind(
    kind: RowsKind, rows: RowPairs, first: int, skipped: Container[str]
) -> Iterator[tuple[RowsKind, RowPairs, int]]:
    """Split the rows of an event into runs of updates and of deletions, without skipped kinds.

    Each part has its kind and the number of its first row; ``first`` is that of ``rows[0]``.
    """
    if kind != "u":
        if kind not in skipped:
            yield kind, rows, first
        return
    for goes_on, part in groupby(rows, lambda pair: pair[1] is not None):
        pairs = list(part)
        kind = "u" if goes_on else "d"
        if kind not in skipped:
            yield kind, pairs, first
        first += len(pairs)
