"""Changes to messages: straight to bytes, or through the transforms."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from typing import Any, Protocol, TypeVar, runtime_checkable

from connector.capture.change import Change, EventBatch, RowChanges
from connector.data.fragments import Fragments
from connector.data.record import (
    ApplyTransform,
    EncodeHeader,
    Header,
    Message,
    Record,
    SchemaHeadersOf,
    WriteBatch,
)
from connector.data.schema import Schema
from connector.data.symbolic import NotCompilableError
from connector.errors import ConversionError, RegistryUnavailableError, SchemaRefusedError
from connector.native import NativeColumns
from connector.plugin import Converter, TaskConverters
from connector.task.row_groups import RowGroup, write_batch, write_group
from connector.task.tolerance import Stage

log = logging.getLogger(__name__)

SkipRecord = Callable[[Stage, Exception, str], bool]
T = TypeVar("T")
AwaitRegistry = Callable[[RegistryUnavailableError | None, int], None]


def _raise(error: RegistryUnavailableError | None, _: int) -> None:
    if error is not None:
        raise error


class TransactionCounter(Protocol):
    """Counts the events of the transaction in progress."""

    def to_offset(self) -> dict[str, Any]:
        """Return what an offset needs to continue in the middle of the transaction."""
        ...

    def restore(self, offset: Mapping[str, Any]) -> None:
        """Continue with the counts of an offset."""


@runtime_checkable
class SchemaHeaders(Protocol):
    """A converter that may write the ids of schemas into the headers of messages."""

    writes_headers: bool

    def schema_headers(self, topic: str, schema: Schema, /) -> list[tuple[str, bytes | None]]:
        """Return the headers that go with a key or value that is not null."""


@runtime_checkable
class RecordConverter(Protocol):
    """A converter of values that may need the headers of the record."""

    def from_record(self, record: Record, /) -> bytes | None:
        """Return the bytes of the record's value."""


class EventEncoder(Protocol):
    """Encodes changes in an event format, such as Debezium's."""

    @property
    def transaction(self) -> TransactionCounter:
        """The transaction in progress."""
        ...

    @property
    def plain_headers(self) -> AbstractSet[str]:
        """The names of the headers that are text, whatever the header converter."""
        ...

    def records(self, change: Change) -> Iterator[Record]:
        """Return the records of a change, in order."""
        ...

    def compile_rows(
        self,
        value: Fragments,
        key: Converter,
        encode_header: EncodeHeader,
        schema_headers: tuple[SchemaHeadersOf, SchemaHeadersOf],
    ) -> Callable[[RowChanges], Iterable[Message]]:
        """Return a function that writes row changes without records in between.

        It raises `NotCompilableError` for a change that has to take the generic path.

        :param schema_headers: the headers with the ids of the schemas of keys, and of values.
        """
        ...

    def batch(self, batch: EventBatch, /) -> WriteBatch | None:
        """Return what writes the events of a batch; None where each is written by itself.

        It writes as what `compile_rows` or `compile_chain` returned.
        """
        ...

    def native_columns(self) -> Sequence[NativeColumns]:
        """Return how many columns the native core writes; any thread may ask."""
        ...

    def compile_chain(
        self,
        converters: tuple[Converter, Converter, EncodeHeader],
        transform: ApplyTransform,
        timestamp: Callable[[Record], int | None],
    ) -> Callable[[RowChanges], Iterable[Message]]:
        """Return a function that writes row changes through compilable transforms.

        It raises `NotCompilableError` for a change that has to take the generic path.
        """
        ...


