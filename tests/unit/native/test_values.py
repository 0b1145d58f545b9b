"""Single columns of native rows, and rows whose values are checked when they are read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connector import native
from connector.capture.change import RowChanges
from connector.capture.incremental.window import Window
from connector.errors import ConversionError
from connector.mysql.native_rows import Batch, read_batches, text_program
from connector.mysql.session.text_rows import TextRows
from connector.mysql.types.type_options import TypeOptions
from tests.fixtures.text_packets import packed
from tests.unit.mysql.binlog import events_as_bytes as written
from tests.unit.mysql.binlog.images import RandomTable, rows_of, table_of, tables
from tests.unit.mysql.binlog.kinds import KINDS
from tests.unit.mysql.binlog.kinds_of_numbers import INTEGERS
from tests.unit.native.random_tables import RULES, TYPE_OPTIONS, described
from tests.unit.native.text_streams import NUMBERS, sent, stream

pytestmark = pytest.mark.skipif(not native.AVAILABLE, reason="the native core is not built")
Outcome = list[Any] | type[Exception]


def in_python(batch: Batch) -> list[Any]:
    return [row for _, row in batch] if native.is_native(batch) else list(batch)


def outcome(batches: Iterable[Batch]) -> Outcome:
    try:
        return [row for batch in batches for row in in_python(batch)]
    except ConversionError as error:
        return type(error)


def every_column(table: RandomTable) -> RandomTable:
    return replace(table, requested=tuple(range(len(table.kinds))))


@settings(max_examples=200)
@given(st.data(), TYPE_OPTIONS, RULES, st.lists(st.integers(1, 60), max_size=20))
def test_a_column_has_the_values_of_the_rows(
    data: st.DataObject, options: TypeOptions, rules: dict[str, str], sizes: list[int]
) -> None:
    table = every_column(data.draw(tables(most=6, kinds=KINDS)))
    codec = described(table, ["c0"], options, rules).codec
    if codec.derived or len(codec.columns) != len(table.kinds):
        return
    plain = data.draw(st.lists(rows_of(table), min_size=1, max_size=5))
    packets = sent(table, plain, lambda kind, value: kind.text(value))
    rows = TextRows([column.as_selected() for column in codec.columns])
    expected = outcome(rows.read(stream(packets, list(sizes))))
    program = text_program(rows, is_checked=True)
    assert expected == outcome(read_batches(rows, stream(packets, list(sizes)), program))
    if not isinstance(expected, list):
        return
    for batch in read_batches(rows, stream(packets, list(sizes)), program):
        if native.is_native(batch):
            for slot in range(len(codec.columns)):
                values = [row[slot] for row in in_python(batch)]
                found = batch.values(slot)
                assert found == values or (found is None and codec.columns[slot].absent in values)


@settings(max_examples=400)
@given(TYPE_OPTIONS, st.sampled_from(KINDS), st.sampled_from(NUMBERS))
def test_values_that_are_not_of_the_type_are_found_at_once(
    options: TypeOptions, kind: Any, text: str
) -> None:
    codec = described(table_of([kind, INTEGERS[4]]), [], options, {}).codec
    rows = TextRows([column.as_selected() for column in codec.columns])
    packets = packed((text.encode(), b"1")) + packed((None, b"2"))
    program = text_program(rows, is_checked=True)
    read = outcome(read_batches(rows, stream(packets, []), program))
    assert read == outcome(rows.read(stream(packets, [])))


def test_updates_have_a_value_before_and_one_after() -> None:
    known = described(table_of(INTEGERS[:2]), ["c0"], TypeOptions(), {})
    images = known.table.image((1, 2), (True, True)) + known.table.image((3, 4), (True, True))
    rows: Any = known.plan().rows(known.event(written.UPDATE, images))
    assert rows.values(0) == [1, 3]
    assert rows.values(1) == [2, 4]
    assert rows.part(1, 1).values(0) == []
    assert rows.values(2) is None


def test_python_sees_rows_without_the_columns_behind_them() -> None:
    codec = described(table_of(INTEGERS[4:6]), ["c0"], TypeOptions(), {}).codec
    rows = TextRows(codec.columns)
    [batch] = read_batches(rows, stream(packed((b"1", b"2")), []), text_program(rows, 1))
    assert native.is_native(batch)
    assert list(batch) == [(None, (1,))]
    assert batch.values(1) == [2]


def test_a_window_drops_rows_of_the_core_and_decodes_no_others() -> None:
    known = described(table_of(INTEGERS[4:6]), ["c0"], TypeOptions(), {})
    rows = TextRows(known.codec.columns)
    packets = b"".join(packed((str(number).encode(), b"7")) for number in range(5))
    program = text_program(rows, is_checked=True)
    window = Window()
    window.advance("chunk")
    window.fill(known.codec, list(read_batches(rows, stream(packets, []), program)))
    window.advance("open")
    images = known.table.image((1, 2), (True, True)) + known.table.image((3, 4), (True, True))
    changed: Any = known.plan().rows(known.event(written.UPDATE, images))
    assert native.is_native(changed)
    window.deduplicate(RowChanges(known.codec, "u", changed, ()))
    left = window.take()
    assert all(native.is_native(batch) for batch in left)
    assert [row for batch in left for row in in_python(batch)] == [(0, 7), (2, 7), (4, 7)]
