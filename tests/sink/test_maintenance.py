"""Scheduled compaction, and the reports of batches."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from sparksink.state.table_result import TableResult
from tests.fixtures.sink.crashing import CrashingLake
from tests.fixtures.sink.recorded import MakeSink, Topic, field, frame, rows
from tests.sink.test_convergence import real_lake
from tests.sink.test_streaming import ONCE, record

COLUMNS = [field("id", "int32"), field("v", "string")]


def files(made: Any, name: str) -> int:
    table = made.lake.table(name)
    if made.config.target.format == "iceberg":
        return int(made.spark.table(f"{table.identifier}.data_files").count())
    return len(table.read().inputFiles())


@pytest.mark.parametrize("table_format", [pytest.param("delta", marks=pytest.mark.slow), "iceberg"])
def test_a_job_compacts_after_a_number_of_batches_and_reports_each(
    sink: MakeSink,
    tmp_path: Path,
    table_format: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from sparksink.commands.subcommands import run  # noqa: PLC0415 - needs Spark

    textfile = tmp_path / "sink.prom"
    kept = {"expire.snapshots": "0s"} if table_format == "iceberg" else {}
    made = sink(
        target={"format": table_format},
        maintenance={"compact.every": 2, **kept},
        metrics={"textfile": str(textfile), "log.json": True},
    )
    topic = Topic(columns=COLUMNS)
    for number in range(2):
        pos = 100 + number
        record(tmp_path, f"{number}.json", topic.change("c", pos, None, {"id": number, "v": "a"}))
        run(made, ONCE)
        assert files(made, "shop__orders") == number + 1  # each run counts its own batches
    pos = 200
    for number in range(2, 4):
        record(tmp_path, f"{number}.json", topic.change("c", pos, None, {"id": number, "v": "a"}))
        pos += 1
    run(made, ONCE)
    assert files(made, "shop__orders") == 1
    assert rows(made, "shop__orders", "id") == [(0,), (1,), (2,), (3,)]
    if table_format == "iceberg":
        snapshots = f"SELECT * FROM {made.lake.table('shop__orders').identifier}.snapshots"
        assert made.spark.sql(snapshots).count() == 1
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(one["batch"], one["changes"]) for one in lines] == [(0, 1), (1, 1), (2, 1), (3, 1)]
    assert 'sparksink_changes_total{table="shop.orders"} 2.0' in textfile.read_text()


def test_files_of_delta_tables_are_kept_for_the_configured_hours(
    sink: MakeSink, spark: Any, tmp_path: Path
) -> None:
    made, topic = sink(), Topic(columns=COLUMNS)
    for number in range(2):
        message = topic.change("c", 100 + number, None, {"id": number, "v": "a"})
        made.batches.apply(frame(spark, [message]), "app", number)
    folder = tmp_path / "lake" / "shop__orders"

    def stored() -> set[str]:
        return {one.name for one in folder.rglob("*.parquet") if "_delta_log" not in one.parts}

    before = stored()
    for hours in (24, 720):
        made.lake.compact("shop__orders", hours)
        assert stored() > before
        properties = spark.sql(f"SHOW TBLPROPERTIES delta.`{folder}`").collect()
        kept = {row["key"]: row["value"] for row in properties}
        assert kept["delta.deletedFileRetentionDuration"] == f"interval {hours} hours"
    made.lake.compact("shop__orders", 0)
    files = made.lake.table("shop__orders").read().inputFiles()
    assert stored() == {one.rpartition("/")[2] for one in files}
    assert rows(made, "shop__orders", "id") == [(0,), (1,)]


def test_a_table_that_cannot_be_compacted_stops_no_other(
    sink: MakeSink, spark: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    from pyspark.errors import PySparkException  # noqa: PLC0415

    from sparksink.commands.maintenance import ScheduledCompaction, compact_tables  # noqa: PLC0415
    from sparksink.errors import SinkError  # noqa: PLC0415

    compacted: list[str] = []

    class Broken(CrashingLake):
        def compact(self, name: str, hours: int, snapshots: float | None = None) -> None:
            if name == "shop__a":
                raise PySparkException("a broken file")
            del hours, snapshots  # nothing is compacted, which would take seconds
            compacted.append(name)

    given = {"target": {"format": "iceberg"}}
    made = sink(Broken(real_lake(spark, tmp_path, **given), 10**6, after=True), **given)
    topics = [Topic(f"srv.shop.{name}", COLUMNS) for name in "ab"]
    first = [topic.change("c", 100, None, {"id": 1, "v": "a"}) for topic in topics]
    made.batches.apply(frame(spark, first), "app", 0)
    with pytest.raises(SinkError, match=r"compacted: shop\.a: a broken file"):
        list(compact_tables(made))
    assert {"shop__b", "_cdc/commits"} <= {*compacted}
    ScheduledCompaction(made).run()
    assert "a broken file" in caplog.text


def test_compaction_waits_for_changes_and_for_its_window(sink: MakeSink) -> None:
    from sparksink.commands.maintenance import ScheduledCompaction  # noqa: PLC0415 - needs Spark

    rules = {"compact.every": 2, "optimize.window": "01:00-05:00"}
    night, day = (datetime(2026, 1, 1, hour, tzinfo=UTC) for hour in (3, 12))
    compaction, never = ScheduledCompaction(sink(maintenance=rules)), ScheduledCompaction(sink())
    for done in ([TableResult("a", changes=1)], [TableResult("a")], []):
        compaction.batch(done)
        never.batch(done)
        assert not compaction.is_due(night)
    compaction.batch([TableResult("a"), TableResult("b", changes=1)])
    assert compaction.is_due(night)
    assert not compaction.is_due(day)
    compaction.run()
    assert not compaction.is_due(night)
    assert not never.is_due(night)


def test_a_file_of_metrics_that_cannot_be_written_stops_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    from sparksink.status.metrics import SinkMetrics  # noqa: PLC0415 - needs Spark

    SinkMetrics(None, str(tmp_path / "none" / "sink.prom")).batch(0, [], {}, 0.1)
    assert "sink.prom cannot be written: No such file" in caplog.text
