"""Scripts compare and join columns as Groovy and JavaScript do."""

from __future__ import annotations

from typing import Any

import pytest

from connector.data.record import Record
from connector.errors import ConfigError, TransformError
from connector.transforms.cel_expression import CelExpression
from connector.transforms.script_translation import translate
from connector.transforms.scripting import ConditionFilter

GROOVY, JAVASCRIPT = "jsr223.groovy", "jsr223.graal.js"
VALUES: dict[str, Any] = {
    "none": None, "five": 5, "one": 1, "yes": True, "no": False, "half": 5.5,
    "digits": "5", "padded": " 05.00 ", "empty": "", "name": "abc",
}  # fmt: skip


def evaluated(text: str, language: str) -> Any:
    event = Record("t", None, None, None, None, VALUES)
    return CelExpression(translate(text, language)).evaluate(event)


@pytest.mark.parametrize(
    ("language", "true", "false"),
    [
        (GROOVY, "value.none < value.five", "value.five < value.none"),
        (GROOVY, "value.none <= value.none", "value.none < value.none"),
        (GROOVY, "value.five > value.none", "value.none > value.five"),
        (GROOVY, "value.five >= value.none", "value.none >= value.five"),
        (GROOVY, "(value.none) < value.one", "value.five < value.one"),
        (JAVASCRIPT, "value.none < value.five", "value.five < value.none"),
        (JAVASCRIPT, "value.none >= value.none", "value.none > value.none"),
        (JAVASCRIPT, "!(value.none < 'a')", "value.none > 'a'"),
        (JAVASCRIPT, "value.none < '6'", "value.none > '6'"),
        (JAVASCRIPT, "'-1.5' < value.none", "'-1.5' >= value.none"),
        (JAVASCRIPT, "value.none <= ''", "value.none < ''"),
        (JAVASCRIPT, "value.digits < '6'", "value.name < '6'"),
    ],
)
def test_columns_with_nulls_are_compared(language: str, true: str, false: str) -> None:
    assert evaluated(true, language) is True
    assert evaluated(false, language) is False


@pytest.mark.parametrize("language", [GROOVY, JAVASCRIPT])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'t-' + value.none", "t-null"),
        ("value.none + '-t'", "null-t"),
        ("'t-' + value.yes + value.no", "t-truefalse"),
        ("'t-' + value.five + 1 + true + null", "t-51truenull"),
        ("'t-' + (value.five == 5 ? 'x' : value.name)", "t-x"),
        ("value.yes.toString() + value.five.toString()", "true5"),
    ],
)
def test_texts_are_joined_with_any_value(language: str, text: str, expected: str) -> None:
    assert evaluated(text, language) == expected


def test_a_null_has_a_text_in_groovy_only() -> None:
    assert evaluated("value.none.toString()", GROOVY) == "null"
    with pytest.raises(TransformError):
        evaluated("value.none.toString()", JAVASCRIPT)


@pytest.mark.parametrize(
    ("text", "rewritten"),
    [
        ("value.after.id in [5, 6]", "value.after.id in [5, 6]"),
        ("[-5].contains(value.after.id)", "value.after.id in [-5]"),
        ("value.after.id.equals(5)", "value.after.id == 5"),
    ],
)
def test_numbers_are_not_read_by_their_java_type(text: str, rewritten: str) -> None:
    with pytest.raises(ConfigError, match="a BIGINT is never equal to 5") as caught:
        ConditionFilter({"language": GROOVY, "condition": text})
    assert str(caught.value).endswith(f"condition={rewritten}")
    assert evaluated("value.name in ['abc'] && value.name.equals('abc')", GROOVY)
    assert evaluated("[5].includes(value.five)", JAVASCRIPT)


@pytest.mark.parametrize(
    ("literal", "equal"),
    [
        ("5", "five digits padded"),
        ("5.5", "half"),
        ("1", "one yes"),
        ("0", "no empty"),
        ("true", "one yes"),
        ("false", "no empty"),
        ("'5'", "five digits"),
        ("''", "no empty"),
        ("'1'", "one yes"),
        ("'abc'", "name"),
        ("null", "none"),
    ],
)
def test_javascript_converts_what_it_compares(literal: str, equal: str) -> None:
    found = [name for name in VALUES if evaluated(f"value.{name} == {literal}", JAVASCRIPT)]
    other = [name for name in VALUES if not evaluated(f"{literal} != value.{name}", JAVASCRIPT)]
    assert found == other
    assert set(found) == set(equal.split())
    assert evaluated("value.one !== true && value.digits !== 5", JAVASCRIPT)
