"""Changes to messages: straight to bytes, or through the transforms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, cast

from connector.capture.change import Change, Row, RowChanges, Truncated
from connector.capture.table_schema import TableEventSchema
from connector.data.fragments import Fragments
from connector.data.record import Header, Message, Record
from connector.data.schema import Schema
from connector.debezium.compiled import CompiledRows, EncodeKey, fragment_keys
from connector.debezium.events import EventOptions, EventRecords
from connector.debezium.position_header import POSITION_HEADER, placed
from connector.debezium.transactions import Transaction
from connector.task.tolerance import Stage


class Converter(Protocol):
    """Writes keys or values."""

    def from_connect(self, topic: str, schema: Schema | None, value: Any) -> bytes | None:
        """Return the bytes of a value; None is a null."""
        ...


class HeaderConverter(Protocol):
    """Writes the values of headers."""

    def from_header(self, name: str, schema: Schema | None, value: Any) -> bytes | None:
        """Return the bytes of a header's value."""
        ...


Transforms = Callable[[Record], Record | None]
PassesOver = Callable[[Stage, Exception, str], bool]  # whether to go on without a record


class Pipeline:
    """Makes the messages of one task. Without transforms rows take the compiled way."""

    def __init__(
        self,
        options: EventOptions,
        key: Converter,
        value: Converter,
        header: HeaderConverter,
        transforms: Sequence[Transforms] = (),
        passes_over: PassesOver = lambda *_: False,
    ) -> None:
        self._options = options
        self.transaction = Transaction(resumes=options.resumes_transactions)
        self._key = key
        self._value = value
        self._header = header
        self._transforms = transforms
        self._passes_over = passes_over
        self._events = EventRecords(options, self.transaction)
        self._compiled: CompiledRows | None = None
        if not transforms and writes_fragments(value):
            self._compiled = CompiledRows(
                options,
                self.transaction,
                cast("Fragments", value),
                self._keys(),
                self._encode_header,
            )

    def messages(self, change: Change) -> Iterable[Message]:
        """Return the messages of a change, in order."""
        if self._compiled is not None and isinstance(change, RowChanges):
            messages = self._compiled.messages(change)
            if change.place is None:
                change.rows = []  # rows may be huge, and their messages may have to wait
                return messages
            return placed(messages, change, change.place, self._options)
        return self._generic(change)

    def _generic(self, change: Change) -> Iterator[Message]:
        for record in self._records(change):
            stage: Stage = "TRANSFORMATION"
            try:
                transformed = self._transformed(record)
                stage = "CONVERSION"
                message = None if transformed is None else self.message(transformed)
            except Exception as error:  # whatever a transform or converter raises
                if not self._passes_over(stage, error, record.topic):
                    raise
            else:
                if message is not None:
                    yield message

    def _records(self, change: Change) -> Iterator[Record]:
        records = self._events.records(change)
        if isinstance(change, (RowChanges, Truncated)) and change.place is not None:
            return placed(records, change, change.place, self._options)
        return records

    def _transformed(self, record: Record) -> Record | None:
        for transform in self._transforms:
            result = transform(record)
            if result is None:
                return None
            record = result
        return record

    def message(self, record: Record) -> Message:
        """Convert a record to bytes."""
        return Message(
            record.topic,
            record.partition,
            self._key.from_connect(record.topic, record.key_schema, record.key),
            self._value.from_connect(record.topic, record.value_schema, record.value),
            [self._encode_header(header) for header in record.headers] or None,
            record.timestamp,
        )

    def _encode_header(self, header: Header) -> tuple[str, bytes | None]:
        if header.name == POSITION_HEADER:  # its readers know no converter
            return header.name, str(header.value).encode()
        value = self._header.from_header(header.name, header.schema, header.value)
        return header.name, value

    def _keys(self) -> EncodeKey:
        if writes_fragments(self._key):
            return fragment_keys(cast("Fragments", self._key))

        def encoder(codec: TableEventSchema) -> Callable[[Row], bytes | None]:
            return lambda row: self._key.from_connect(
                codec.topic, codec.key_schema, codec.key_struct(row)
            )

        return encoder


def writes_fragments(converter: object) -> bool:
    """Whether a converter can write parts of a struct."""
    return all(hasattr(converter, name) for name in ("frame", "label", "part", "row"))
