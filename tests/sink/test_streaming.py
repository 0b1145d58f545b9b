"""The whole job on recorded messages: batches, restarts, the lease, metrics and commands."""

from __future__ import annotations

import argparse
import json
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.sink.crashing import CrashingLake
from tests.fixtures.sink.recorded import MakeSink, Topic, field, rows
from tests.sink.test_convergence import real_lake
from tools.stack.ports import free_port

COLUMNS = [field("id", "int32"), field("v", "string")]
ONCE = argparse.Namespace(once=True, tables=".*", messages=100, start="earliest", end="latest")


def record(path: Path, name: str, *messages: Any) -> None:
    text = "".join(json.dumps(message) + "\n" for message in messages)
    (path / "in").mkdir(exist_ok=True)
    (path / "in" / name).write_text(text)


@pytest.mark.slow
@pytest.mark.parametrize("table_format", ["delta", "iceberg"])
def test_a_job_is_taken_up_where_it_ended(
    sink: MakeSink, tmp_path: Path, table_format: str
) -> None:
    from sparksink.commands.subcommands import backfill, compact, plan, run, status  # noqa: PLC0415

    def again() -> Any:
        return sink(history={"enabled": True}, target={"format": table_format})

    topic = Topic(columns=COLUMNS)
    made = again()
    first = [topic.change("c", pos, None, {"id": pos, "v": "a"}) for pos in (100, 110)]
    record(tmp_path, "0.json", *first)
    run(made, ONCE)
    record(tmp_path, "1.json", topic.change("d", 200, {"id": 100, "v": "a"}, None))
    second = again()
    run(second, ONCE)
    for command in (backfill, compact, plan, status):
        command(again(), ONCE)
    assert rows(second, "shop__orders", "id", "v") == [(110, "a")]
    assert len(rows(second, "shop__orders__history", "id")) == 3
    commits = rows(second, "_cdc/commits", "batch", "offsets")
    assert [json.loads(text)["srv.shop.orders"]["0"] for _, text in commits] == [3, 4, 4]


