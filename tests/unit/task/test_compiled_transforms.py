"""Compiled transforms write the messages of the generic path, byte for byte."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connector.capture.change import PositionText, RowChanges, TransactionBoundary
from connector.capture.table_schema import TableEventSchema
from connector.converters.simple_header import SimpleHeaderConverter
from connector.data.schema import INT32, STRING, Field
from connector.debezium.encoder import DebeziumEncoder
from connector.debezium.events import EventOptions
from connector.plugin import TaskConverters, TransformStep
from connector.task.pipeline import Pipeline
from connector.task.transform_chain import chain, compilable
from tests.fixtures.random_changes import (
    NAMING,
    OPTIONS,
    ROW_SLOT,
    SOURCE,
    changes_of,
    codec_for,
)
from tests.fixtures.random_values import ROWS
from tests.unit.task.sample_pipelines import SOURCE_VALUES, _Away, _converter, _plain
from tests.unit.transforms import random_chains

KEYS = st.sampled_from(["json with schemas", "json", "string", "avro", "protobuf"])
VALUES = st.sampled_from(["json with schemas", "json", "avro", "protobuf"])


@st.composite
def tables(draw: st.DrawFn) -> TableEventSchema:
    """Tables whose columns have the names of `random_chains`."""
    drawn = [field.schema for field in draw(ROWS).fields][: len(random_chains.FIELDS)]
    names = random_chains.FIELDS[: len(drawn)]
    members = tuple(Field(name, schema) for name, schema in zip(names, drawn, strict=True))
    key = draw(st.sampled_from([(), ("id",), ("a", "id")]))
    known = tuple(name for name in key if name in names)
    return codec_for(members, known)


def _run(
    compiles: bool,
    options: EventOptions,
    converters: tuple[str, str],
    steps: Sequence[TransformStep],
    events: Sequence[RowChanges | TransactionBoundary],
) -> tuple[list[Any], list[str], dict[str, Any]]:
    """Return the messages, what was skipped, and the counts of the transaction."""
    skipped: list[str] = []

    def skip(stage: str, error: Exception, topic: str) -> bool:
        skipped.append(f"{stage} {topic} {type(error).__name__} {error}")
        return True

    key, value = map(_converter, converters)
    pipeline = Pipeline(
        DebeziumEncoder(options),
        TaskConverters(key, value, SimpleHeaderConverter()),
        chain(steps),
        skip,
        compilable=compiles,
    )
    copies = [
        replace(event, rows=list(event.rows)) if isinstance(event, RowChanges) else event
        for event in events
    ]
    messages = [message for event in copies for message in _plain(pipeline.messages(event))]
    return messages, skipped, pipeline.transaction.to_offset()


@settings(max_examples=60)
@given(OPTIONS, KEYS, VALUES, random_chains.CHAINS, st.data())
def test_the_messages_are_those_of_the_generic_path(
    options: EventOptions, key: str, value: str, configs: Any, data: st.DataObject
) -> None:
    codec = data.draw(tables())
    events: list[Any] = [TransactionBoundary("BEGIN", "uuid:5", 1)]
    for _ in range(data.draw(st.integers(1, 3))):
        change = data.draw(changes_of(codec))
        if data.draw(st.booleans()):
            change = replace(change, position_text=PositionText("0/binlog.000004/157/", first=9))
        events.append(change)
    assert compilable(random_chains.build(configs))
    compiled = _run(True, options, (key, value), random_chains.build(configs), events)
    assert compiled == _run(False, options, (key, value), random_chains.build(configs), events)


ORDERS = codec_for((Field("id", INT32), Field("amount", STRING.as_optional())), ("id",))
UNWRAP = {"type": "io.debezium.transforms.ExtractNewRecordState"}
ROUTE = {
    "type": "org.apache.kafka.connect.transforms.RegexRouter",
    "regex": "srv\\.shop\\.(.*)",
    "replacement": "$1",
}
TO_NUMBER = {
    "type": "org.apache.kafka.connect.transforms.Cast$Value",
    "spec": "amount:int32",
}


def _steps(*configs: dict[str, str]) -> list[TransformStep]:
    return random_chains.build([(config, None, False) for config in configs])


def _inserts(*amounts: str | None) -> RowChanges:
    rows: list[Any] = [(None, (number, amount)) for number, amount in enumerate(amounts, 1)]
    return RowChanges(ORDERS, "c", rows, SOURCE_VALUES)


def _compiles(pipeline: Pipeline, change: RowChanges) -> bool:
    """Return whether a change takes the compiled path: only there rows are released."""
    list(pipeline.messages(change))
    return not change.rows


def _pipeline(steps: Sequence[TransformStep], value: Any = None) -> Pipeline:
    options = EventOptions("acme", NAMING, SOURCE, ROW_SLOT, transactions=True)
    converters = TaskConverters(
        _converter("json"), value or _converter("json"), SimpleHeaderConverter()
    )
    encoder = DebeziumEncoder(options)
    return Pipeline(
        encoder, converters, chain(steps), lambda *_: True, compilable=compilable(steps)
    )


def test_unwrapped_and_routed_rows_are_written_by_a_generated_function() -> None:
    pipeline = _pipeline(_steps(UNWRAP, ROUTE))
    found = _plain(pipeline.messages(_inserts("1", None)))
    assert [row[:4] for row in found] == [
        ("orders", None, b'{"id":1}', b'{"id":1,"amount":"1"}'),
        ("orders", None, b'{"id":2}', b'{"id":2,"amount":null}'),
    ]
    assert _compiles(pipeline, _inserts("3"))


def test_a_row_that_cannot_be_transformed_is_skipped_alone_and_events_are_counted_once() -> None:
    pipeline = _pipeline(_steps(UNWRAP, TO_NUMBER))
    list(pipeline.messages(TransactionBoundary("BEGIN", "uuid:5", 1)))
    found = _plain(pipeline.messages(_inserts("1", "two", "3")))
    assert [row[3] for row in found] == [b'{"id":1,"amount":1}', b'{"id":3,"amount":3}']
    assert pipeline.transaction.to_offset() == {
        "transaction_id": "uuid:5",
        "transaction_data_collection_order_shop.orders": 3,
    }
    assert _compiles(pipeline, _inserts("4")), "the rows after it are compiled again"


def test_events_are_counted_once_while_a_registry_does_not_answer() -> None:
    waits: list[int] = []
    steps = _steps(ROUTE)
    options = EventOptions("acme", NAMING, SOURCE, ROW_SLOT, transactions=True)
    value = _Away(0)
    pipeline = Pipeline(
        DebeziumEncoder(options),
        TaskConverters(_converter("json"), value, SimpleHeaderConverter()),
        chain(steps),
        await_registry=lambda error, attempt: waits.append(attempt if error else -attempt),
        compilable=compilable(steps),
    )
    list(pipeline.messages(TransactionBoundary("BEGIN", "uuid:5", 1)))
    value.refusals = 2
    assert len(_plain(pipeline.messages(_inserts("1", "2")))) == 2
    assert waits == [1, 2, -2]
    assert pipeline.transaction.to_offset()["transaction_data_collection_order_shop.orders"] == 2


def test_a_transform_that_looks_at_values_takes_the_generic_path(
    caplog: pytest.LogCaptureFixture,
) -> None:
    by_field = {**UNWRAP, "route.by.field": "amount"}
    pipeline = _pipeline(_steps(by_field))
    with caplog.at_level("INFO", "connector.debezium.compiled_chain"):
        assert not _compiles(pipeline, _inserts("elsewhere"))
        assert not _compiles(pipeline, _inserts("elsewhere"))
    assert len(caplog.messages) == 1
    assert "a transform depends on a value" in caplog.messages[0]


def test_the_log_names_the_transforms_that_cannot_be_compiled(
    caplog: pytest.LogCaptureFixture,
) -> None:
    router = {
        "type": "io.debezium.transforms.partitions.PartitionRouting",
        "partition.payload.fields": "change.id",
        "partition.topic.num": "2",
    }
    with caplog.at_level("INFO", "connector.task.transform_chain"):
        assert compilable(_steps(UNWRAP, ROUTE))
        assert not compilable(_steps(router, UNWRAP))
    assert len(caplog.messages) == 1
    assert caplog.messages[0].endswith(": 0")


def test_an_earlier_version_of_a_table_is_not_kept() -> None:
    pipeline = _pipeline(_steps(UNWRAP))
    for number in range(3):
        codec = codec_for((Field(f"version{number}", INT32),))
        assert _compiles(pipeline, RowChanges(codec, "c", [(None, (1,))], SOURCE_VALUES))
    del codec
    gc.collect()
    alive = [found for found in gc.get_objects() if isinstance(found, TableEventSchema)]
    names = {column.name for found in alive for column in found.table.columns}
    assert {name for name in names if name.startswith("version")} == {"version2"}


@pytest.mark.parametrize("value", ["json", "avro", "protobuf"])
@pytest.mark.parametrize("config", [ROUTE, UNWRAP])
def test_events_and_rows_take_the_compiled_path(value: str, config: dict[str, str]) -> None:
    assert _compiles(_pipeline(_steps(config), _converter(value)), _inserts("1", "2"))