class Pipeline:
    """Makes the messages of one task. Rows take the compiled path if the transforms allow it.

    ``compilable``: all transforms may run on symbols (`connector.data.symbolic`).
    ``skip`` decides whether to continue without a record that cannot be transformed or converted.
    ``await_registry`` waits before a schema registry is asked again, for the n-th time; without an
    error it has answered.
    """

    def __init__(
        self,
        encoder: EventEncoder,
        converters: TaskConverters,
        transforms: Sequence[ApplyTransform] = (),
        skip: SkipRecord = lambda *_: False,
        await_registry: AwaitRegistry = _raise,
        *,
        compilable: bool = False,
    ) -> None:
        self._encoder = encoder
        self.transaction = encoder.transaction
        self._key = converters.key
        self._value = value = converters.value
        self._value_of = (
            value.from_record
            if isinstance(value, RecordConverter)
            else lambda record: value.from_connect(record.topic, record.value_schema, record.value)
        )
        self._header = converters.header
        self._transforms = transforms
        self._skip = skip
        self._await_registry = await_registry
        self._compiled: Callable[[RowChanges], Iterable[Message]] | None = None
        self._with_ids = any(map(_writes_headers, (converters.key, converters.value)))
        if (self._with_ids and transforms) or not isinstance(value, Fragments):
            _log_generic_path(value, with_ids=self._with_ids)
            return
        key, header = converters.key, self._encode_header
        if not transforms:
            ids = (partial(_headers_of, key), partial(_headers_of, value))
            self._compiled = encoder.compile_rows(value, key, header, ids)
        elif compilable:
            writing = (value, key, header)
            self._compiled = encoder.compile_chain(writing, self._transform, _timestamp)

    def messages(self, change: Change) -> Iterable[Message]:
        """Return the messages of a change, in order."""
        if self._compiled is not None and isinstance(change, RowChanges):
            # A registry is asked when a table version is compiled, before any event is counted.
            try:
                try:
                    return self._compiled(change)
                except RegistryUnavailableError as error:
                    return self._ask_again(partial(self._compiled, change), error)
            except (NotCompilableError, SchemaRefusedError):
                return self._convert(change)  # which decides on each record
        return self._convert(change)

    def write(self, rows: RowGroup | EventBatch, parts: list[Iterable[Message]]) -> None:
        """Add the messages of all changes to ``parts``; those before one that fails are there."""
        if isinstance(rows, EventBatch):
            write_batch(rows, self._encoder.batch(rows), self.messages, parts)
        else:
            write_group(rows, self.messages, parts)

    def _convert(self, change: Change) -> Iterator[Message]:
        """Write a change on the generic path: records, transforms, converters.

        A wait for the schema registry is outside of what may skip a record: the task may stop
        or fail while it waits. The transforms, which may change a record in place, run once.
        """
        for record in self._encoder.records(change):
            topic = record.topic
            transformed = self._or_skip("TRANSFORMATION", topic, self._transform, record)
            if transformed is None:
                continue
            converted = partial(self._or_skip, "CONVERSION", topic, self.message, transformed)
            try:
                message = converted()
            except RegistryUnavailableError as error:
                message = self._ask_again(converted, error)
            if message is not None:
                yield message

    def _or_skip(
        self, stage: Stage, topic: str, step: Callable[[Record], T | None], record: Record
    ) -> T | None:
        """Return the result of a step; None if it dropped the record, or if it is skipped."""
        try:
            return step(record)
        except RegistryUnavailableError:
            raise
        except Exception as error:  # whatever a transform or converter raises
            if self._skip(stage, error, topic):
                return None
            raise

    def _ask_again(self, request: Callable[[], T], error: RegistryUnavailableError) -> T:
        """Repeat a request until the schema registry answers."""
        attempt = 1
        while True:
            self._await_registry(error, attempt)
            try:
                result = request()
            except RegistryUnavailableError as next_error:
                error = next_error
                attempt += 1
            else:
                self._await_registry(None, attempt)
                return result

    def _transform(self, record: Record) -> Record | None:
        for transform in self._transforms:
            result = transform(record)
            if result is None:
                return None
            record = result
        return record

    def message(self, record: Record) -> Message:
        """Convert a record to bytes."""
        key = self._key.from_connect(record.topic, record.key_schema, record.key)
        value = self._value_of(record)
        headers = [self._encode_header(header) for header in record.headers]
        if self._with_ids:
            headers += self._schema_ids(record)
        return Message(
            record.topic, record.partition, key, value, headers or None, _timestamp(record)
        )

    def _schema_ids(self, record: Record) -> Iterator[tuple[str, bytes | None]]:
        """Yield the headers with the ids of the schemas of key and value."""
        if record.key is not None:
            yield from _headers_of(self._key, record.topic, record.key_schema)
        if record.value is not None:
            yield from _headers_of(self._value, record.topic, record.value_schema)

    def _encode_header(self, header: Header) -> tuple[str, bytes | None]:
        if header.name in self._encoder.plain_headers:
            return header.name, str(header.value).encode()
        value = self._header.from_header(header.name, header.schema, header.value)
        return header.name, value


def _log_generic_path(value: Converter, *, with_ids: bool) -> None:
    """Log once why the converters do not allow the compiled path."""
    if with_ids:
        reason = "a converter writes the ids of schemas into headers, behind transforms"
    else:
        reason = f"{type(value).__name__} writes values as a whole"
    log.info("Rows take the generic path, which is slower: %s", reason)


def _headers_of(
    converter: Converter, topic: str, schema: Schema | None
) -> list[tuple[str, bytes | None]]:
    """Return the headers with the id of a schema, none if they are not written there."""
    if schema is None or not isinstance(converter, SchemaHeaders):
        return []
    return converter.schema_headers(topic, schema)


def _writes_headers(converter: Converter) -> bool:
    return isinstance(converter, SchemaHeaders) and converter.writes_headers


def _timestamp(record: Record) -> int | None:
    """Return the timestamp; -1 stands for none, as in Kafka."""
    if record.timestamp is None or record.timestamp >= 0:
        return record.timestamp
    if record.timestamp == -1:
        return None
    raise ConversionError(f"Invalid record timestamp {record.timestamp}")
