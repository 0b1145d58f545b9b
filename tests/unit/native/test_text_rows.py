"""The rows of a snapshot's text result sets: the same messages from the core as from Python."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connector import native
from connector.capture.change import RowChanges
from connector.converters.json import JsonConverter
from connector.debezium.events import EventOptions
from connector.errors import ConversionError
from connector.mysql.native_rows import read_natively
from connector.mysql.session.text_rows import TextRows
from connector.mysql.types.type_options import TypeOptions
from tests.fixtures.random_changes import NAMING, ROW_SLOT, SOURCE
from tests.fixtures.text_packets import packed
from tests.unit.mysql.binlog.images import rows_of, table_of, tables
from tests.unit.mysql.binlog.kinds import KINDS, TEXTS
from tests.unit.mysql.binlog.kinds_of_numbers import INTEGERS
from tests.unit.native.random_tables import RULES, TYPE_OPTIONS, described
from tests.unit.native.row_messages import CONVERTERS, SOURCE_VALUES, compiled
from tests.unit.native.text_streams import NUMBERS, check, sent, stream

pytestmark = pytest.mark.skipif(not native.AVAILABLE, reason="the native core is not built")


@settings(max_examples=200)
@given(st.data(), CONVERTERS, TYPE_OPTIONS, RULES, st.lists(st.integers(1, 60), max_size=20))
def test_messages_are_the_same_on_all_paths(
    data: st.DataObject,
    values: Any,
    options: TypeOptions,
    rules: dict[str, str],
    sizes: list[int],
) -> None:
    table = data.draw(tables(most=6, kinds=KINDS))
    table = replace(table, requested=tuple(range(len(table.kinds))))
    known = described(table, ["c0"], options, rules)
    if known.codec.derived or len(known.codec.columns) != len(table.kinds):
        return
    rows = data.draw(st.lists(rows_of(table), min_size=1, max_size=5))
    check(known, sent(table, rows, lambda kind, value: kind.text(value)), sizes, values)


@settings(max_examples=400)
@given(st.data(), CONVERTERS, TYPE_OPTIONS, st.sampled_from(KINDS))
def test_unusual_texts_are_left_to_python(
    data: st.DataObject, values: Any, options: TypeOptions, kind: Any
) -> None:
    table = table_of([kind, INTEGERS[4]])
    known = described(table, [], options, {})
    text = data.draw(st.sampled_from(NUMBERS)).encode()
    check(known, packed((text, b"1")) + packed((None, b"2")), [], values)


def test_the_error_for_a_value_of_another_type_does_not_show_it() -> None:
    known = described(table_of([INTEGERS[4]]), [], TypeOptions(), {})
    [rows] = read_natively(TextRows(known.codec.columns), stream(packed((b"secret",)), []))
    options = EventOptions("acme", NAMING, SOURCE, ROW_SLOT)
    work = RowChanges(known.codec, "r", rows, SOURCE_VALUES, None)
    with pytest.raises(
        ConversionError, match=r"^column \w+ has a value that is none of "
    ) as caught:
        compiled(options, JsonConverter(), work)
    assert "secret" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_rows_of_several_packets_stand_between_others() -> None:
    table = table_of([INTEGERS[4], TEXTS[-1]])
    known = described(table, ["c0"], TypeOptions(), {})
    small, large = packed((b"1", b"a")), packed((b"2", b"b" * (1 << 24)))
    check(
        known, small * 2 + large + small, [100, 1 << 20], JsonConverter({"schemas.enable": "false"})
    )
