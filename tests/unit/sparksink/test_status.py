"""What a job reports of itself: its lag, its health and its progress."""

from datetime import UTC, datetime, timedelta

import pytest

pytest.importorskip("pyspark")

from sparksink.apply.progress import BatchProgress, PendingMessages
from sparksink.session import executor_options, merge_settings
from sparksink.state.table_result import TableResult
from sparksink.status.health import Health
from sparksink.status.source_lag import SourceLag

DELTA = "io.delta.sql.DeltaSparkSessionExtension"


def ago(seconds: float) -> datetime:
    return datetime.now(UTC) - timedelta(seconds=seconds)


def test_a_table_that_is_caught_up_has_no_lag_however_old_its_last_change_is() -> None:
    lag = SourceLag()
    lag.set_applied(
        [TableResult("a", source_ts=ago(1800)), TableResult("b", source_ts=ago(60))], ()
    )
    assert lag.seconds()["a"] == pytest.approx(1800, abs=9)  # not known yet
    lag.set_behind({"b"})
    assert lag.seconds() == {"a": 0.0, "b": pytest.approx(60, abs=9)}


def test_the_lag_grows_while_changes_wait() -> None:
    lag = SourceLag(lambda: {"new": ago(40)})
    assert lag.seconds() == {"new": pytest.approx(40, abs=9)}
    lag.waiting = dict
    lag.set_applied(
        [TableResult("new", source_ts=ago(40)), TableResult("parked", source_ts=ago(70))],
        ["parked"],
    )
    lag.set_behind(())
    assert lag.seconds() == {"new": 0.0, "parked": pytest.approx(70, abs=9)}


def test_a_job_is_healthy_while_it_is_idle_or_its_tasks_end() -> None:
    idle = Health(lambda: None, stall=60.0)
    assert idle.is_alive()
    moving = Health(iter(["task 1", "task 1", "task 2"]).__next__, stall=60.0)
    assert [moving.is_alive() for _ in range(4)] == [True, True, True, False]


def test_a_job_whose_tasks_do_not_end_is_stuck() -> None:
    clock = iter([0.0, 10.0, 10.0, 100.0, 120.0, 120.0])
    health = Health(lambda: "task 1", stall=60.0, clock=clock.__next__)
    assert health.is_alive()
    assert not health.is_alive()


def test_a_long_batch_reports_its_messages_and_tables() -> None:
    progress = BatchProgress(7)
    assert progress.line() == "batch 7: reading for 0 s"
    since = ago(5)
    progress.tables = {"a": PendingMessages(1000, since), "b": PendingMessages(200, since)}
    progress.done.add("b")
    assert progress.line() == "batch 7: 200 of 1,200 messages, 1 of 2 tables done after 0 s"
    assert progress.waiting() == {"a": since}


def test_settings_of_the_user_are_extended() -> None:
    own = {"spark.sql.extensions": DELTA, "spark.sql.catalog.spark_catalog": "Delta"}
    assert merge_settings(own, {}) == own
    given = {"spark.sql.extensions": "mine.A, mine.B", "spark.sql.catalog.spark_catalog": "Mine"}
    assert merge_settings(own, given) == {"spark.sql.extensions": f"mine.A,mine.B,{DELTA}"}
    assert merge_settings(own, {"spark.sql.extensions": DELTA})["spark.sql.extensions"] == DELTA
    limits = "org.apache.avro.limits"
    chosen = {"spark.executor.extraJavaOptions": f"-XX:+UseG1GC -D{limits}.bytes.maxLength=9"}
    options = executor_options(chosen).split()
    assert options[:2] == chosen["spark.executor.extraJavaOptions"].split()
    assert [one.partition(".maxLength=")[0] for one in options[2:]] == [
        f"-D{limits}.string",
        f"-D{limits}.collectionItems",
    ]
