"""Expressions cannot end the worker or fill its memory, however they are nested."""

from __future__ import annotations

import pytest

from connector.errors import ConfigError
from connector.transforms.cel_expression import CelExpression
from connector.transforms.script_translation import translate


@pytest.mark.parametrize("language", ["jsr223.groovy", "jsr223.graal.js"])
@pytest.mark.parametrize(
    "text",
    [
        "value" + "?.a" * 40 + " == 1",
        "value.a" + ".toString()" * 40 + " == '1'",
        "!" * 5_000 + "true",
        "(" * 5_000 + "true" + ")" * 5_000,
    ],
    ids=["optional members", "texts of texts", "negations", "brackets"],
)
def test_a_script_that_is_nested_too_deeply_is_refused(text: str, language: str) -> None:
    with pytest.raises(ConfigError, match="too long"):
        translate(text, language)


@pytest.mark.parametrize("part", ["+1", " == value.a", ".a", "[0]", " in value"])
def test_an_expression_with_too_many_operators_is_refused(part: str) -> None:
    with pytest.raises(ConfigError, match="too long"):
        CelExpression("value" + part * 30_000)


def test_many_comparisons_are_computed() -> None:
    text = " || ".join(f"value.source.table == 'table.{number}/a-b'" for number in range(400))
    CelExpression(translate(text, "jsr223.groovy"))
    CelExpression(translate("value?.after?.name?.toString() == 'x'", "jsr223.groovy"))
