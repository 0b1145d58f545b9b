"""What a task waits for is shown as long as it lasts, and said once in ten seconds."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from connector.task.health import LOGGED_EVERY, SHOWN_AFTER, TaskHealth
from connector.task.metrics import TaskMetrics


class Shown:
    """A health with a clock that the test sets."""

    def __init__(self) -> None:
        self.now = 100.0
        self.reports: list[tuple[Any, str | None]] = []
        self.metrics = TaskMetrics()
        self.health = TaskHealth(
            lambda state, trace: self.reports.append((state, trace)),
            self.metrics,
            lambda: self.now,
        )


@pytest.fixture
def task() -> Shown:
    made = Shown()
    made.health.enter("RUNNING")
    return made


def test_a_short_fault_is_not_shown(task: Shown) -> None:
    task.health.report_fault("kafka", "away")
    task.now += SHOWN_AFTER / 2
    task.health.report_fault("kafka", "away")
    task.health.recover("kafka")
    assert task.reports == [("RUNNING", None)]
    assert task.metrics.kafka_faults == 0


def test_a_fault_that_lasts_is_shown_until_it_is_over(task: Shown) -> None:
    for _ in range(20):
        task.health.report_fault("kafka", "away")
        task.now += 0.25
    assert task.reports == [("RUNNING", None), ("RUNNING", "away")]
    assert task.metrics.faults == {"kafka": "away"}
    assert task.metrics.kafka_faults == 1
    task.health.recover("kafka")
    assert task.reports[-1] == ("RUNNING", None)
    assert task.metrics.faults == {}


def test_several_faults_are_shown_together_and_with_another_state(task: Shown) -> None:
    task.health.report_fault("database", "no connection", at_once=True)
    task.health.report_fault("offsets", "not stored", at_once=True)
    task.health.enter("PAUSED")
    task.health.recover("database")
    assert task.reports[1:] == [
        ("RUNNING", "no connection"),
        ("RUNNING", "no connection; not stored"),
        ("PAUSED", "no connection; not stored"),
        ("PAUSED", "not stored"),
    ]


def test_the_log_repeats_a_fault_every_ten_seconds(
    task: Shown, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        for _ in range(int(2.5 * LOGGED_EVERY / 0.25)):
            task.health.report_fault("kafka", f"away: connection {task.now}", at_once=True)
            task.now += 0.25
    assert len(caplog.records) == 3


def test_a_step_that_blocks_the_task_is_shown(task: Shown) -> None:
    with task.health.watch("offsets", "Storing the offset takes long"):
        pass
    assert task.reports == [("RUNNING", None)]
