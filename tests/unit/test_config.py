"""Configuration keys: what a text becomes, and what validation says in Kafka's words."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.config import (
    HIDDEN,
    REQUIRED,
    ConfigDef,
    ConfigKey,
    ConfigType,
    at_least,
    convert,
    non_empty,
    one_of,
    only,
    regular_expressions,
    settings_below,
)
from connector.errors import ConfigError


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("BOOLEAN", " True ", True),
        ("BOOLEAN", "FALSE", False),
        ("SHORT", "-32768", -32768),
        ("INT", " 2147483647 ", 2147483647),
        ("INT", "+7", 7),
        ("LONG", "-9223372036854775808", -(2**63)),
        ("DOUBLE", " 1.5e3 ", 1500.0),
        ("DOUBLE", "1d", 1.0),
        ("DOUBLE", "0x1p3", 8.0),
        ("DOUBLE", "-Infinity", float("-inf")),
        ("STRING", "  a b  ", "a b"),
        ("STRING", "\t\x1f\0a\u2003", "a\u2003"),
        ("STRING", "\u00a0", "\u00a0"),
        ("CLASS", " a.B ", "a.B"),
        ("PASSWORD", "  secret ", "  secret "),
        ("LIST", " a , b,c ", ["a", "b", "c"]),
        ("LIST", "a,,b", ["a", "", "b"]),
        ("LIST", "\u00a0a\t,\u00a0b", ["\u00a0a", "\u00a0b"]),
        ("LIST", "  ", []),
    ],
)
def test_a_text_becomes_a_value_of_its_type(kind: ConfigType, text: str, value: object) -> None:
    found = convert("k", kind, text)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("kind", "text", "reason"),
    [
        ("BOOLEAN", "yes", "Expected value to be either true or false"),
        ("BOOLEAN", "", "Expected value to be either true or false"),
        ("SHORT", "32768", "Not a number of type SHORT"),
        ("INT", "2147483648", "Not a number of type INT"),
        ("INT", "1.0", "Not a number of type INT"),
        ("INT", "", "Not a number of type INT"),
        ("INT", "1_000", "Not a number of type INT"),
        ("INT", "9" * 5000, "Not a number of type INT"),
        ("LONG", "9223372036854775808", "Not a number of type LONG"),
        *(
            ("DOUBLE", text, "Not a number of type DOUBLE")
            for text in ("x", "", "1_0", "inf", "nan")
        ),
    ],
)
def test_a_text_of_another_type_is_refused(kind: ConfigType, text: str, reason: str) -> None:
    with pytest.raises(ConfigError) as caught:
        convert("some.key", kind, text)
    assert str(caught.value) == f"Invalid value {text.strip()} for configuration some.key: {reason}"


@pytest.mark.parametrize(
    ("text", "shown"),
    [("2", "2.0"), ("123456789", "1.23456789E8"), ("1e400", "Infinity"), ("NaN", "NaN")],
)
def test_a_number_is_shown_as_java_writes_it(text: str, shown: str) -> None:
    assert ConfigDef([ConfigKey("k", "DOUBLE")]).check({"k": text})["k"].value == shown


@given(st.integers(-(2**63), 2**63 - 1))
def test_every_number_in_range_is_read(number: int) -> None:
    assert convert("k", "LONG", str(number)) == number


DEFINITION = ConfigDef(
    [
        ConfigKey("url", default=REQUIRED, validator=non_empty),
        ConfigKey("size", "INT", 10, validator=at_least(1)),
        ConfigKey("mode", default="Fast", validator=one_of("Fast", "safe"), recommended=("Fast",)),
        ConfigKey("password", "PASSWORD"),
        ConfigKey("names", "LIST", ["a", "b"]),
        ConfigKey("on", "BOOLEAN", True),
    ]
)


def test_parsing_gives_every_key_a_value() -> None:
    assert DEFINITION.parse({"url": "u", "size": "3", "unknown": "x"}) == {
        "url": "u",
        "size": 3,
        "mode": "Fast",
        "password": None,
        "names": ["a", "b"],
        "on": True,
    }


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({}, 'Missing required configuration "url" which has no default value.'),
        ({"url": None}, 'Missing required configuration "url" which has no default value.'),
        ({"url": ""}, "Invalid value  for configuration url: String must be non-empty"),
        ({"url": "u", "size": "0"}, "Invalid value 0 for configuration size: Value must be at"),
        ({"url": "u", "size": "x"}, "Invalid value x for configuration size: Not a number of"),
        ({"url": "u", "mode": "slow"}, "configuration mode: String must be one of: Fast, safe"),
    ],
)
def test_parsing_stops_at_the_first_fault(config: dict[str, str | None], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        DEFINITION.parse(config)
    assert message in str(caught.value)


def test_checking_reports_on_every_key_and_hides_secrets() -> None:
    report = DEFINITION.check({"size": "0", "mode": "x", "password": "p", "names": "c, d"})
    assert {name: value.value for name, value in report.items()} == {
        "url": None,
        "size": "0",
        "mode": "x",
        "password": HIDDEN,
        "names": "c,d",
        "on": "true",
    }
    assert [name for name, value in report.items() if value.errors] == ["url", "size", "mode"]
    assert report["mode"].recommended == ("Fast",)


def test_an_unreadable_text_has_a_fault_and_no_value() -> None:
    value = DEFINITION.check({"url": "u", "size": "many"})["size"]
    assert value.value is None
    assert value.errors == ["Invalid value many for configuration size: Not a number of type INT"]


def test_no_secret_is_in_what_a_report_says() -> None:
    definition = ConfigDef([ConfigKey("p", "PASSWORD", validator=non_empty)])
    assert "hunter2" not in str(definition.check({"p": "hunter2"}))


def test_joined_definitions_keep_the_first_of_two_equal_names() -> None:
    joined = ConfigDef([ConfigKey("a", default="1")]) + ConfigDef(
        [ConfigKey("a", default="2"), ConfigKey("b")]
    )
    assert [key.name for key in joined] == ["a", "b"]
    assert joined["a"].default == "1"
    assert "b" in joined
    assert "c" not in joined


def test_choices_may_be_case_sensitive() -> None:
    strict = one_of("Fast", case_sensitive=True)
    assert strict("k", "Fast") is None
    assert strict("k", None) is None
    assert "one of: Fast" in (strict("k", "fast") or "")


@pytest.mark.parametrize(("value", "accepted"), [(0, True), (None, True), (5, False)])
def test_what_is_not_supported_is_refused_with_the_reason(value: Any, accepted: bool) -> None:
    fault = only(0, because="there is no buffer")("k", value)
    assert fault is None if accepted else "not supported: there is no buffer" in (fault or "")


@pytest.mark.parametrize(
    ("value", "bad"),
    [
        (None, None),
        ("", None),
        ([], None),
        ("db\\.a.*,db\\.(b|c)", None),
        (["db\\.a", "x{1\\,2}"], None),
        ("ok,(", "("),
        (["ok", "[a"], "[a"),
    ],
)
def test_a_list_of_expressions_names_the_bad_one(value: Any, bad: str | None) -> None:
    fault = regular_expressions("table.include.list", value)
    if bad is None:
        assert fault is None
    else:
        assert fault is not None
        assert fault.startswith(f"Invalid value {bad} for configuration table.include.list")


def test_settings_below_a_prefix() -> None:
    config = {"a.b": "1", "a.": "2", "a": "3", "b.a.b": "4", "a.a.b": "5"}
    assert settings_below(config, "a.") == {"b": "1", "": "2", "a.b": "5"}
    assert settings_below(config, "c.") == {}


def test_an_error_of_a_secret_hides_it() -> None:
    refused = ConfigDef([ConfigKey("p", "PASSWORD", validator=only(because="set q"))])
    text = "Invalid value [hidden] for configuration p: not supported: set q"
    assert refused.check({"p": "secret"})["p"].errors == [text]
    with pytest.raises(ConfigError, match="hidden") as caught:
        refused.parse({"p": "secret"})
    assert "secret" not in str(caught.value)
