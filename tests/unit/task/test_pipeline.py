"""Changes to messages: compiled or through transforms, the bytes are the same."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connector.capture.change import HeartbeatDue, RowChanges, TransactionBoundary, Waiting
from connector.converters.json import JsonConverter
from connector.converters.simple_header import SimpleHeaderConverter
from connector.converters.string import StringConverter
from connector.data.fragments import Fragments
from connector.data.record import ApplyTransform, Message, Record
from connector.data.schema import INT32, STRING, Field, Schema
from connector.debezium.encoder import DebeziumEncoder
from connector.debezium.events import EventOptions
from connector.errors import ConversionError, SchemaRefusedError
from connector.plugin import TaskConverters
from connector.task.pipeline import Pipeline
from tests.fixtures.random_changes import NAMING, OPTIONS, ROW_SLOT, SOURCE, changes, codec_for
from tests.unit.converters.without_registry import AvroWithIds, PlainAvro
from tests.unit.task.sample_pipelines import SOURCE_VALUES, _Away, _converter, _plain

PLAIN = EventOptions("acme", NAMING, SOURCE, ROW_SLOT, now=lambda: 5_000_000)


def _pipeline(options: EventOptions, key: str, value: str, *transforms: ApplyTransform) -> Pipeline:
    converters = TaskConverters(_converter(key), _converter(value), SimpleHeaderConverter())
    return Pipeline(DebeziumEncoder(options), converters, transforms)


def _unchanged(record: Record) -> Record:
    return replace(record)


def _outcome(pipeline: Pipeline, change: Any) -> list[tuple[Any, ...]] | str:
    """Return the messages, or that the converter refuses them: Protobuf has no null in an array."""
    try:
        return _plain(pipeline.messages(change))
    except ConversionError:
        return "refused"


CONVERTERS = st.sampled_from(
    ["json with schemas", "json", "string", "avro", "avro with ids", "protobuf"]
)
MARKS = st.sampled_from(
    [None, TransactionBoundary("BEGIN", "uuid:5", 1), TransactionBoundary("END", "uuid:5", 2)]
)


# Java's text of bytes names the object's address: two runs never agree on it.
def _has_bytes(change: RowChanges) -> bool:
    schemas = [column.schema for column in change.codec.columns]
    return any("bytes" in repr(schema) for schema in schemas)


def _nests(change: RowChanges) -> bool:
    """Whether a column has arrays in an array: the schemas of Protobuf refuse them."""
    return any(_nests_arrays(column.schema) for column in change.codec.columns)


def _nests_arrays(schema: Schema) -> bool:
    inner = [field.schema for field in schema.fields]
    if schema.items is not None:
        inner.append(schema.items)
    if schema.type == "array" and any(one.type in ("array", "map") for one in inner):
        return True
    return any(map(_nests_arrays, inner))


@settings(max_examples=40)
@given(OPTIONS, CONVERTERS, CONVERTERS, changes(), MARKS, MARKS)
def test_a_transform_that_changes_nothing_changes_no_byte(
    options: EventOptions,
    key: str,
    value: str,
    all_changes: list[RowChanges],
    before: TransactionBoundary | None,
    behind: TransactionBoundary | None,
) -> None:
    direct = _pipeline(options, key, value)
    through = _pipeline(options, key, value, _unchanged)
    for change in (before, *all_changes, behind):
        if change is None:
            continue
        if "string" in (key, value) and isinstance(change, RowChanges) and _has_bytes(change):
            continue
        if "protobuf" in (key, value) and isinstance(change, RowChanges) and _nests(change):
            continue
        messages = _outcome(direct, replace(change))
        assert messages == _outcome(through, change)
        if isinstance(messages, str):
            assert "protobuf" in (key, value)
            return
    assert direct.transaction.to_offset() == through.transaction.to_offset()


FIELDS = (Field("id", INT32), Field("name", STRING.as_optional()))
CODEC = codec_for(FIELDS, ("id",))
WIDER = codec_for((*FIELDS, Field("w", STRING.as_optional())), ("id",))
CREATED = RowChanges(CODEC, "c", [(None, (1, "a")), (None, (2, "b"))], SOURCE_VALUES)


def test_transforms_are_applied_in_order_and_may_drop_records() -> None:
    def renamed(record: Record) -> Record:
        return replace(record, topic=record.topic + ".x")

    def only_the_second(record: Record) -> Record | None:
        assert record.topic.endswith(".x")
        return record if record.key == {"id": 2} else None

    found = list(_pipeline(PLAIN, "json", "json", renamed, only_the_second).messages(CREATED))
    assert [(m.topic, m.key) for m in found] == [("srv.shop.orders.x", b'{"id":2}')]


def test_nothing_comes_behind_a_record_that_was_dropped() -> None:
    def dropped(_: Record) -> None:
        return None

    def never(record: Record) -> Record:
        raise AssertionError(record)

    assert list(_pipeline(PLAIN, "json", "json", dropped, never).messages(CREATED)) == []


def test_a_transform_may_set_partition_time_and_key() -> None:
    def changed(record: Record) -> Record:
        return replace(record, partition=3, timestamp=17, key_schema=None, key=None)

    found = next(iter(_pipeline(PLAIN, "json", "json", changed).messages(CREATED)))
    assert (found.partition, found.timestamp, found.key) == (3, 17, None)


@pytest.mark.parametrize("change", [Waiting("database is down"), HeartbeatDue()])
def test_what_is_no_event_makes_no_message(change: Any) -> None:
    assert list(_pipeline(PLAIN, "json", "json").messages(change)) == []


def test_a_delete_has_a_tombstone_both_ways() -> None:
    deleted = RowChanges(CODEC, "d", [((1, "a"), None)], SOURCE_VALUES)
    for transforms in ((), (_unchanged,)):
        found: list[Message] = list(
            _pipeline(PLAIN, "json", "json", *transforms).messages(replace(deleted))
        )
        assert [message.value is None for message in found] == [False, True]
        assert {message.key for message in found} == {b'{"id":1}'}


def test_which_converters_write_parts() -> None:
    assert isinstance(JsonConverter(), Fragments)
    assert not isinstance(StringConverter(), Fragments)


@pytest.mark.parametrize("transforms", [(), (_unchanged,)])
@given(many=changes())
@settings(max_examples=20)
def test_a_registry_that_is_away_for_a_while_changes_nothing(
    transforms: tuple[ApplyTransform, ...], many: list[RowChanges]
) -> None:
    waits: list[int] = []

    def run(refusals: int) -> list[tuple[Any, ...]]:
        converters = TaskConverters(PlainAvro(), _Away(refusals), SimpleHeaderConverter())
        pipeline = Pipeline(
            DebeziumEncoder(PLAIN),
            converters,
            transforms,
            await_registry=lambda error, attempt: waits.append(attempt if error else -attempt),
        )
        copies = [replace(change, rows=list(change.rows)) for change in many]
        return [row for change in copies for row in _plain(pipeline.messages(change))]

    expected = run(0)
    assert not waits
    assert run(2) == expected
    assert waits in ([], [1, 2, -2])


class _StoppedError(Exception):
    """The task stops."""


@pytest.mark.parametrize("refusals", [1, 3])
@pytest.mark.parametrize("transforms", [(), (_unchanged,)])
def test_a_task_that_stops_while_it_waits_for_a_registry_skips_nothing(
    transforms: tuple[ApplyTransform, ...], refusals: int
) -> None:
    """Neither the end of the task nor a fault of it is a fault of the record."""
    skipped: list[str] = []

    def skip(stage: str, error: Exception, _: str) -> bool:
        skipped.append(f"{stage} {error!r}")
        return True

    def stop(error: Exception | None, attempt: int) -> None:
        if error is not None and attempt == refusals:
            raise _StoppedError

    registry = _Away(0)
    converters = TaskConverters(PlainAvro(), registry, SimpleHeaderConverter())
    pipeline = Pipeline(DebeziumEncoder(PLAIN), converters, transforms, skip, stop)
    assert len(list(pipeline.messages(replace(CREATED)))) == 2
    registry.refusals = refusals
    with pytest.raises(_StoppedError):
        list(pipeline.messages(replace(CREATED, codec=WIDER, rows=[(None, (3, "c", "w"))])))
    assert not skipped


@pytest.mark.parametrize("refusals", [0, 2])
def test_transforms_run_once_however_often_the_registry_is_asked(refusals: int) -> None:
    def counted(record: Record) -> Record:
        record.topic += ".x"
        return record

    converters = TaskConverters(PlainAvro(), _Away(refusals), SimpleHeaderConverter())
    pipeline = Pipeline(
        DebeziumEncoder(PLAIN), converters, (counted,), await_registry=lambda *_: None
    )
    found = list(pipeline.messages(replace(CREATED)))
    assert [message.topic for message in found] == ["srv.shop.orders.x"] * 2


class _Refusing(PlainAvro):
    """A registry that refuses schemas of values."""

    def start_of(self, schema: Schema, topic: str) -> bytes:  # noqa: ARG002 - refuses all
        raise ConversionError(f"no {schema.name}", "Change the table.")


def _refused_rows(skip: bool) -> tuple[Pipeline, list[str]]:
    skipped: list[str] = []

    def decide(stage: str, error: Exception, topic: str) -> bool:
        skipped.append(f"{stage} {topic} {error}")
        return skip

    converters = TaskConverters(PlainAvro(), _Refusing(), SimpleHeaderConverter())
    return Pipeline(DebeziumEncoder(PLAIN), converters, (), decide), skipped


@given(many=changes())
@settings(max_examples=20)
def test_rows_of_a_refused_schema_may_be_skipped(many: list[RowChanges]) -> None:
    pipeline, skipped = _refused_rows(skip=True)
    written = [row for change in many for row in _plain(pipeline.messages(change))]
    assert all(value is None for _, _, _, value, *_ in written), "only tombstones need no schema"
    assert all(text.startswith("CONVERSION") for text in skipped)
    failing, _ = _refused_rows(skip=False)
    if skipped:
        with pytest.raises(SchemaRefusedError, match="no ") as caught:
            [row for change in many for row in _plain(failing.messages(change))]
        assert caught.value.remedy == "Change the table."


@pytest.mark.parametrize(
    ("value", "transforms", "reason"),
    [
        (AvroWithIds(), [_unchanged], "a converter writes the ids of schemas into headers, behind"),
        (AvroWithIds(), [], None),
        (StringConverter(), [], "StringConverter writes values as a whole"),
        (JsonConverter(), [], None),
    ],
)
def test_the_log_says_once_that_converters_take_the_generic_path(
    value: Any,
    transforms: list[ApplyTransform],
    reason: str | None,
    caplog: pytest.LogCaptureFixture,
) -> None:
    converters = TaskConverters(JsonConverter(), value, SimpleHeaderConverter())
    with caplog.at_level("INFO", "connector.task.pipeline"):
        pipeline = Pipeline(DebeziumEncoder(PLAIN), converters, transforms)
        for _ in range(2):
            assert len(list(pipeline.messages(replace(CREATED)))) == 2
    assert len(caplog.messages) == bool(reason)
    text = f"Rows take the generic path, which is slower: {reason}"
    assert all(message.startswith(text) for message in caplog.messages)
