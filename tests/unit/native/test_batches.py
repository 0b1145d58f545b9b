"""Batches that the native core writes have the messages of each event by itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connector import native
from connector.capture.change import EventBatch
from connector.converters.json import JsonConverter
from connector.data.record import Message
from connector.debezium.compiled import CompiledRows, fragment_keys
from connector.debezium.events import EventOptions
from connector.debezium.transactions import Transaction
from connector.errors import MillraceError
from connector.mysql.types.type_options import TypeOptions
from connector.task.row_groups import write_batch
from tests.fixtures.random_changes import NAMING, OPTIONS, ROW_SLOT, SOURCE
from tests.unit.mysql.binlog import events_as_bytes as written
from tests.unit.mysql.binlog.images import table_of
from tests.unit.mysql.binlog.kinds_of_numbers import INTEGERS
from tests.unit.native.event_batches import Part, batch_of, changes_of
from tests.unit.native.random_tables import (
    LETTERS,
    Described,
    described,
    described_tables,
    images_of,
)
from tests.unit.native.row_messages import CONVERTERS, header, ids

pytestmark = pytest.mark.skipif(not native.AVAILABLE, reason="the native core is not built")
PLAIN = EventOptions("acme", NAMING, SOURCE, ROW_SLOT)


def outcome(
    batch: EventBatch, rows: CompiledRows, *, natively: bool
) -> tuple[list[list[Message]], str]:
    """Return the messages in their parts, those before one that fails too, and the error."""
    parts: list[Iterable[Message]] = []
    error = ""
    try:
        write_batch(batch, rows.batch(batch) if natively else None, rows.messages, parts)
    except MillraceError as failed:
        error = f"{type(failed).__name__}: {failed}"
    return [list(part) for part in parts if part], error


def writer(options: EventOptions, keys: Any, values: Any) -> CompiledRows:
    encode_key = fragment_keys(keys)
    return CompiledRows(options, Transaction(), values, encode_key, header, keys, (ids, ids))


@settings(max_examples=300)
@given(st.data(), OPTIONS, CONVERTERS, CONVERTERS)
def test_messages_are_the_same_in_batches(
    data: st.DataObject, options: EventOptions, keys: Any, values: Any
) -> None:
    tables = [data.draw(described_tables(most=4)) for _ in range(data.draw(st.integers(1, 2)))]
    parts = []
    for _ in range(data.draw(st.integers(1, 4))):
        table, kind = data.draw(st.sampled_from(tables)), data.draw(st.sampled_from(list(LETTERS)))
        parts.append((table, kind, data.draw(images_of(table.table, kind))))
    try:
        changes = changes_of(parts)
    except MillraceError:
        return
    if not all(native.is_native(change.rows) and change.rows for change in changes):
        return
    batch = batch_of(changes)
    ways = [
        outcome(batch, writer(options, keys, values), natively=natively)
        for natively in (True, False)
    ]
    messages = [[message for part in parts for message in part] for parts, _ in ways]
    assert messages[0] == messages[1]
    assert ways[0][1] == ways[1][1]


def sample() -> tuple[Described, bytes, bytes]:
    """Return a table with two rows of it, which differ in their key."""
    known = described(table_of(INTEGERS[:2]), ["c0"], TypeOptions(), {})
    first, second = (known.table.image((number, 2), (True, True)) for number in (1, 2))
    return known, first, second


def sizes(parts: list[Part]) -> list[int]:
    json = JsonConverter({"schemas.enable": "false"})
    found, _ = outcome(batch_of(changes_of(parts)), writer(PLAIN, json, json), natively=True)
    return [len(part) for part in found]


def test_all_events_are_written_at_once() -> None:
    table, row, other = sample()
    inserts = (table, written.WRITE, row), (table, written.WRITE, row + other)
    assert sizes([*inserts, (table, written.DELETE, row), (table, written.UPDATE, row * 2)]) == [6]


def test_an_update_of_the_key_is_written_by_itself() -> None:
    table, row, other = sample()
    update, moved = (table, written.UPDATE, row * 2), (table, written.UPDATE, row + other)
    several = table, written.UPDATE, row * 2 + row + other
    assert sizes([update, moved, update]) == [1, 3, 1]
    assert sizes([update, several, several, update, update]) == [1, 4, 4, 2]
