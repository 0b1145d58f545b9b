import logging

import pytest

from connector.errors import (
    AccessDeniedError,
    BrokerUnavailableError,
    ClientFailedError,
    ProduceError,
    RefusedMessageError,
)
from connector.task.tolerance import ErrorTolerance


def tolerance(**keys: str) -> tuple[ErrorTolerance, list[None]]:
    skipped: list[None] = []
    config = {f"errors.{key.replace('_', '.')}": value for key, value in keys.items()}
    return ErrorTolerance(config, lambda: skipped.append(None)), skipped


def test_nothing_is_skipped_by_default() -> None:
    without, skipped = tolerance()
    assert not without.skip("CONVERSION", ValueError("x"), "t")
    assert not skipped


def test_any_error_of_a_record_is_skipped_and_counted() -> None:
    all_of_them, skipped = tolerance(tolerance="all")
    assert all_of_them.skip("TRANSFORMATION", ValueError("x"), "t")
    assert all_of_them.skip("PRODUCE", RefusedMessageError("too large", "t"), "t")
    assert len(skipped) == 2


def test_blanks_around_a_value_do_not_count() -> None:
    """A line of a .properties file keeps those at its end; Connect trims them."""
    all_of_them, skipped = tolerance(tolerance=" all ")
    assert all_of_them.skip("CONVERSION", ValueError("x"), "t")
    assert len(skipped) == 1


@pytest.mark.parametrize(
    "error", [ProduceError("unknown"), AccessDeniedError("no WRITE"), ClientFailedError("fatal")]
)
def test_an_error_of_all_queued_messages_is_never_skipped(error: Exception) -> None:
    all_of_them, skipped = tolerance(tolerance="all")
    assert not all_of_them.skip("PRODUCE", error, "t")
    assert not skipped


def test_a_registry_that_refuses_the_login_is_no_fault_of_the_record() -> None:
    all_of_them, skipped = tolerance(tolerance="all")
    assert not all_of_them.skip("CONVERSION", AccessDeniedError("no login"), "t")
    assert not skipped


def test_a_transient_error_is_never_skipped() -> None:
    all_of_them, skipped = tolerance(tolerance="all")
    assert not all_of_them.skip("PRODUCE", BrokerUnavailableError("away"), "t")
    assert not skipped


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ({}, ""),
        ({"log_enable": "true"}, "Skipped a record at stage CONVERSION: ValueError"),
        (
            {"log_enable": "true", "log_include_messages": "true"},
            "Skipped a record for topic t at stage CONVERSION: ValueError",
        ),
    ],
)
def test_the_log_shows_what_is_configured_and_no_values(
    keys: dict[str, str], text: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        tolerance(tolerance="all", **keys)[0].skip("CONVERSION", ValueError("secret"), "t")
    assert "\n".join(record.getMessage() for record in caplog.records) == text
