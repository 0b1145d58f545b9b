"""The native core writes the same messages as the two paths in Python."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connector import native
from connector.debezium.events import EventOptions
from connector.mysql.types.type_options import TypeOptions
from tests.fixtures.random_changes import OPTIONS
from tests.unit.mysql.binlog import events_as_bytes as written
from tests.unit.mysql.binlog.images import table_of
from tests.unit.mysql.binlog.kinds_of_numbers import INTEGERS
from tests.unit.native.random_tables import (
    LETTERS,
    described,
    described_tables,
    images_of,
)
from tests.unit.native.row_messages import (
    CONVERTERS,
    change,
    compiled,
    generic,
    in_python,
    outcome,
)

pytestmark = pytest.mark.skipif(not native.AVAILABLE, reason="the native core is not built")
Outcome = list[tuple[Any, ...]] | str


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
