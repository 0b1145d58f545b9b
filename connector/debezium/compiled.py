"""Row changes straight to bytes: the same messages as `connector.debezium.events` leads to.

They are joined from the ready pieces of `connector.debezium.table_fragments`; a row costs its own
columns and one join.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

from connector.capture.change import EventBatch, Row, RowChanges
from connector.capture.table_schema import TableEventSchema
from connector.data.fragments import Fragments
from connector.data.record import (
    EncodeHeader,
    Header,
    Headers,
    Message,
    SchemaHeadersOf,
    WriteBatch,
)
from connector.data.schema import Schema
from connector.debezium.events import NEW_KEY, OLD_KEY, EventOptions, numbered_rows
from connector.debezium.native_messages import row_writer
from connector.debezium.native_rows import CREATING, NativeRows
from connector.debezium.table_fragments import (
    SOURCE,
    EncodeKey,
    EventFragments,
    SourceFragments,
    TableFragments,
)
from connector.debezium.table_versions import TableVersions
from connector.debezium.transactions import Transaction
from connector.native import NativeColumns, is_native

_join = b"".join
_new = tuple.__new__  # half the time of calling a named tuple


def no_headers(topic: str, schema: Schema | None) -> Headers:  # noqa: ARG001 - others have ids
    """Return no headers: ids stand before keys and values, or there are none."""
    return []


class CompiledRows:
    """Writes the messages of row changes; ``encode_key`` gives the key writer of a table.

    ``keys`` is the converter of keys, if it can write parts: then the native core may write them.
    ``schema_headers`` return the headers with the ids of the schemas of keys, and of values.
    """

    def __init__(
        self,
        options: EventOptions,
        transaction: Transaction,
        fragments: Fragments,
        encode_key: EncodeKey,
        encode_header: EncodeHeader,
        keys: Fragments | None = None,
        schema_headers: tuple[SchemaHeadersOf, SchemaHeadersOf] = (no_headers, no_headers),
    ) -> None:
        self._options = options
        self._schema_headers = schema_headers
        self._transaction = transaction
        self._fragments = fragments
        self._encode_key = encode_key
        self._keys = keys
        self._encode_header = encode_header
        self._headers: Headers = [encode_header(header) for header in options.context_headers]
        self._shapes = TableVersions(self._shape)
        self._native = NativeRows(options, transaction, self._shapes)
        self._source: SourceFragments | None = None

    def messages(self, change: RowChanges) -> Sequence[Message]:
        """Return the messages of a change, in order."""
        shape = self._shapes.of(change.codec)
        now = self._options.now()
        if is_native(change.rows):
            written = self._native.messages(shape, change, change.rows, now)
            if written is not None:
                return written
        event = EventFragments(shape, change.source, now)
        shape.record_python(change.op)
        if not self._orders or change.op == "r":
            if change.op in CREATING:
                return self._write_inserts(event, change)
            if change.op == "u" and not self._options.skips_unchanged:
                return self._write_updates(event, change)
        messages: list[Message] = []
        moved = shape.moved
        numbered = change.first_row is not None
        middle = b"" if numbered else event.source(0)
        for number, (before, after) in numbered_rows(change, self._options):
            if numbered:
                middle = event.source(number)
            if before is not None and after is not None and moved(before, after):
                messages += self._move(event, before, after, middle)
                continue
            rest = middle + self._tail(event, change.op)
            if after is None:
                messages += self._delete(event, before, rest)
            else:
                messages.append(self._present(shape, before, after, rest))
        return messages

    def batch(self, batch: EventBatch) -> WriteBatch | None:
        """Return what writes the events of a batch, as `batch_writer` has it."""
        return self._native.batch(batch)

    def writes_schema_headers(self, codec: TableEventSchema) -> bool:
        """Whether messages of a table have headers with the ids of schemas."""
        return len(self._shapes.of(codec).headers) > len(self._headers)

    def native_columns(self) -> list[NativeColumns]:
        """Return how many columns the native core writes, for each table; any thread may ask."""
        return [found for shape in self._shapes.results() for found in shape.native_columns()]

    def _write_inserts(self, event: EventFragments, change: RowChanges) -> list[Message]:
        """Write rows that are new, which is most of what there is to write."""
        shape = event.shape
        headers = shape.headers
        topic, key, row, created = shape.topic, shape.key, shape.after, shape.created
        tail = event.tail(change.op, shape.no_transaction)
        if change.first_row is None:
            rest = event.source(0) + tail
            return [
                _new(Message, (topic, None, key(r), _join((created, row(r), rest)), headers, None))
                for _, r in change.rows
                if r is not None
            ]
        head, rest = event.head, event.source_end + tail
        return [
            _new(
                Message,
                (topic, None, key(r), _join((created, row(r), head, n, rest)), headers, None),
            )
            for n, (_, r) in zip(
                event.numbers(change.first_row, len(change.rows)), change.rows, strict=True
            )
            if r is not None
        ]

    def _write_updates(self, event: EventFragments, change: RowChanges) -> list[Message]:
        """Write rows that were changed; those whose key was are the exception.

        A row leaves the change and its values go as soon as they are written: they may be huge.
        """
        shape = event.shape
        headers = shape.headers
        topic, key, moved = shape.topic, shape.key, shape.moved
        write_before, write_after = shape.before, shape.after
        opened, to_after, head = shape.opened, shape.to_after, event.head
        rest = event.source_end + event.tail("u", shape.no_transaction)
        messages: list[Message] = []
        numbers = event.numbers(change.first_row or 0, len(change.rows))
        rows = list(change.rows[::-1])
        if change.position_text is None:
            change.rows = []
        for n in numbers:
            before, after = rows.pop()
            assert before is not None
            assert after is not None
            if moved(before, after):
                messages += self._move(event, before, after, head + n + event.source_end)
                continue
            key_text = key(after)
            old, before = write_before(before), None
            new, after = write_after(after), None
            value = _join((opened, old, to_after, new, head, n, rest))
            messages.append(_new(Message, (topic, None, key_text, value, headers, None)))
        return messages

    def _present(
        self, shape: TableFragments, before: Row | None, after: Row, rest: bytes
    ) -> Message:
        written = shape.after(after)
        if before is None:
            value = _join((shape.created, written, rest))
        else:
            value = _join((shape.opened, shape.before(before), shape.to_after, written, rest))
        fields = (shape.topic, None, shape.key(after), value, shape.headers, None)
        return _new(Message, fields)

    def _delete(
        self, event: EventFragments, before: Row | None, rest: bytes, moved: Sequence[Any] = ()
    ) -> list[Message]:
        """Write a row that is gone; ``moved`` is the header with its new key, if it has one."""
        assert before is not None
        shape = event.shape
        headers = [*moved, *shape.headers]
        key = shape.key(before)
        value = _join((shape.opened, shape.before(before), shape.no_after, rest))
        messages = [Message(shape.topic, None, key, value, headers)]
        if self._options.tombstones:
            headers = [*moved, *shape.tombstone_headers]
            messages.append(Message(shape.topic, None, key, None, headers))
        return messages

    def _move(self, event: EventFragments, before: Row, after: Row, middle: bytes) -> list[Message]:
        """Write an update that changes the key: the old row goes, the new one comes."""
        shape = event.shape
        codec = shape.codec
        to_new = Header(NEW_KEY, codec.key_schema, codec.key_struct(after))
        to_old = Header(OLD_KEY, codec.key_schema, codec.key_struct(before))
        moved = [self._encode_header(to_new)]
        messages = self._delete(event, before, middle + self._tail(event, "d"), moved)
        headers = [self._encode_header(to_old), *shape.headers]
        value = _join((shape.created, shape.after(after), middle, self._tail(event, "c")))
        messages.append(Message(shape.topic, None, shape.key(after), value, headers))
        return messages

    @property
    def _orders(self) -> bool:
        """Whether the events of the running transaction are counted."""
        return self._options.transactions and self._transaction.id is not None

    def _tail(self, event: EventFragments, op: str) -> bytes:
        if not self._orders:
            return event.tail(op, event.shape.no_transaction)
        block = self._transaction.event(event.shape.codec.table.id)
        return event.tail(op, event.shape.transaction((None, None, None, block)))

    def _shape(self, codec: TableEventSchema) -> TableFragments:
        source = codec.envelope_schema.fields[SOURCE].schema
        if self._source is None or self._source.schema is not source:
            self._source = SourceFragments(source, self._fragments, self._options.row_slot)
        shape = TableFragments(codec, self._fragments, self._source, self._encode_key)
        shape.writer = row_writer(codec, self._fragments, self._keys)
        if shape.writer is None:
            shape.key = self._encode_key(codec)  # a registry is asked before any event is counted
        key_headers, value_headers = self._schema_headers
        shape.tombstone_headers = self._headers + key_headers(codec.topic, codec.key_schema)
        ids = value_headers(codec.topic, codec.envelope_schema)
        shape.headers = shape.tombstone_headers + ids
        return shape


def fragment_keys(fragments: Fragments) -> EncodeKey:
    """Return how keys are written by a converter that can write parts."""

    def encoder(codec: TableEventSchema) -> Callable[[Row], bytes | None]:
        schema = codec.key_schema
        if schema is None:
            return lambda _: None
        before, after = fragments.frame(schema, codec.topic)
        write = fragments.row(schema)
        slots, constants = codec.key_slots, codec.key_constants
        if constants:
            return lambda row: before + write((*(row[at] for at in slots), *constants)) + after
        if len(codec.key_slots) == 1:
            slot = codec.key_slots[0]
            return lambda row: before + write((row[slot],)) + after
        pick = itemgetter(*codec.key_slots)
        return lambda row: before + write(pick(row)) + after

    return encoder
