"""Texts in scripts: their escapes, and their regular expressions."""

from __future__ import annotations

from typing import Any

import pytest

from connector.data.record import Record
from connector.errors import ConfigError
from connector.transforms.cel_expression import CelExpression
from connector.transforms.script_translation import translate

GROOVY, JAVASCRIPT = "jsr223.groovy", "jsr223.graal.js"
VALUES: dict[str, Any] = {
    "umlauts": "äöü", "smile": "\U0001f600x", "name": "abc", "tab": "a\tb", "digit": "٣",
    "space": "\N{EM SPACE}", "nine": 8,
}  # fmt: skip
EVENT = Record("t", None, None, None, None, VALUES)


def evaluated(text: str, language: str) -> Any:
    return CelExpression(translate(text, language), has_undefined=True).evaluate(EVENT)


@pytest.mark.parametrize("language", [GROOVY, JAVASCRIPT])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"value.name == '\u0061bc'", True),
        (r"value.smile == '\uD83D\uDE00x'", True),
        (r"value.tab == 'a\tb'", True),
        (r"value.tab == 'a\bb'", False),
        (r"'\b\f' + value.name", "\b\fabc"),
        (r"'it\'s \\ \u00e4'", "it's \\ ä"),
    ],
)
def test_escapes_mean_what_they_do_in_scripts(language: str, text: str, expected: object) -> None:
    assert evaluated(text, language) == expected


@pytest.mark.parametrize("language", [GROOVY, JAVASCRIPT])
@pytest.mark.parametrize(
    "text",
    [
        r"value.name == '\x61'", r"value.name == '\141'", r"value.name == '\u{61}'",
        r"value.name == '\uD83D'", "value.nine == 010", "value.nine == 08",
    ],
)  # fmt: skip
def test_escapes_and_numbers_of_another_base_are_refused(language: str, text: str) -> None:
    with pytest.raises(ConfigError):
        translate(text, language)


@pytest.mark.parametrize(
    ("pattern", "matches"),
    [
        (r"\w+", {"name"}),
        (r"[\w\t]+", {"name", "tab"}),
        (r"\d", set[str]()),
        (r"\D", {"digit", "space"}),
        (r"[^\d\w]+", {"umlauts", "digit", "space"}),
        (r"\s|\W", {"digit", "space"}),
        (r"a\sb", {"tab"}),
        (r"\S+", {"umlauts", "smile", "name", "digit", "space"}),
        (r"\\w|a\w.", {"name"}),
    ],
)
def test_classes_of_characters_hold_ascii_only(pattern: str, matches: set[str]) -> None:
    names = ["umlauts", "smile", "name", "tab", "digit", "space"]
    assert {n for n in names if evaluated(f"value.{n} ==~ /{pattern}/", GROOVY)} == matches
