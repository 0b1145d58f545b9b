"""Lets the native core write the messages of rows that it read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from connector import native
from connector.capture.change import EventBatch, RowChanges, RowsOfKind
from connector.data.record import Headers, Message, WriteBatch
from connector.debezium.events import EventOptions
from connector.debezium.table_fragments import EventFragments, TableFragments
from connector.debezium.table_versions import TableVersions
from connector.debezium.transactions import Transaction
from connector.errors import MillraceError
from connector.native import ArrangedKind, DescribedKind, Rows, RowWriter

CREATING: Final = frozenset("cr")


class NativeRows:
    """Writes the rows of tables whose ``shapes`` have a native writer."""

    def __init__(
        self, options: EventOptions, transaction: Transaction, shapes: TableVersions[TableFragments]
    ) -> None:
        self._options = options
        self._transaction = transaction
        self._shapes = shapes

    def messages(
        self, shape: TableFragments, change: RowChanges, rows: Rows, now: int
    ) -> Sequence[Message] | None:
        """Return the messages of a change; None where the core cannot write them."""
        op, first = change.op, change.first_row
        writer = self._writer(shape, op)
        if writer is None or op != rows.kind:
            return None
        if self._counts(op):
            return self._counted(shape, writer, change, rows, now)
        opening, between, before_source = _around_rows(shape, op)
        head, rest = shape.event_frame(op, change.source, now)
        head = before_source + head
        numbers = None if first is None else shape.source.numbers(first, len(rows))
        if first is None:
            head += shape.source.numbers(0, 1)[0]
        around = opening, between, head, numbers, rest
        return writer.messages(rows, around, *self._texts(shape))

    def _counts(self, op: str) -> bool:
        """Whether the events of the running transaction are counted."""
        return self._options.transactions and self._transaction.id is not None and op != "r"

    def _counted(
        self, shape: TableFragments, writer: RowWriter, change: RowChanges, rows: Rows, now: int
    ) -> Sequence[Message] | None:
        """Return messages with their place in the transaction."""
        if change.first_row is None:
            return None
        op, table, count = change.op, change.codec.table.id, self._transaction.event
        event = EventFragments(shape, change.source, now)
        opening, between, before_source = _around_rows(shape, op)
        numbers = [
            number + event.source_end + shape.transaction((None, None, None, count(table)))
            for number in event.numbers(change.first_row, len(rows))
        ]
        around = opening, between, before_source + event.head, numbers, event.tail(op, b"")
        messages = writer.messages(rows, around, *self._texts(shape))
        if messages is None:
            self._transaction.uncount(table, len(rows))  # Python counts them again
        return messages

    def batch(self, batch: EventBatch) -> WriteBatch | None:
        """Return what writes the events of a batch, as `batch_writer` has it."""
        kinds = [self._described(kind) for kind in batch.kinds]
        return batch_writer(batch, kinds, self._options.now())

    def _described(self, kind: RowsOfKind) -> DescribedKind | None:
        """Describe to the core how it writes rows of a kind; None where it does not."""
        try:
            shape = self._shapes.of(kind.codec)
        except MillraceError:
            return None  # its first event raises the error once more
        writer = self._writer(shape, kind.op)
        if writer is None or self._counts(kind.op):
            return None
        numbers = shape.source.numbers(0, kind.longest)
        around, texts = _around_rows(shape, kind.op), self._texts(shape)
        return (writer, shape.event_frame), around, kind.op, numbers, texts

    def _writer(self, shape: TableFragments, op: str) -> RowWriter | None:
        """Return what writes rows of an operation; None where Python does."""
        return None if op == "u" and self._options.skips_unchanged else shape.writer

    def _texts(self, shape: TableFragments) -> tuple[str, Headers, Headers | None]:
        """Return topic and headers of rows, and the headers of tombstones, if there are any."""
        tombstones = shape.tombstone_headers if self._options.tombstones else None
        return shape.topic, shape.headers, tombstones


def batch_writer(
    batch: EventBatch, kinds: Sequence[DescribedKind | ArrangedKind | None], now: int
) -> WriteBatch | None:
    """Return what writes the events of a batch from a number on; None where no kind can be written.

    It returns their messages, and the number of the first event that has to be written by itself:
    that raises the error if it cannot be, behind the messages of those before.
    """
    if not any(kinds):
        return None
    rows = sum(kind.rows for kind in batch.kinds)
    return lambda start: native.write_batch(kinds, batch.events, start, rows, now)


def _around_rows(shape: TableFragments, op: str) -> tuple[bytes, bytes | None, bytes]:
    """Return what stands before the first row, before the second one, before the source block."""
    opening = shape.created if op in CREATING else shape.opened
    return opening, shape.to_after if op == "u" else None, shape.no_after if op == "d" else b""
