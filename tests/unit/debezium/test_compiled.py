"""Rows straight to bytes are the same messages as records that are converted."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from connector.capture.change import Row, RowChanges
from connector.capture.table_schema import TableEventSchema
from connector.converters.json import JsonConverter
from connector.converters.simple_header import SimpleHeaderConverter
from connector.converters.string import StringConverter
from connector.data.record import Header, Record
from connector.data.schema import INT32, Field
from connector.debezium.compiled import CompiledRows, fragment_keys
from connector.debezium.events import EventOptions, EventRecords
from connector.debezium.transactions import Transaction
from tests.fixtures.random_changes import NAMING, OPTIONS, ROW_SLOT, SOURCE, changes, codec_for

MessageParts = tuple[str, bytes | None, bytes | None, list[tuple[str, bytes | None]]]
HEADERS = SimpleHeaderConverter()
KEYS = st.sampled_from(["json", "string"])


def _header(header: Header) -> tuple[str, bytes | None]:
    return header.name, HEADERS.from_header(header.name, header.schema, header.value)


def _compiled(
    options: EventOptions, keys: str, values: JsonConverter, transaction: Transaction
) -> Callable[[RowChanges], list[MessageParts]]:
    def string_keys(codec: TableEventSchema) -> Callable[[Row], bytes | None]:
        converter = StringConverter()
        return lambda row: converter.from_connect("t", codec.key_schema, codec.key_struct(row))

    encode = string_keys if keys == "string" else fragment_keys(JsonConverter())
    rows = CompiledRows(options, transaction, values, encode, _header)
    return lambda change: [
        (message.topic, message.key, message.value, list(message.headers or ()))
        for message in rows.messages(change)
    ]


def _general(
    options: EventOptions, keys: str, values: JsonConverter, transaction: Transaction
) -> Callable[[RowChanges], list[MessageParts]]:
    events = EventRecords(options, transaction)
    key_converter: Any = StringConverter() if keys == "string" else JsonConverter()

    def convert(record: Record) -> MessageParts:
        assert record.partition is None
        assert record.timestamp is None
        return (
            record.topic,
            key_converter.from_connect(record.topic, record.key_schema, record.key),
            values.from_connect(record.topic, record.value_schema, record.value),
            [_header(header) for header in record.headers],
        )

    return lambda change: [convert(record) for record in events.records(change)]


@given(OPTIONS, KEYS, st.booleans(), changes(), st.sampled_from([None, "uuid:5"]))
def test_both_ways_lead_to_the_same_messages(
    options: EventOptions,
    keys: str,
    with_schemas: bool,
    all_changes: list[RowChanges],
    transaction: str | None,
) -> None:
    ways = []
    for way in (_compiled, _general):
        counts = Transaction()
        if transaction:
            counts.begin(transaction)
        values = JsonConverter({"schemas.enable": str(with_schemas)})
        ways.append((way(options, keys, values, counts), counts))
    (compiled, one), (general, other) = ways
    for change in all_changes:
        assert compiled(replace(change)) == general(change)  # the compiled path takes the rows
        assert one.to_offset() == other.to_offset()


def test_only_the_newest_version_of_a_table_is_kept() -> None:
    options = EventOptions("acme", NAMING, SOURCE, ROW_SLOT)
    write = _compiled(options, "json", JsonConverter(), Transaction())
    before = _codecs_alive()
    for number in range(5):
        codec = codec_for((Field(f"column{number}", INT32),))
        assert len(write(RowChanges(codec, "c", [(None, (1,))], _SOURCE_VALUES))) == 1
    del codec
    assert _codecs_alive() == before + 1


_SOURCE_VALUES = tuple(None if field.schema.optional else 1 for field in SOURCE.fields)


def _codecs_alive() -> int:
    gc.collect()
    return sum(isinstance(thing, TableEventSchema) for thing in gc.get_objects())