def test_status_and_plan_show_tables(
    sink: MakeSink, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from sparksink.commands.subcommands import check, plan, run, status  # noqa: PLC0415

    topic = Topic(columns=COLUMNS)
    record(tmp_path, "0.json", topic.change("c", 100, None, {"id": 1, "v": "a"}))
    check(sink(), ONCE)
    plan(sink(), ONCE)
    status(sink(), ONCE)
    assert not (tmp_path / "lake").exists()  # not even a table of the sink's own
    run(sink(), ONCE)
    topic.columns = [field("id", "int64"), *COLUMNS[1:], field("w", "string")]
    record(tmp_path, "1.json", topic.change("c", 110, None, {"id": 2, "v": "b", "w": "c"}))
    plan(sink(), ONCE)
    status(sink(), ONCE)
    output = capsys.readouterr().out
    assert "srv.shop.orders → shop__orders: 1 partitions, 1 messages" in output
    assert "  create v string\n" in output
    assert "  add w string\n  widen id to bigint\n" in output
    assert "shop.orders" in output.splitlines()[-1]
    assert output.endswith("ok\n")


def test_metrics_health_and_status_are_served() -> None:
    from sparksink.state.system_queries import LACKS_MESSAGES, diverged_reason  # noqa: PLC0415
    from sparksink.state.table_result import TableResult  # noqa: PLC0415
    from sparksink.status.metrics import SinkMetrics  # noqa: PLC0415

    address = f"127.0.0.1:{free_port()}"

    def page(path: str) -> str:
        with urllib.request.urlopen(f"http://{address}{path}", timeout=5) as answer:
            return str(answer.read().decode())

    with SinkMetrics(address) as metrics:
        metrics.start({"shop.idle": TableResult("shop.idle")}, {"shop.x": "why"})
        assert 'sparksink_parked{table="shop.x"} 1.0' in page("/metrics")
        done = TableResult(
            "shop.orders", changes=5, faults=1, messages=6, retries=2, swept=True,
            operations={"c": 4, "d": 0}, reasons={"no key": 1}, altered={"add": 1},
        )  # fmt: skip
        metrics.batch(3, [done], {"shop.x": "why"}, 0.5)
        metrics.gaps({"shop.lost": LACKS_MESSAGES, "shop.parted": diverged_reason(None)})
        metrics.behind({"t": {"0": 5}}, {"t": {"0": 7, "1": 3}})
        output = page("/metrics").splitlines()
        of_orders = '{table="shop.orders"'
        for line in (
            f"sparksink_messages_total{of_orders}}} 6.0",
            f"sparksink_changes_total{of_orders}}} 5.0",
            f"sparksink_retries_total{of_orders}}} 2.0",
            'sparksink_operations_total{op="c",table="shop.orders"} 4.0',
            'sparksink_dead_letters_total{reason="no key",table="shop.orders"} 1.0',
            'sparksink_schema_changes_total{kind="add",table="shop.orders"} 1.0',
            'sparksink_lacks_messages{table="shop.lost"} 1.0',
            'sparksink_diverged{table="shop.lost"} 0.0',
            'sparksink_diverged{table="shop.parted"} 1.0',
            'sparksink_kafka_lag{partition="0",topic="t"} 2.0',
            'sparksink_kafka_lag{partition="1",topic="t"} 0.0',
        ):
            assert line in output
        assert any(
            one.startswith(f"sparksink_swept_timestamp_seconds{of_orders}") for one in output
        )
        assert page("/healthz").splitlines() == [
            "ok",
            f"shop.lost: {LACKS_MESSAGES}",
            f"shop.parted: {diverged_reason(None)}",
            "shop.x: parked: why",
        ]
        metrics.is_alive = lambda: False
        with pytest.raises(urllib.error.HTTPError, match="503"):
            page("/healthz")
        assert "parked: why" in page("/")


def test_a_table_is_reported_as_parked_after_a_restart(sink: MakeSink, tmp_path: Path) -> None:
    """Although no message of it comes, which would park it again."""
    from sparksink.commands.subcommands import run  # noqa: PLC0415

    file = tmp_path / "sink.prom"
    given = {"errors": {"max.per.batch": 0}, "metrics": {"textfile": str(file)}}
    bad, good = (Topic(f"srv.shop.{name}", COLUMNS) for name in ("bad", "good"))
    created = [good.change("c", pos, None, {"id": pos, "v": "a"}) for pos in (100, 110)]
    record(tmp_path, "0.json", created[0], bad.message({"id": 1}, b"?"))
    run(sink(**given), ONCE)
    for number in (1, 2):  # without a message, and with those of another table
        record(tmp_path, f"{number}.json", *created[1:][: number - 1])
        file.unlink()
        run(sink(**given), ONCE)
        found = file.read_text().splitlines()
        assert 'sparksink_parked{table="shop.bad"} 1.0' in found
        assert 'sparksink_parked{table="shop.good"} 0.0' in found
        # The job has read all, however old the last change of the table is.
        assert 'sparksink_source_lag_seconds{table="shop.good"} 0.0' in found


def test_a_long_batch_reports_its_progress(
    sink: MakeSink, spark: Any, tmp_path: Path, monkeypatch: Any, caplog: Any
) -> None:
    from sparksink.commands import streaming, subcommands  # noqa: PLC0415

    class SlowLake(CrashingLake):
        def _write(self, work: Any) -> None:
            time.sleep(2)
            work()

    monkeypatch.setattr(streaming, "_REPORT_SECONDS", 0.1)
    caplog.set_level("INFO", "sparksink")
    topic = Topic(columns=COLUMNS)
    created = [topic.change("c", pos, None, {"id": pos, "v": "a"}) for pos in (100, 110)]
    record(tmp_path, "0.json", *created)
    subcommands.run(sink(SlowLake(real_lake(spark, tmp_path), 0, after=True)), ONCE)
    assert "batch 0: 0 of 2 messages, 0 of 1 tables done after" in caplog.text


@pytest.mark.parametrize(("wrong", "status"), [("color=red", 2), ("name=a b", 2)])
def test_the_command_line_ends_with_a_status(tmp_path: Path, wrong: str, status: int) -> None:
    from sparksink.cli import main  # noqa: PLC0415

    file = tmp_path / "sink.yaml"
    file.write_text("name: s\nsource: {kind: file, path: p, topics: t}\ncheckpoint: c\n"
                    "target: {path: t}\n")  # fmt: skip
    arguments = ["status", "--config", str(file), "--set", wrong]
    assert main(arguments, {}, own_session=True) == status
