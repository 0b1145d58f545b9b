"""Encodes changes as Debezium's events: as records, or rows straight as messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

from connector.capture.change import Change, EventBatch, Row, RowChanges, Truncated
from connector.capture.table_schema import TableEventSchema
from connector.data.fragments import Fragments
from connector.data.record import EncodeHeader, Message, Record, SchemaHeadersOf, WriteBatch
from connector.data.schema import Schema
from connector.data.symbolic import NotCompilableError
from connector.debezium.compiled import (
    CompiledRows,
    fragment_keys,
    no_headers,
)
from connector.debezium.compiled_chain import CompiledChain
from connector.debezium.events import EventOptions, EventRecords
from connector.debezium.position_header import add_position_headers
from connector.debezium.table_fragments import EncodeKey
from connector.debezium.transactions import Transaction
from connector.names import POSITION_HEADER
from connector.native import NativeColumns


class KeyConverter(Protocol):
    """Writes keys."""

    def from_connect(self, topic: str, schema: Schema | None, value: Any, /) -> bytes | None:
        """Return the bytes of a key; None is a null."""
        ...


class DebeziumEncoder:
    """Encodes the changes of one run in Debezium's event format.

    ``transaction`` counts the events of the transaction in progress. The headers in
    ``plain_headers`` are text that no converter writes: their readers know no converter.
    """

    plain_headers = frozenset({POSITION_HEADER})

    def __init__(self, options: EventOptions) -> None:
        self._options = options
        self.transaction = Transaction(resumes=options.resumes_transactions)
        self._events = EventRecords(options, self.transaction)
        self._rows: CompiledRows | None = None
        self._batch: Callable[[EventBatch], WriteBatch | None] = lambda _: None

    def records(self, change: Change) -> Iterator[Record]:
        """Return the records of a change, in order."""
        records = self._events.records(change)
        if isinstance(change, (RowChanges, Truncated)) and change.position_text is not None:
            return add_position_headers(records, change, change.position_text, self._options)
        return records

    def compile_rows(
        self,
        value: Fragments,
        key: KeyConverter,
        encode_header: EncodeHeader,
        schema_headers: tuple[SchemaHeadersOf, SchemaHeadersOf] = (no_headers, no_headers),
    ) -> Callable[[RowChanges], Iterable[Message]]:
        """Return a function that writes row changes without records in between.

        It raises `NotCompilableError` for a change that has to take the generic path.

        :param schema_headers: the headers with the ids of the schemas of keys, and of values.
        """
        options = self._options
        parts = key if isinstance(key, Fragments) else None
        encode_key = _converted_keys(key) if parts is None else fragment_keys(parts)
        rows = CompiledRows(
            options, self.transaction, value, encode_key, encode_header, parts, schema_headers
        )
        self._rows, self._batch = rows, rows.batch

        def encode(change: RowChanges) -> Iterable[Message]:
            if change.position_text is not None and rows.writes_schema_headers(change.codec):
                raise NotCompilableError(
                    "the header of millrace.position.headers has to precede those with schema ids"
                )
            messages = rows.messages(change)
            if change.position_text is None:
                change.rows = []  # rows may be huge, and their messages may have to wait
                return messages
            return add_position_headers(messages, change, change.position_text, options)

        return encode

    def batch(self, batch: EventBatch) -> WriteBatch | None:
        """Return what writes the events of a batch natively; None where each is written by itself.

        See `batch_writer`.
        """
        return self._batch(batch)

    def native_columns(self) -> list[NativeColumns]:
        """Return how many columns of each table the native core writes."""
        return [] if self._rows is None else self._rows.native_columns()

    def compile_chain(
        self,
        converters: tuple[KeyConverter, KeyConverter, EncodeHeader],
        transform: Callable[[Record], Record | None],
        timestamp: Callable[[Record], int | None],
    ) -> Callable[[RowChanges], Iterable[Message]]:
        """Return a function that writes row changes as the transform and the converters would."""
        options, transaction = self._options, self.transaction
        chain = CompiledChain(options, transaction, converters, transform, timestamp)
        self._batch = chain.batch
        return chain.messages


def _converted_keys(converter: KeyConverter) -> EncodeKey:
    def encoder(codec: TableEventSchema) -> Callable[[Row], bytes | None]:
        return lambda row: converter.from_connect(
            codec.topic, codec.key_schema, codec.key_struct(row)
        )

    return encoder
