"""JSON text in Jackson's two forms."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from connector.capture.history.json_text import compact, pretty
from connector.capture.history.table_json import parse_table_id
from connector.capture.tables import TableId

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)
NAMES = st.text(min_size=1)


@given(VALUES)
def test_both_forms_say_what_was_meant(value: object) -> None:
    for text in (compact(value), pretty(value)):
        assert json.loads(text) == value


def test_the_compact_form() -> None:
    assert compact({"a": [1, None, {}], "ü": '"\\\n\t\x01'}) == (
        '{"a":[1,null,{}],"ü":"\\"\\\\\\n\\t\\u0001"}'
    )


def test_the_pretty_form() -> None:
    text = '{\n  "a" : [ 1, {\n    "b" : true\n  } ],\n  "c" : [ ],\n  "d" : { }\n}'
    assert pretty({"a": [1, {"b": True}], "c": [], "d": {}}) == text


@given(NAMES, NAMES)
def test_a_quoted_name_of_a_table_can_be_read_again(database: str, table: str) -> None:
    name = TableId(database, table)
    for quote in "\"`'":
        assert parse_table_id(name.quoted(quote)) == name


def test_names_of_older_versions() -> None:
    assert parse_table_id("a.b") == TableId("a", "b")
    assert parse_table_id('"a"."x"."b"') == TableId("a", "b")
    assert parse_table_id("`b`") == TableId("", "b")
