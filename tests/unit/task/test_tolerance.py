import logging

import pytest

from connector.errors import (
    AccessDeniedError,
    BrokerUnavailableError,
    ClientFailedError,
    ProduceError,
    RefusedMessageError,
)
from connector.task.tolerance import Tolerance


def tolerance(**keys: str) -> tuple[Tolerance, list[None]]:
    passed: list[None] = []
    config = {f"errors.{key.replace('_', '.')}": value for key, value in keys.items()}
    return Tolerance(config, lambda: passed.append(None)), passed


def test_nothing_is_passed_over_unless_told_to():
    without, passed = tolerance()
    assert not without.passes_over("CONVERSION", ValueError("x"), "t")
    assert not passed


def test_any_error_of_a_record_is_passed_over_and_counted():
    all_of_them, passed = tolerance(tolerance="all")
    assert all_of_them.passes_over("TRANSFORMATION", ValueError("x"), "t")
    assert all_of_them.passes_over("PRODUCE", RefusedMessageError("too large", "t"), "t")
    assert len(passed) == 2


@pytest.mark.parametrize(
    "error", [ProduceError("unknown"), AccessDeniedError("no WRITE"), ClientFailedError("fatal")]
)
def test_what_concerns_all_that_is_queued_is_never_passed_over(error: Exception):
    all_of_them, passed = tolerance(tolerance="all")
    assert not all_of_them.passes_over("PRODUCE", error, "t")
    assert not passed


def test_a_fault_that_passes_is_waited_for():
    all_of_them, passed = tolerance(tolerance="all")
    assert not all_of_them.passes_over("PRODUCE", BrokerUnavailableError("away"), "t")
    assert not passed


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ({}, ""),
        ({"log_enable": "true"}, "A record is passed over at CONVERSION, ValueError"),
        (
            {"log_enable": "true", "log_include_messages": "true"},
            "A record for topic t is passed over at CONVERSION, ValueError",
        ),
    ],
)
def test_the_log_tells_what_is_asked_for_and_no_values(
    keys: dict[str, str], text: str, caplog: pytest.LogCaptureFixture
):
    with caplog.at_level(logging.ERROR):
        tolerance(tolerance="all", **keys)[0].passes_over("CONVERSION", ValueError("secret"), "t")
    assert "\n".join(record.getMessage() for record in caplog.records) == text
