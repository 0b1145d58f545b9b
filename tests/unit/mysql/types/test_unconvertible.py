"""Values that the events have no form for: null, or the task fails."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from connector.errors import ConversionError
from connector.mysql.types import fields
from connector.mysql.types.type_options import TypeOptions
from tests.fixtures import fields_as_bytes as write
from tests.unit.mysql.types.columns import codec, default, log, text

LONG = "-838:59:59"  # no time of a day
CASES: list[Any] = [
    pytest.param("TIME", {"time_precision": "connect"}, LONG, id="connect"),
    pytest.param("TIME", {"time_precision": "isostring"}, LONG, id="isostring"),
    pytest.param(
        "DATETIME", {"time_precision": "nanoseconds"}, "9999-01-01 00:00:00", id="nanoseconds"
    ),
    pytest.param("POINT", {}, "too short", id="point"),
]


@pytest.mark.parametrize(("type_name", "options", "value"), CASES)
@pytest.mark.parametrize(("mode", "level"), [("warn", "WARNING"), ("skip", "DEBUG")])
def test_a_field_is_left_out(
    type_name: str,
    options: dict[str, Any],
    value: str,
    mode: Any,
    level: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    column = codec(type_name, TypeOptions(on_failure=mode, **options), optional=True)
    assert text(column, value) is None
    messages = [record.getMessage() for record in caplog.records if record.levelname == level]
    assert [message.partition(":")[0] for message in messages] == [
        f"A value of column c ({type_name}) cannot be written"
    ]
    assert value not in messages[0]


@pytest.mark.parametrize(("type_name", "options", "value"), CASES)
def test_it_fails_if_so_configured(type_name: str, options: dict[str, Any], value: str) -> None:
    column = codec(type_name, TypeOptions(on_failure="fail", **options), optional=True)
    with pytest.raises(ConversionError, match=r"column c \(.* cannot be written") as caught:
        text(column, value)
    assert "event.converting.failure.handling.mode=warn" in caught.value.remedy


@pytest.mark.parametrize(("type_name", "options", "value"), CASES)
def test_a_field_that_cannot_be_null_fails_in_every_mode(
    type_name: str, options: dict[str, Any], value: str
) -> None:
    column = codec(type_name, TypeOptions(on_failure="skip", **options), optional=False)
    with pytest.raises(ConversionError, match="cannot be written") as caught:
        text(column, value)
    assert "cannot be null" in caught.value.remedy


def test_a_default_takes_the_place() -> None:
    options = TypeOptions(time_precision="connect")
    column = codec("TIME", options, optional=False, has_default=True, default="00:00:01")
    assert text(column, LONG) == 1000


def test_a_document_that_is_damaged() -> None:
    wire, data = (fields.JSON, 4), write.prefixed(b"\xff", 4)
    assert log(codec("JSON", optional=True), wire, data) is None
    assert log(codec("JSON", optional=False), wire, data) == "{}"
    with pytest.raises(ConversionError, match="malformed binary JSON of 1 bytes"):
        log(codec("JSON", TypeOptions(on_failure="fail"), optional=True), wire, data)


def test_a_default_that_cannot_be_read_may_fail() -> None:
    assert default("INT", "secret") is None
    with pytest.raises(ConversionError, match="default value of column c") as caught:
        default("INT", "secret", options=TypeOptions(on_failure="fail"))
    assert "secret" not in str(caught.value)
