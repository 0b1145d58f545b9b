"""Limits of time, and what a request was busy with."""

from __future__ import annotations

import threading
from datetime import UTC, datetime

import pytest

from connector.worker.requests import (
    RequestTimeoutError,
    Stages,
    run_in_background,
    run_with_timeout,
)

MOMENTS: dict[str, datetime] = {}
MOMENT = datetime(2026, 1, 2, 3, 4, 5, 678901, UTC)


def test_a_result_or_an_error_comes_through() -> None:
    assert run_with_timeout(lambda _: 5, 1) == 5
    with pytest.raises(KeyError, match="gone"):
        run_with_timeout(lambda _: MOMENTS["gone"], 1)


def test_a_time_out_names_the_stage() -> None:
    release = threading.Event()

    def hang(stages: Stages) -> None:
        with stages.begin("starting the connector"):
            release.wait(5)

    with pytest.raises(
        RequestTimeoutError,
        match=r"^Request timed out\. The worker is currently starting the connector, "
        r"which began at "
        r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\.$",
    ):
        run_with_timeout(hang, 0.05)
    release.set()


def test_a_time_out_without_a_stage() -> None:
    release = threading.Event()
    with pytest.raises(RequestTimeoutError, match=r"^Request timed out$"):
        run_with_timeout(lambda _: release.wait(5), 0.05)
    release.set()


def test_a_finished_stage_is_described_as_finished() -> None:
    stages = Stages(lambda: MOMENT)
    assert stages.summary() == ""
    with stages.begin("modifying offsets for connector c"):
        pass
    assert stages.summary() == (
        "The last operation the worker completed was modifying offsets for connector c, which "
        "began at 2026-01-02T03:04:05.678Z and completed at 2026-01-02T03:04:05.678Z."
    )


def test_what_fails_in_the_background_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    run_in_background("restart-c", lambda: MOMENTS["gone"]).join(5)
    assert "restart-c: 'gone'" in caplog.text
