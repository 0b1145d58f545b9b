"""The position header: the same in all messages of one row, on both paths to messages."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from connector.capture.change import PositionText, RowChanges, Truncated
from connector.converters.json import JsonConverter
from connector.converters.simple_header import SimpleHeaderConverter
from connector.data.record import Message, Record
from connector.data.schema import INT32, STRING, Field
from connector.debezium.encoder import DebeziumEncoder
from connector.debezium.events import EventOptions, context_headers
from connector.names import POSITION_HEADER
from connector.plugin import TaskConverters
from connector.task.pipeline import Pipeline
from tests.fixtures.random_changes import NAMING, ROW_SLOT, SOURCE, changes, codec_for

POSITION = PositionText("7/b.000003/157/")
VALUES = tuple(None if field.schema.optional else 1 for field in SOURCE.fields)
CODEC = codec_for((Field("id", INT32), Field("name", STRING)), ("id",))
OPTIONS = EventOptions("acme", NAMING, SOURCE, ROW_SLOT, now=lambda: 1)
A, B, C = (1, "a"), (1, "b"), (2, "b")


def same(record: Record) -> Record:
    return record


def pipeline(options: EventOptions, *transforms: Any, header: Any = None) -> Pipeline:
    converter = JsonConverter()
    converters = TaskConverters(converter, converter, header or SimpleHeaderConverter())
    return Pipeline(DebeziumEncoder(options), converters, transforms)


def positions(messages: list[Message]) -> list[str]:
    found = [dict(message.headers or ()).get(POSITION_HEADER) for message in messages]
    return [(text or b"none").decode() for text in found]


@given(changes(), st.booleans(), st.booleans(), st.booleans())
def test_the_header_is_all_that_is_added(
    all_changes: list[RowChanges], tombstones: bool, skips: bool, named: bool
) -> None:
    options = replace(
        OPTIONS,
        tombstones=tombstones,
        skips_unchanged=skips,
        context_headers=context_headers("acme", "srv", 0, "run") if named else (),
    )
    plain, compiled, generic = pipeline(options), pipeline(options), pipeline(options, same)
    for change in all_changes:
        expected = list(plain.messages(replace(change)))
        with_text = replace(change, position_text=POSITION)
        paths = [list(path.messages(with_text)) for path in (compiled, generic)]
        assert positions(paths[0]) == positions(paths[1])
        for messages in paths:
            assert all(text.startswith("7/b.000003/157/") for text in positions(messages))
            assert list(map(without, messages)) == list(map(without, expected))


def without(message: Message) -> Message:
    """Return a message without the header."""
    kept = [header for header in message.headers or () if header[0] != POSITION_HEADER]
    return message._replace(headers=kept)


def test_all_messages_of_a_row_have_its_number() -> None:
    update = RowChanges(CODEC, "u", [(A, B), (B, C)], VALUES, 4, POSITION)
    assert positions(list(pipeline(OPTIONS).messages(update))) == [
        "7/b.000003/157/4",
        *["7/b.000003/157/5"] * 3,  # the key changed: deleted, its tombstone, created
    ]
    delete = RowChanges(CODEC, "d", [(A, None)], VALUES, 0, POSITION)
    assert positions(list(pipeline(OPTIONS).messages(delete))) == ["7/b.000003/157/0"] * 2


def test_the_numbers_of_rows_start_where_the_position_says() -> None:
    behind = POSITION._replace(first=900)
    update = RowChanges(CODEC, "u", [(A, B), (B, C)], VALUES, 4, behind)
    for made in (pipeline(OPTIONS), pipeline(OPTIONS, same)):
        found = list(made.messages(replace(update, rows=list(update.rows))))
        assert positions(found) == ["7/b.000003/157/904", *["7/b.000003/157/905"] * 3]
        assert [
            json.loads(one.value)["payload"]["source"]["row"] for one in found if one.value
        ] == [4, 5, 5]


def test_rows_of_a_snapshot_have_no_numbers() -> None:
    end = RowChanges(
        CODEC, "r", [(None, A), (None, C)], VALUES, None, POSITION._replace(end="/end")
    )
    assert positions(list(pipeline(OPTIONS).messages(end))) == ["7/b.000003/157/0/end"] * 2
    empty = Truncated(CODEC, VALUES, POSITION._replace(end="/empty"))
    assert positions(list(pipeline(OPTIONS).messages(empty))) == ["7/b.000003/157/0/empty"]


def test_the_header_is_plain_text_whatever_converts_headers() -> None:
    made = pipeline(OPTIONS, same, header=JsonConverter())
    change = RowChanges(CODEC, "c", [(None, A)], VALUES, 0, POSITION)
    assert positions(list(made.messages(change))) == ["7/b.000003/157/0"]


def test_without_a_position_there_is_no_header() -> None:
    change = RowChanges(CODEC, "c", [(None, A)], VALUES)
    for made in (pipeline(OPTIONS), pipeline(OPTIONS, same)):
        assert positions(list(made.messages(replace(change)))) == ["none"]
