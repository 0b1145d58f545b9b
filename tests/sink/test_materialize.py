"""Mirrors as Parquet files: complete folders, and a pointer that never leads to half of one."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from sparksink.cli import parser
from sparksink.state.table_result import TableResult
from tests.fixtures.sink.recorded import MakeSink, Topic, field, frame, rows

COLUMNS = [field("id", "int32"), field("a b", "string")]


def options(to: str | Path, **given: Any) -> Namespace:
    return Namespace(
        **{"table": ".*", "to": str(to), "keep": 2, "meta": False, "cut": False, **given}
    )


def snapshots(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.is_dir())


def read(spark: Any, folder: Path) -> Any:
    return spark.read.parquet(str(folder / (folder / "_CURRENT").read_text()))


@pytest.mark.parametrize("table_format", [pytest.param("delta", marks=pytest.mark.slow), "iceberg"])
def test_a_mirror_is_written_whole_and_only_then_pointed_to(
    sink: MakeSink, spark: Any, tmp_path: Path, table_format: str
) -> None:
    from sparksink.commands.subcommands import materialize  # noqa: PLC0415 - needs Spark
    from sparksink.state.transactions import Transactions  # noqa: PLC0415

    to, topic = tmp_path / "plain", Topic(columns=COLUMNS)
    folder = to / "shop__orders"
    made = sink(target={"format": table_format}, mirror={"deletes": "soft"})
    given = [{"id": n, "a b": f"ü{n}"} for n in range(3)]

    def apply(number: int, *messages: Any) -> None:
        made.batches.apply(frame(spark, messages), "app", number)

    apply(0, *(topic.change("c", 100 + n, None, row) for n, row in enumerate(given)))
    apply(1, topic.change("d", 200, given[1], None))
    materialize(made, options(to))
    assert read(spark, folder).columns == ["id", "a b"]
    assert sorted(map(tuple, read(spark, folder).collect())) == [(0, "ü0"), (2, "ü2")]
    # One that was cut short: a folder without a pointer to it, and a pointer half made.
    (folder / "00000002-v7").mkdir()
    (folder / "00000002-v7" / "part").write_text("half")
    (folder / "_CURRENT.new").write_text("0000")
    first = (folder / "_CURRENT").read_text()
    for number in (2, 3):
        apply(number, topic.change("c", 300 + number, None, {"id": 10 + number, "a b": None}))
        materialize(made, options(to, meta=number == 3))
    second, third = snapshots(folder)
    assert first < second < third == (folder / "_CURRENT").read_text()
    assert [name[:8] for name in (first, second, third)] == ["00000001", "00000002", "00000003"]
    assert sorted(path.name for path in folder.iterdir() if path.is_file()) == ["_CURRENT"]
    last = read(spark, folder)
    assert sorted(row["id"] for row in last.collect()) == [0, 2, 12, 13]
    assert {"__seq_hi", "__seq_lo", "__op", "__deleted"} < set(last.columns)
    # The version is the requested one, whatever the table has become since.
    assert third.endswith(f"-v{made.lake.version('shop__orders')}")
    before = spark.read.parquet(str(folder / second))
    assert sorted(row["id"] for row in before.collect()) == [0, 2, 12]
    cut = TableResult("shop.orders", version=second.partition("-v")[2])
    made.state.commit("app", 4, "{}", [cut], Transactions())
    materialize(made, options(to, cut=True, keep=1))
    assert sorted(row["id"] for row in read(spark, folder).collect()) == [0, 2, 12]
    assert [name[:8] for name in snapshots(folder)] == ["00000004"]


@pytest.mark.slow
def test_versions_and_counts_become_the_rows_of_the_source(
    sink: MakeSink, spark: Any, tmp_path: Path
) -> None:
    from sparksink.commands.subcommands import materialize  # noqa: PLC0415 - needs Spark

    keyed, bag = Topic(columns=COLUMNS), Topic("srv.shop.log", COLUMNS, keys=())
    made = sink(nopk="bag_view", mirror={"scd": 2})
    old, new = {"id": 1, "a b": "x"}, {"id": 1, "a b": "y"}
    messages = [
        keyed.change("c", 100, None, old),
        keyed.change("u", 110, old, new),
        bag.change("c", 120, None, old),
        bag.change("c", 130, None, old),
    ]
    made.batches.apply(frame(spark, messages), "app", 0)
    made.state.commit("app", 0, '{"srv.shop.orders": {"0": 2}, "srv.shop.log": {"0": 2}}', [])
    materialize(made, options(tmp_path / "plain"))
    found = {
        name: sorted(map(tuple, read(spark, tmp_path / "plain" / name).collect()))
        for name in ("shop__orders", "shop__log")
    }
    assert found == {"shop__orders": [(1, "y")], "shop__log": [(1, "x"), (1, "x")]}
    assert len(rows(made, "shop__orders", "id")) == 2


def test_invalid_exports_are_refused(sink: MakeSink, tmp_path: Path) -> None:
    from sparksink.commands.subcommands import materialize  # noqa: PLC0415 - needs Spark
    from sparksink.errors import ConfigError, SinkError  # noqa: PLC0415

    made = sink()
    for to, message in (
        ("plain", "absolute or a URI"),
        ("/", None),
        (tmp_path / "lake" / "a", "must not be inside"),
    ):
        with pytest.raises(ConfigError if message else SinkError, match=message or "no mirror of"):
            materialize(made, options(to))
    with pytest.raises(SinkError, match="no transactional cut yet"):
        materialize(made, options(tmp_path / "plain", cut=True))
    files = {"format": "parquet"}
    plain = sink(target=files, mirror={"enabled": False}, history={"enabled": True})
    with pytest.raises(ConfigError, match="delta or iceberg, not parquet"):
        materialize(plain, options(tmp_path / "plain"))


def test_the_command_line_requires_a_path_and_at_least_one_snapshot() -> None:
    given = parser().parse_args(["materialize", "--config", "c", "--to", "/plain"])
    assert (given.table, given.keep, given.meta, given.cut) == (".*", 2, False, False)
    with pytest.raises(SystemExit):
        parser().parse_args(["materialize", "--config", "c", "--to", "/plain", "--keep", "0"])
