"""Random tables and rows, and the row images that a server writes for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from connector.capture.columns import ColumnCodec
from connector.capture.tables import Column
from connector.mysql.types import codec_of
from connector.mysql.types.type_options import TypeOptions
from tests.fixtures.fields_as_bytes import bitmap
from tests.unit.mysql.binlog.kind import Kind
from tests.unit.mysql.binlog.kinds import KINDS

PlainRow = tuple[Any, ...]
OPTIONS = TypeOptions()


@dataclass(frozen=True)
class RandomTable:
    """The columns of a table; ``requested`` are the numbers of those that events have, in order."""

    kinds: tuple[Kind, ...]
    columns: tuple[Column, ...]
    requested: tuple[int, ...]

    def __repr__(self) -> str:
        nullable = [column.optional for column in self.columns]
        return f"RandomTable({self.kinds}, optional={nullable}, requested={self.requested})"

    @property
    def codecs(self) -> list[tuple[ColumnCodec, int]]:
        return [(codec_for(self.columns[number]), number) for number in self.requested]

    def image(self, row: PlainRow, present: Sequence[bool]) -> bytes:
        """Return the image of a row with the columns that are present."""
        held = [(kind, row[number]) for number, kind in enumerate(self.kinds) if present[number]]
        cells = (kind.encode(value) for kind, value in held if value is not None)
        return bitmap([value is None for _, value in held]) + b"".join(cells)

    def connect(self, row: PlainRow, present: Sequence[bool]) -> PlainRow:
        """Return what the events have of such an image.

        What stands for a column that is not present is up to the codec; any value will do.
        """
        return tuple(
            self._connect(number, row[number])
            if present[number]
            else codec_for(self.columns[number]).unavailable
            for number in self.requested
        )

    def _connect(self, number: int, value: Any) -> Any:
        kind = self.kinds[number]
        known = None if value is None else kind.connect(value)
        if known is None and not self.columns[number].optional:
            return kind.fallback
        return known


def codec_for(column: Column, options: TypeOptions = OPTIONS) -> ColumnCodec:
    codec = codec_of(column, options)
    assert codec is not None
    return codec


def table_of(kinds: Sequence[Kind], requested: Sequence[int] | None = None) -> RandomTable:
    columns = tuple(
        replace(kind.column, name=f"c{number}", position=number + 1)
        for number, kind in enumerate(kinds)
    )
    return RandomTable(
        tuple(kinds), columns, tuple(range(len(kinds)) if requested is None else requested)
    )


@st.composite
def tables(draw: st.DrawFn, most: int = 12, kinds: Sequence[Kind] = KINDS) -> RandomTable:
    """Tables of any columns, some of which cannot be NULL and some are not requested."""
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=most))
    table = table_of(chosen, draw(st.permutations(range(len(chosen)))))
    requested = (
        table.requested[: draw(st.integers(0, len(chosen)))] if draw(SELDOM) else table.requested
    )
    columns = tuple(replace(column, optional=draw(st.booleans())) for column in table.columns)
    return replace(table, columns=columns, requested=requested)


@st.composite
def rows_of(draw: st.DrawFn, table: RandomTable) -> PlainRow:
    return tuple(None if draw(SELDOM) else draw(kind.values) for kind in table.kinds)


def bitmaps(table: RandomTable) -> st.SearchStrategy[tuple[bool, ...]]:
    """Columns that images hold: all of them, or some as with ``binlog_row_image=MINIMAL``."""
    size = len(table.kinds)
    some = st.lists(st.booleans(), min_size=size, max_size=size).map(tuple).filter(any)
    return st.just((True,) * size) | some


SELDOM = st.integers(0, 3).map(lambda number: number == 3)
