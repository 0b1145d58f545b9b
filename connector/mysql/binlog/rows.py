"""Row images: a decoder compiled for a table and the columns requested from it.

An image starts with a bitmap of NULLs over the columns it holds. For every bitmap that occurs, a
straight-line function is generated (`connector.mysql.binlog.imagecode`). Their number is
bounded; beyond the limit a plain loop decodes the same values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from connector import native
from connector.capture.change import Row
from connector.capture.columns import ColumnCodec
from connector.codegen import Expression
from connector.errors import SchemaMismatchError
from connector.mysql.binlog.imagecode import HeldColumn, Variant, compile_images
from connector.mysql.types.fields import Wire, layout
from connector.mysql.types.native_columns import image_column

MAX_VARIANTS = 256


class ImageDecoder:
    """Decodes the images of one table version that hold the same columns.

    ``wires`` are the columns of the TABLE_MAP event; ``requested`` gives for each slot of the
    result its codec and the position of its column among the wires. ``present`` is the bitmap
    of the columns that the images hold; a requested column not among them is ``unavailable``.
    """

    def __init__(
        self,
        wires: Sequence[Wire],
        requested: Sequence[tuple[ColumnCodec, int]],
        present: bytes,
    ) -> None:
        slots = {index: slot for slot, (_, index) in enumerate(requested)}
        self._columns = [
            _image_column(wire, slots.get(index), requested)
            for index, wire in enumerate(wires)
            if present[index >> 3] >> (index & 7) & 1
        ]
        self._initial = tuple(codec.unavailable for codec, _ in requested)
        self._bitmap_size = (len(self._columns) + 7) // 8
        # without columns there is no code to generate
        self._variants: dict[bytes, Variant] = {} if self._columns else {b"": self.decode_plainly}

    @cached_property
    def _functions(self) -> list[Callable[[Any], Any]]:
        return [column.convert.function() for column in self._columns]

    def native_columns(self) -> list[native.NativeColumn]:
        """Describe the columns that the images hold to the native core."""
        return [image_column(held.field, held.convert, held.slot) for held in self._columns]

    def decode(self, data: bytes, start: int, end: int) -> list[Row]:
        """Decode all images between two offsets."""
        if start < end and not self._columns:
            raise SchemaMismatchError("row images hold data but no column")
        rows: list[Row] = []
        append = rows.append
        size = self._bitmap_size
        variants = self._variants
        while start < end:
            nulls = data[start : start + size]
            start = (variants.get(nulls) or self._variant(nulls))(data, start, end, append)
        if start != end:
            raise SchemaMismatchError(f"a row image ends {start - end} bytes behind its event")
        return rows

    def decode_one(self, data: bytes, start: int) -> tuple[Row, int]:
        """Decode one image; return it with the offset behind it."""
        rows: list[Row] = []
        nulls = data[start : start + self._bitmap_size]
        variant = self._variants.get(nulls) or self._variant(nulls)
        end = variant(data, start, start + 1, rows.append)
        return rows[0], end

    def _variant(self, nulls: bytes) -> Variant:
        if len(self._variants) >= MAX_VARIANTS:
            return self.decode_plainly
        self._variants[nulls] = variant = compile_images(self._columns, self._initial, nulls)
        return variant

    def decode_plainly(
        self,
        data: bytes,
        start: int,
        end: int,  # noqa: ARG002 - the signature of a variant; it decodes one image only
        append: Callable[[Row], None],
    ) -> int:
        """Decode one image column by column; return the offset behind it."""
        values = list(self._initial)
        offset = start + self._bitmap_size
        for number, column in enumerate(self._columns):
            if data[start + (number >> 3)] >> (number & 7) & 1:
                value = column.absent
            else:
                raw, offset = column.field.read(data, offset)
                value = self._functions[number](raw)
            if column.slot is not None:
                values[column.slot] = value
        append(tuple(values))
        return offset


def _image_column(
    wire: Wire, slot: int | None, requested: Sequence[tuple[ColumnCodec, int]]
) -> HeldColumn:
    if slot is None:
        return HeldColumn(layout(wire), Expression(), None)
    codec = requested[slot][0]
    try:
        field = codec.from_log(wire)
    except SchemaMismatchError as error:
        raise SchemaMismatchError(f"column {codec.column.name}: {error}") from None
    return HeldColumn(field, field.convert.then(codec.after), slot, codec.absent)
