"""PARTIAL_UPDATE_ROWS: updates whose JSON columns are written as differences.

MySQL writes them with ``binlog_row_value_options=PARTIAL_JSON``. The image after an update
starts with its options; when these say so, a bitmap over all JSON columns of the table, also
over those that the image lacks, marks those that are differences to the image before
(sql/json_diff.h). Decoded column by column: such events are rare, and applying the differences
costs more than decoding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from connector.capture.change import Row, RowPairs
from connector.capture.columns import ColumnCodec
from connector.errors import ConversionError, SchemaMismatchError
from connector.mysql.binlog.events import RowsChanged
from connector.mysql.binlog.json_diff import DEBEZIUM, apply_diffs
from connector.mysql.session.wire import length_encoded
from connector.mysql.types import fields
from connector.mysql.types.fields import Prefixed, Wire, layout

_PARTIAL_JSON = 1


class PartialDecoder:
    """Decodes the events of one version of a table."""

    def __init__(self, wires: Sequence[Wire], requested: Sequence[tuple[ColumnCodec, int]]) -> None:
        self._layouts = [layout(wire) for wire in wires]
        documents = [index for index, wire in enumerate(wires) if wire.type == fields.JSON]
        self._numbers = {index: number for number, index in enumerate(documents)}
        self._slots: dict[int, tuple[int, ColumnCodec, Callable[[Any], Any]]] = {}
        for slot, (codec, index) in enumerate(requested):
            field = codec.from_log(wires[index])
            self._slots[index] = (slot, codec, field.convert.then(codec.after).function())
            self._layouts[index] = field
        self._unavailable = [codec.unavailable for codec, _ in requested]

    def rows(self, event: RowsChanged) -> RowPairs:
        """Decode the pairs of images of an event."""
        pairs: RowPairs = []
        data, offset = event.data, event.start
        while offset < event.end:
            before, raw, offset = self._image(data, offset, event.present, b"", {})
            options, offset = length_encoded(data, offset)
            partial = b""
            if options & _PARTIAL_JSON:
                size = (len(self._numbers) + 7) // 8
                partial = data[offset : offset + size]
                offset += size
            after, _, offset = self._image(data, offset, event.present_after, partial, raw)
            pairs.append((before, after))
        if offset != event.end:
            raise SchemaMismatchError(
                f"a row image ends {offset - event.end} bytes behind its event"
            )
        return pairs

    def _image(
        self, data: bytes, offset: int, present: bytes, partial: bytes, before: dict[int, bytes]
    ) -> tuple[Row, dict[int, bytes], int]:
        """Decode one image; return it, the raw JSON in it, and the offset behind it."""
        held = [index for index in range(len(self._layouts)) if _bit(present, index)]
        nulls = data[offset : offset + (len(held) + 7) // 8]
        offset += len(nulls)
        values = list(self._unavailable)
        raw: dict[int, bytes] = {}
        for number, index in enumerate(held):
            is_document = index in self._numbers
            is_diff = is_document and bool(partial) and _bit(partial, self._numbers[index])
            if _bit(nulls, number):
                self._put(values, index, None)
                continue
            value, offset = self._layouts[index].read(data, offset)
            if is_diff:
                self._put_changed(values, index, before, value)
                continue
            if is_document:
                raw[index] = value
            self._put(values, index, value)
        return tuple(values), raw, offset

    def _put(self, values: list[Any], index: int, raw: Any) -> None:
        if index in self._slots:
            slot, codec, convert = self._slots[index]
            values[slot] = codec.absent if raw is None else convert(raw)

    def _put_changed(
        self, values: list[Any], index: int, before: dict[int, bytes], diffs: bytes
    ) -> None:
        if index in self._slots:
            slot, codec, _ = self._slots[index]
            field = self._layouts[index]
            written = field.document if isinstance(field, Prefixed) else None
            text = apply_diffs(_document(before, index), diffs, written or DEBEZIUM)
            values[slot] = text if codec.after is None else codec.after.function()(text)


def _document(before: dict[int, bytes], index: int) -> bytes:
    document = before.get(index)
    if document is None:
        raise ConversionError(
            f"column {index + 1} is logged as a difference to a JSON document that the log lacks",
            "Set binlog_row_image=FULL or binlog_row_value_options='' and take a new snapshot.",
        )
    return document


def _bit(bitmap: bytes, number: int) -> int:
    return bitmap[number >> 3] >> (number & 7) & 1
