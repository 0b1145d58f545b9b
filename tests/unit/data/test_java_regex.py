"""Regular expressions of Java match what they match in Java."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.data.java_regex import compile_java

# Each line: flags of Java, an expression, and what `Pattern` of JDK 17 answers. A text has "1" if
# all of it matches, else "0", then the span of what is found first, and those of its groups.
_LINES = (Path(__file__).parent / "java_regex_observed.jsonl").read_text().splitlines()
_OBSERVED = [json.loads(line) for line in _LINES]


def answer(regex: re.Pattern[str], text: str) -> str:
    found = "1" if regex.fullmatch(text) else "0"
    match = regex.search(text)
    if match is None:
        return found
    spans = [match.span(group) for group in range(regex.groups + 1)]
    return f"{found}:" + ",".join("n" if a < 0 else f"{a}-{b}" for a, b in spans)


@pytest.mark.parametrize(
    ("flags", "text", "answers", "others"),
    [(flags, text, *answers) for flags, text, *answers in _OBSERVED if len(answers) == 2],
)
def test_an_expression_finds_what_java_finds(
    flags: int, text: str, answers: Mapping[str, str], others: list[str]
) -> None:
    regex = compile_java(text, re.IGNORECASE if flags else 0)
    assert {one: answer(regex, one) for one in (*answers, *others)} == {
        **answers,
        **dict.fromkeys(others, "0"),
    }


@pytest.mark.parametrize("text", sorted({text for _, text, *rest in _OBSERVED if len(rest) == 1}))
def test_what_java_refuses_is_refused(text: str) -> None:
    with pytest.raises(re.error):
        compile_java(text)


@pytest.mark.parametrize(
    "text",
    ["(?x)a", "(?d)a", "(?u)a", "(?U)a", r"\G", r"\X", r"\b{g}", r"(?<=a|bc)", r"\p{IsGreek}"],
)
def test_what_python_cannot_match_is_refused(text: str) -> None:
    with pytest.raises(re.error, match="not supported"):
        compile_java(text)


@pytest.mark.parametrize("text", ["(" * 5_000, "[" * 5_000, "a{99999999999}", "a" * 100_001])
def test_an_expression_beyond_all_measure_is_refused(text: str) -> None:
    with pytest.raises(re.error):
        compile_java(text)


@given(st.text())
def test_a_quotation_matches_itself(text: str) -> None:
    quoted = "\\Q" + text.replace("\\E", "\\E\\\\E\\Q") + "\\E"
    assert compile_java(quoted).fullmatch(text)


@given(st.text(st.sampled_from("ab01\\[](){}^$.|?*+&-<>:=!,pQEdwk éß\n")), st.text())
def test_no_text_leads_to_another_error(expression: str, text: str) -> None:
    try:
        regex = compile_java(expression)
    except re.error:
        return
    regex.search(text)
