"""Expressions count the characters of texts, not their bytes."""

from __future__ import annotations

from typing import Any

import pytest

from connector.data.record import Record
from connector.transforms.cel_expression import CelExpression
from connector.transforms.script_translation import translate

GROOVY, JAVASCRIPT = "jsr223.groovy", "jsr223.graal.js"
VALUES: dict[str, Any] = {
    "umlauts": "äöü", "smile": "\U0001f600x", "items": [1, 2],
}  # fmt: skip
EVENT = Record("t", None, None, None, None, VALUES)


def evaluated(text: str, language: str) -> Any:
    return CelExpression(translate(text, language), has_undefined=True).evaluate(EVENT)


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (GROOVY, "value.umlauts.length() == 3", True),
        (GROOVY, "value.umlauts.size() > 3", False),
        (GROOVY, "value.smile.length() == 3", True),
        (GROOVY, "value.smile.isEmpty() || value.items.isEmpty()", False),
        (GROOVY, "value.items.size() == 2", True),
        (JAVASCRIPT, "value.umlauts.length == 3", True),
        (JAVASCRIPT, "value.smile.length === 3", True),
        (JAVASCRIPT, "value.items.length === 2", True),
    ],
)
def test_a_text_is_as_long_as_in_java(language: str, text: str, expected: bool) -> None:
    assert evaluated(text, language) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("size(value.umlauts)", 3),
        ("value.smile.size()", 2),
        ("size(value.items) + size(b'\\303\\244')", 4),
        ("'size(' + string(size('äöü'))", "size(3"),
        ('"size( \'" + r"size(" + string(size("ä"))', "size( 'size(1"),
        ("value.items.map(item, size('ä'))", [1, 1]),
    ],
)
def test_cel_counts_the_characters_of_a_text(text: str, expected: object) -> None:
    assert CelExpression(text).evaluate(EVENT) == expected
