"""The native core writes the same messages as the two paths in Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connector import native
from connector.capture.change import RowChanges
from connector.converters.json import JsonConverter
from connector.converters.simple_header import SimpleHeaderConverter
from connector.data.record import Header, Message
from connector.data.schema import Schema
from connector.debezium.compiled import CompiledRows, fragment_keys
from connector.debezium.events import EventOptions, EventRecords
from connector.debezium.transactions import Transaction
from connector.errors import MillraceError
from connector.mysql.binlog.events import RowsChanged
from connector.mysql.types.type_options import TypeOptions
from tests.unit.converters.without_registry import PlainAvro, PlainJsonSchema
from tests.unit.debezium.random_changes import OPTIONS, SOURCE
from tests.unit.mysql.binlog import events_as_bytes as written
from tests.unit.mysql.binlog.images import table_of
from tests.unit.mysql.binlog.kinds_of_numbers import INTEGERS
from tests.unit.native.random_tables import (
    LETTERS,
    Described,
    described,
    described_tables,
    images_of,
)

pytestmark = pytest.mark.skipif(not native.AVAILABLE, reason="the native core is not built")
HEADERS = SimpleHeaderConverter()
SOURCE_VALUES = tuple(
    None if field.schema.optional else "1" if field.schema.type == "string" else 1
    for field in SOURCE.fields
)
JSON = st.fixed_dictionaries(
    {
        "schemas.enable": st.sampled_from(["true", "false"]),
        "decimal.format": st.sampled_from(["BASE64", "NUMERIC"]),
        "replace.null.with.default": st.sampled_from(["true", "false"]),
    }
).map(JsonConverter)
AVRO = st.builds(PlainAvro, defaults=st.booleans())
JSON_SCHEMA = st.builds(PlainJsonSchema, numeric=st.booleans(), defaults=st.booleans())
CONVERTERS: st.SearchStrategy[Any] = JSON | AVRO | JSON_SCHEMA
Outcome = list[tuple[Any, ...]] | str


def header(item: Header) -> tuple[str, bytes | None]:
    return item.name, HEADERS.from_header(item.name, item.schema, item.value)


def outcome(work: Callable[[], Any]) -> Any:
    """Return what some work leads to, also if that is an error."""
    try:
        return work()
    except MillraceError as error:
        return f"{type(error).__name__}: {error}"


def change(table: Described, event: RowsChanged, rows: Any) -> RowChanges:
    return RowChanges(table.codec, event.kind, rows, SOURCE_VALUES, 3)


def ids(topic: str, schema: Schema | None) -> list[tuple[str, bytes | None]]:
    """Return a header as a converter may add for a schema."""
    return [] if schema is None else [("id", f"{topic} {schema.name}".encode())]


def compiled(
    options: EventOptions, values: Any, work: RowChanges, keys: Any = None
) -> list[Message]:
    keys = keys or JsonConverter()
    encode_key = fragment_keys(keys)
    rows = CompiledRows(options, Transaction(), values, encode_key, header, keys, (ids, ids))
    return [
        message._replace(headers=list(message.headers or ())) for message in rows.messages(work)
    ]


def generic(
    options: EventOptions, values: Any, work: RowChanges, keys: Any = None
) -> list[Message]:
    keys = keys or JsonConverter()
    return [
        Message(
            record.topic,
            None,
            keys.from_connect(record.topic, record.key_schema, record.key),
            values.from_connect(record.topic, record.value_schema, record.value),
            [
                *(header(item) for item in record.headers),
                *(ids(record.topic, record.key_schema) if record.key is not None else ()),
                *(ids(record.topic, record.value_schema) if record.value is not None else ()),
            ],
        )
        for record in EventRecords(options, Transaction()).records(work)
    ]


def in_python(table: Described, event: RowsChanged) -> Any:
    plan = table.plan()
    plan._may_be_native = False
    return plan.rows(event)


@settings(max_examples=300)
@given(st.data(), OPTIONS, CONVERTERS, CONVERTERS, st.sampled_from(list(LETTERS)))
def test_messages_are_the_same_on_all_paths(
    data: st.DataObject, options: EventOptions, keys: Any, values: Any, kind: int
) -> None:
    table = data.draw(described_tables())
    event = table.event(kind, data.draw(images_of(table.table, kind)))
    rows = outcome(lambda: table.plan().rows(event))
    expected = outcome(lambda: in_python(table, event))
    if isinstance(expected, str):
        assert rows == expected
        return
    assert native.is_native(rows) or table.codec.derived
    ways = [
        outcome(partial(write, options, values, change(table, event, found), keys))
        for write, found in ((compiled, rows), (compiled, expected), (generic, expected))
    ]
    assert ways[0] == ways[1]
    assert ways[0] == ways[2]
    assert len(rows) == len(expected)
    assert repr(list(rows)) == repr(expected)


@settings(max_examples=300)
@given(st.data(), OPTIONS, CONVERTERS, st.sampled_from(list(LETTERS)))
def test_damaged_events_lead_to_the_same_error_or_messages(
    data: st.DataObject, options: EventOptions, values: Any, kind: int
) -> None:
    table = data.draw(described_tables(most=5))
    images = bytearray(data.draw(images_of(table.table, kind)))
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(images)))
        cut = data.draw(st.integers(0, 2))
        images[place : place + cut] = data.draw(st.binary(max_size=3))
    event = table.event(kind, bytes(images))
    rows = outcome(lambda: table.plan().rows(event))
    expected = outcome(lambda: in_python(table, event))
    if isinstance(expected, str):
        assert rows == expected
        return
    ways = [
        outcome(partial(compiled, options, values, change(table, event, found), values))
        for found in (rows, expected)
    ]
    assert ways[0] == ways[1]


def test_rows_are_a_sequence_to_python() -> None:
    known = described(table_of(INTEGERS[:2]), ["c0"], TypeOptions(), {})
    image = known.table.image((1, 2), (True, True))
    rows: Any = known.plan().rows(known.event(written.WRITE, image * 3))
    assert known.plan()._may_be_native
    assert rows[0] == (None, (1, 2))
    assert rows[1:] == [(None, (1, 2))] * 2
    assert rows == [(None, (1, 2))] * 3
    assert replace(change(known, known.event(written.WRITE, b""), rows)).rows is rows
