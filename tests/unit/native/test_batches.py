"""Changes that the native core writes at once have the messages of each by itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connector import native
from connector.capture.change import PositionText, RowChanges
from connector.converters.json import JsonConverter
from connector.data.record import Message
from connector.debezium.compiled import CompiledRows, fragment_keys
from connector.debezium.events import EventOptions
from connector.debezium.transactions import Transaction
from connector.errors import MillraceError
from connector.mysql.types.type_options import TypeOptions
from connector.task.row_groups import write_group
from tests.fixtures.random_changes import NAMING, OPTIONS, ROW_SLOT, SOURCE
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
from tests.unit.native.row_messages import CONVERTERS, SOURCE_VALUES, header, ids

pytestmark = pytest.mark.skipif(not native.AVAILABLE, reason="the native core is not built")
PLAIN = EventOptions("acme", NAMING, SOURCE, ROW_SLOT)


class OneByOne:
    """Writes no changes at once."""

    def __init__(self, rows: CompiledRows) -> None:
        self.messages = rows.messages

    def batch(self, changes: Sequence[RowChanges]) -> None:  # noqa: ARG002 - writes none
        return None


def writer(options: EventOptions, keys: Any, values: Any) -> CompiledRows:
    encode_key = fragment_keys(keys)
    return CompiledRows(options, Transaction(), values, encode_key, header, keys, (ids, ids))


def outcome(changes: list[RowChanges], rows: Any) -> tuple[list[Message], str]:
    """Return the messages, those before one that fails too, and the error."""
    parts: list[Iterable[Message]] = []
    error = ""
    try:
        write_group(changes, rows, parts)
    except MillraceError as failed:
        error = f"{type(failed).__name__}: {failed}"
    return [message for part in parts for message in part], error


def changes_of(table: Described, kind: int, images: list[bytes]) -> list[RowChanges]:
    """Return a change for each event; each has another source block."""
    plan, changes = table.plan(), []
    for number, image in enumerate(images):
        event = table.event(kind, image)
        source = tuple(
            value + number if isinstance(value, int) else value for value in SOURCE_VALUES
        )
        changes.append(RowChanges(table.codec, event.kind, plan.rows(event), source))
    return changes


@settings(max_examples=300)
@given(st.data(), OPTIONS, CONVERTERS, CONVERTERS, st.sampled_from(list(LETTERS)))
def test_messages_are_the_same_at_once(
    data: st.DataObject, options: EventOptions, keys: Any, values: Any, kind: int
) -> None:
    table = data.draw(described_tables(most=5))
    images = data.draw(st.lists(images_of(table.table, kind), min_size=2, max_size=4))
    ways = []
    for make in (lambda rows: rows, OneByOne):
        try:
            changes = changes_of(table, kind, images)
        except MillraceError:
            return
        ways.append(outcome(changes, make(writer(options, keys, values))))
    assert ways[0] == ways[1]


def parts_of(changes: list[RowChanges], options: EventOptions) -> list[list[Message]]:
    json = JsonConverter({"schemas.enable": "false"})
    parts: list[Iterable[Message]] = []
    write_group(changes, writer(options, json, json), parts)
    return [list(part) for part in parts]


def sample(kind: int, rows: int = 1) -> list[RowChanges]:
    """Return three changes of a table, with so many rows each."""
    known = described(table_of(INTEGERS[:2]), ["c0"], TypeOptions(), {})
    image = known.table.image((1, 2), (True, True))
    return changes_of(known, kind, [image * rows * (1 + (kind == written.UPDATE))] * 3)


@pytest.mark.parametrize("kind", LETTERS)
def test_neighbors_of_one_table_and_operation_are_written_at_once(kind: int) -> None:
    each = 1 + (kind == written.DELETE)
    changes = sample(kind, rows=2)
    assert [len(part) for part in parts_of(changes, PLAIN)] == [3 * 2 * each]
    assert not any(change.rows for change in changes)


def test_other_operations_and_tables_end_what_is_written_at_once() -> None:
    inserts, others = sample(written.WRITE), sample(written.WRITE)
    changes = [*inserts, *sample(written.DELETE)[:2], *others[:1]]
    assert [len(part) for part in parts_of(changes, PLAIN)] == [3, 4, 1]


@pytest.mark.parametrize(
    "different",
    [{"first_row": 2}, {"first_row": None}, {"position_text": PositionText("0/b/4/")}],
)
def test_changes_that_need_more_than_their_rows_are_written_alone(different: Any) -> None:
    changes = sample(written.WRITE)
    changes[1] = replace(changes[1], **different)
    assert [len(part) for part in parts_of(changes, PLAIN)] == [1, 1, 1]


def test_rows_whose_key_changes_are_written_alone() -> None:
    known = described(table_of(INTEGERS[:2]), ["c0"], TypeOptions(), {})
    old, new = (known.table.image((number, 2), (True, True)) for number in (1, 2))
    changes = changes_of(known, written.UPDATE, [old + old, old + new, new + new])
    assert [len(part) for part in parts_of(changes, PLAIN)] == [1, 3, 1]
