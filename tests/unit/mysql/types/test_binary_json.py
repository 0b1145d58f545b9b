"""Binary JSON: random documents, large ones, opaque values, damaged ones."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connector.errors import ConversionError
from connector.mysql.types import json_texts
from connector.mysql.types.binary_json import json_tree, quoted, tree_text
from connector.mysql.types.json_texts import OFTEN, json_text
from tests.unit.mysql.types.binary_documents import DOCUMENTS, document, text


@settings(max_examples=150)
@given(DOCUMENTS, st.booleans())
def test_a_document_becomes_its_text(value: Any, large: bool) -> None:
    data = document(value, large=large)
    assert json_text(data) == text(value)
    assert tree_text(json_tree(data)) == text(value)


@settings(max_examples=60)
@given(DOCUMENTS, st.data())
def test_documents_that_come_often_become_their_text(value: Any, data: st.DataObject) -> None:
    whole = document(value)
    assert {json_text(whole) for _ in range(OFTEN + 2)} == {text(value)}
    if isinstance(value, (dict, list)):
        with pytest.raises(ConversionError, match="malformed binary JSON"):
            json_text(whole[: data.draw(st.integers(0, len(whole) - 1))])


@pytest.mark.parametrize("first", [0, -1, 32_767, "", "x" * 127, "x" * 128, 'a"b', "a\\b", "\n"])
def test_documents_of_one_shape_differ_in_values(first: Any) -> None:
    for number in range(OFTEN + 2):
        value = {"a{}": first, "b": [first, {"c": first}], "n": number}
        assert json_text(document(value)) == text(value)


def test_short_containers_of_the_same_bytes_are_distinguished() -> None:
    for number in range(OFTEN + 2):
        value = {"a": [], "b": {}, "n": number, "o": [1, number], "p": {"x": ["y" * (number % 70)]}}
        assert json_text(document(value)) == text(value)


def test_shapes_without_end_are_forgotten() -> None:
    for number in range(11_000):
        json_text(document({f"k{number}": 1}))
    assert json_text(document({"k1": 1})) == '{"k1":1}'
    assert len(json_texts._seen) <= 10_000


@given(DOCUMENTS)
def test_the_text_is_json(value: Any) -> None:
    json.loads(json_text(document(value)))


@pytest.mark.parametrize("count", [0, 1, 64, 65, 300, 12_000])
def test_containers_of_any_size(count: int) -> None:
    numbers = [number * 7 - 40_000 for number in range(count)]
    members = {f"k{number}": "v" * (number % 3) for number in range(count)}
    for value in (numbers, members, {"inner": [numbers, members]}):
        assert json_text(document(value)) == text(value)


@pytest.mark.parametrize("size", [0, 127, 128, 16_383, 16_384, 70_000])
def test_texts_of_any_length(size: int) -> None:
    value = {"t": "x" * size, "u": ["y" * size, 1]}
    assert json_text(document(value)) == text(value)


def test_members_stand_in_stored_order() -> None:
    assert json_text(document({"b": 1, "aa": 2, "a": 3, "é": 4})) == '{"a":3,"b":1,"aa":2,"é":4}'


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1e20, "100000000000000000000"),
        (2.0**-20, "0.00000095367431640625"),
        (123.25, "123.25"),
        (-0.0, "-0.0"),
    ],
)
def test_doubles_are_written_without_exponent(value: float, expected: str) -> None:
    assert json_text(document(value)) == expected


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_quoted_text_is_read_back(value: str) -> None:
    assert json.loads(quoted(value)) == value


@settings(max_examples=150)
@given(DOCUMENTS.filter(lambda value: isinstance(value, (dict, list))), st.data())
def test_a_document_that_is_cut_short_is_refused(value: Any, data: st.DataObject) -> None:
    whole = document(value)
    cut = whole[: data.draw(st.integers(0, len(whole) - 1))]
    for read in (json_text, json_tree):
        with pytest.raises(ConversionError, match="malformed binary JSON"):
            read(cut)


@settings(max_examples=150)
@given(st.binary(max_size=60))
def test_any_bytes_give_a_text_or_an_error(data: bytes) -> None:
    try:
        assert isinstance(json_text(data), str)
    except ConversionError as error:
        assert str(error) == f"malformed binary JSON of {len(data)} bytes"  # noqa: PT017


def test_a_document_that_contains_itself_is_refused() -> None:
    itself = b"\x02" + b"\x01\0" + b"\x07\0" + b"\x02\0\0"
    with pytest.raises(ConversionError):
        json_text(itself)


def test_a_huge_count_does_not_take_huge_memory() -> None:
    with pytest.raises(ConversionError):
        json_text(b"\x01" + b"\xff" * 8 + bytes(20))
