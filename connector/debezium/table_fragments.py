"""The ready pieces of which the messages of a table's rows are joined.

What is constant for a table is encoded when its codec is first seen, what is constant for a log
event once an event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

from connector.capture.change import Row
from connector.capture.table_schema import TableEventSchema
from connector.data.fragments import Encode, Fragments
from connector.data.record import Headers
from connector.data.schema import Schema
from connector.debezium.events import moving
from connector.native import EventFrame, NativeColumns, RowWriter, event_frame

_BEFORE, _AFTER, SOURCE, _TRANSACTION, _OP, _END = 0, 1, 2, 3, 4, 8
_KNOWN_NUMBERS = 4096
_STREAMING, _SNAPSHOT = "streaming", "snapshot"

EncodeKey = Callable[[TableEventSchema], Callable[[Row], bytes | None]]


class SourceFragments:
    """The pieces of source blocks, which the tables of a connector share."""

    def __init__(self, schema: Schema, fragments: Fragments, row_slot: int) -> None:
        self.schema = schema
        self.head = fragments.part(schema, 0, row_slot)
        self.tail = fragments.part(schema, row_slot + 1, len(schema.fields))
        self.end = fragments.close(schema)
        self._number = fragments.part(schema, row_slot, row_slot + 1)
        self._row_slot = row_slot
        self._numbers: list[bytes] = []

    def numbers(self, first: int, count: int) -> Sequence[bytes]:
        """Return the fields of the source block that hold the numbers of some rows."""
        known = self._numbers
        last = first + count
        if last > _KNOWN_NUMBERS:
            return [self._row_number(number) for number in range(first, last)]
        if last > len(known):
            known += [self._row_number(number) for number in range(len(known), last)]
        return known[first:last]

    def _row_number(self, number: int) -> bytes:
        return self._number((None,) * self._row_slot + (number,))


class TableFragments:
    """The ready pieces of one table version's envelopes.

    Many tables may be kept: what most of them never need is made when it is needed.
    """

    def __init__(
        self,
        codec: TableEventSchema,
        fragments: Fragments,
        source: SourceFragments,
        encode_key: EncodeKey,
    ) -> None:
        envelope, value = codec.envelope_schema, codec.value_schema
        frame, end = fragments.frame(envelope, codec.topic)
        after = fragments.label(envelope, _AFTER)
        null, self._present = fragments.null(value), fragments.present(value)
        self._fragments = fragments
        self._encode_key = encode_key
        self.codec = codec
        self.topic = codec.topic
        self.moved = moving(codec)
        self.writer: RowWriter | None = None
        self.headers: Headers = []
        self.tombstone_headers: Headers = []
        self._python_contexts: set[str] = set()
        self._opening_size = len(frame) + len(fragments.label(envelope, _BEFORE))
        self.to_after = after + self._present
        self.no_after = after + null
        self.created = frame + fragments.label(envelope, _BEFORE) + null + self.to_after
        self.source = source
        self.source_label = fragments.label(envelope, SOURCE)
        self.whole_source = fragments.nested(envelope, SOURCE)
        self.no_transaction = fragments.part(envelope, _TRANSACTION, _OP)((None,) * _OP)
        self.operation = fragments.part(envelope, _OP, _END)
        self.end = fragments.close(envelope) + end

    @cached_property
    def key(self) -> Callable[[Row], bytes | None]:
        """Writes the key of a row."""
        return self._encode_key(self.codec)

    @cached_property
    def event_frame(self) -> EventFrame:
        """Writes what the rows of an event share, for the native core's writer."""
        source = self.source
        ends = source.end + self.no_transaction
        parts = self.source_label, source.head, source.tail, ends
        return event_frame(parts, self.operation, _OP, self.end)

    @cached_property
    def opened(self) -> bytes:
        """What stands before a row before its change."""
        return self.created[: self._opening_size] + self._present

    @cached_property
    def transaction(self) -> Encode:
        """Writes the block of a transaction."""
        return self._fragments.part(self.codec.envelope_schema, _TRANSACTION, _OP)

    def record_python(self, op: str) -> None:
        """Remember that Python wrote rows of the log, or of a snapshot."""
        self._python_contexts.add(_SNAPSHOT if op == "r" else _STREAMING)

    def native_columns(self) -> Iterator[NativeColumns]:
        """Yield how many columns the native core writes, where rows were written."""
        written = (None, None) if self.writer is None else self.writer.native_columns
        total = len(self.codec.value_schema.fields)
        for context, count in zip((_STREAMING, _SNAPSHOT), written, strict=True):
            if count is not None or context in self._python_contexts:
                native = count or 0
                table = str(self.codec.table.id)
                yield NativeColumns(table, context, native, total - native)

    @cached_property
    def before(self) -> Encode:
        """Writes a row before its change."""
        return self._nested(_BEFORE)

    @cached_property
    def after(self) -> Encode:
        """Writes a row after its change."""
        return self._nested(_AFTER)

    @cached_property
    def _row(self) -> Encode:
        """Writes a row: compiled where the native core does not write all of them."""
        return self._fragments.row(self.codec.value_schema)

    def _nested(self, index: int) -> Encode:
        """Return the function that writes a row into a field of the envelope, behind its label."""
        wrap, row = self._fragments.nested(self.codec.envelope_schema, index), self._row
        return row if wrap is None else lambda values: wrap(row(values))


class EventFragments:
    """The pieces that all rows of one log event share."""

    __slots__ = ("_ending", "_now", "_operation", "_parts", "head", "shape", "source_end")

    def __init__(self, shape: TableFragments, source: Row, now: int) -> None:
        self.shape = shape
        shared = shape.source
        head = shape.source_label + shared.head(source)
        end = shared.tail(source) + shared.end
        self._parts = head, end
        # A source block whose length is written is made as a whole, in place of the numbers.
        self.head, self.source_end = (head, end) if shape.whole_source is None else (b"", b"")
        self._now: tuple[Any, ...] = (now // 1_000_000, now // 1000, now)
        self._operation = ""
        self._ending = b""

    def source(self, row: int) -> bytes:
        """Return the source block with its label."""
        return self.head + self.numbers(row, 1)[0] + self.source_end

    def numbers(self, first: int, count: int) -> Sequence[bytes]:
        """Return what stands between `head` and `source_end` for some rows."""
        shape = self.shape
        numbers, whole = shape.source.numbers(first, count), shape.whole_source
        if whole is None:
            return numbers
        head, end = self._parts
        return [whole(head + number + end) for number in numbers]

    def tail(self, op: str, transaction: bytes) -> bytes:
        """Return what follows the source block."""
        shape = self.shape
        if self._operation != op:
            self._operation = op
            self._ending = shape.operation((None,) * _OP + (op, *self._now)) + shape.end
        return transaction + self._ending
