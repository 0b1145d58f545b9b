"""Messages of rows, written by the native core and by Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st

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
from tests.fixtures.random_changes import SOURCE
from tests.unit.converters.without_registry import PlainAvro, PlainJsonSchema
from tests.unit.native.random_tables import (
    Described,
)

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


def begun() -> Transaction:
    transaction = Transaction()
    transaction.begin("a:1")
    return transaction


def ids(topic: str, schema: Schema | None) -> list[tuple[str, bytes | None]]:
    """Return a header as a converter may add for a schema."""
    return [] if schema is None else [("id", f"{topic} {schema.name}".encode())]


def compiled(
    options: EventOptions, values: Any, work: RowChanges, keys: Any = None
) -> list[Message]:
    return [
        message._replace(headers=list(message.headers or ()))
        for message in written(options, values, work, keys)
    ]


def written(
    options: EventOptions, values: Any, work: RowChanges, keys: Any = None
) -> Sequence[Message]:
    """Write the messages of rows; those of the core stay as they are."""
    keys = keys or JsonConverter()
    encode_key = fragment_keys(keys)
    rows = CompiledRows(options, begun(), values, encode_key, header, keys, (ids, ids))
    return rows.messages(work)


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
        for record in EventRecords(options, begun()).records(work)
    ]


def in_python(table: Described, event: RowsChanged) -> Any:
    plan = table.plan()
    plan._may_be_native = False
    return plan.rows(event)
