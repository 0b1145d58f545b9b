"""Columns with names that older readers refuse: as they are, or with such characters replaced."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.databases import FreshDatabase
from tests.fixtures.sink.recorded import MakeSink, Topic, field, frame, rows
from tests.sink.test_jdbc import served
from tools.stack import ROOT

COLUMNS = [
    field("k=1", "int32"),
    field("a b", "string"),
    field("c;d", "int32"),
    field("(secret)", "string"),
    field("not used\t", "string"),
]
RENAMED = [COLUMNS[0], field("a\nz", "string"), *COLUMNS[2:], field("e,f", "int32", default=7)]
REPLACE = {"illegal.chars": "replace"}


def row(key: int, text: str | None, number: int, **more: Any) -> dict[str, Any]:
    name = "a\nz" if more else "a b"
    return {"k=1": key, name: text, "c;d": number, "(secret)": "s", "not used\t": "", **more}


def write_rename_statement(path: Path) -> None:
    columns = [{"name": column["field"], "typeName": "INT"} for column in RENAMED]
    value = {
        "ddl": "ALTER TABLE orders CHANGE `a b` `a\nz` TEXT, ADD `e,f` INT DEFAULT 7",
        "tableChanges": [{"id": '"shop"."orders"', "table": {"columns": columns}}],
    }
    line = {"topic": "srv", "partition": 0, "offset": 0, "value": json.dumps(value)}
    (path / "in" / "ddl.json").write_text(json.dumps(line))


def follow(make: Callable[[], Any], spark: Any, path: Path) -> Any:
    """Apply rows, updates, deletes, a new name, and what comes late; return the last sink."""
    topic = Topic(columns=COLUMNS, keys=["k=1"])
    made = make()
    first = [topic.change("c", 100 + n, None, row(n, "x", n)) for n in range(1, 5)]
    more = [
        topic.change("u", 200, row(1, "x", 1), row(1, "y", 10)),
        topic.change("d", 210, row(2, "x", 2), None),
    ]
    made.batches.apply(frame(spark, [*first, *more]), "app", 0)
    write_rename_statement(path)
    old = topic.change("u", 150, row(2, "x", 2), row(2, "late", 0))
    topic.columns = RENAMED
    made = make()  # the definitions are in the tables
    renamed = [
        topic.change("u", 300, row(3, "x", 3, **{"e,f": 7}), row(3, "z", 30, **{"e,f": 8})),
        topic.change("d", 310, row(4, "x", 4, **{"e,f": 7}), None),
        topic.message({"k=1": 4}, None),
        old,
    ]
    for number in (1, 2):
        made.batches.apply(frame(spark, renamed), "app", number)
    assert made.state.parked_tables() == {}
    return made


EXPECTED = [(1, "y", 10, 7), (3, "z", 30, 8)]
SHOWN = ("k_1", "a_z", "c_d", "e_f")


@pytest.mark.slow
@pytest.mark.parametrize("table_format", ["delta", "iceberg"])
def test_characters_are_replaced_wherever_a_column_is_named(
    sink: MakeSink, spark: Any, tmp_path: Path, table_format: str
) -> None:
    def make() -> Any:
        return sink(
            target={"format": table_format, **REPLACE, "partition.by": ["c;d"]},
            source={"ddl.topic": "srv"},
            history={"enabled": True, "before": "struct"},
            columns={"mask": {"(secret)": None}, "exclude": ["not used\t"]},
        )

    made = follow(make, spark, tmp_path)
    assert rows(made, "shop__orders", *SHOWN) == EXPECTED
    mirror = made.lake.table("shop__orders")
    names = [name for name in mirror.columns() if not name.startswith("__")]
    assert sorted(names) == ["_secret_", "a_z", "c_d", "e_f", "k_1"]
    assert rows(made, "shop__orders", "_secret_") == [(None,), (None,)]
    history = made.lake.table("shop__orders__history").read()
    found = history.where("__op = 'd' AND k_1 = 4 AND __batch = 1").select("__before.a_z").collect()
    assert [one["a_z"] for one in found] == ["x"]
    assert {key for (key,) in rows(made, "_cdc/tombstones", "key")} == {'{"k0":2}', '{"k0":4}'}
    if table_format == "delta":
        log = tmp_path / "lake" / "shop__orders" / "_delta_log" / f"{0:020}.json"
        assert "columnMapping" not in log.read_text()


def test_characters_are_replaced_and_two_columns_with_one_name_park_their_table(
    sink: MakeSink, spark: Any
) -> None:
    made = sink(target=REPLACE)
    other, topic = Topic(columns=COLUMNS, keys=["k=1"]), Topic("srv.shop.lines")
    topic.columns = [field("id", "int32"), field("a b", "string"), field("a_b", "string")]
    changes = [
        topic.change("c", 100, None, {"id": 1, "a b": "x", "a_b": "y"}),
        other.change("c", 100, None, row(1, "x", 5)),
    ]
    made.batches.apply(frame(spark, changes), "app", 0)
    assert made.state.parked_tables().keys() == {"shop.lines"}
    found = made.state.parked_tables()["shop.lines"]
    assert "columns a b and a_b would both be a_b" in found
    assert rows(made, "shop__orders", "k_1", "a_b", "c_d", "_secret_") == [(1, "x", 5, "s")]


def test_a_column_with_a_name_of_the_sinks_own_parks_its_table_before_a_write(
    sink: MakeSink, spark: Any
) -> None:
    made = sink(target={"format": "iceberg"}, history={"enabled": True})
    topic = Topic(columns=[field("id", "int32"), field("__deleted", "string")])
    change = topic.change("c", 100, None, {"id": 1, "__deleted": "x"})
    made.batches.apply(frame(spark, [change]), "app", 0)
    assert "the name of column __deleted is reserved" in made.state.parked_tables()["shop.orders"]
    for name in ("shop__orders", "shop__orders__history"):
        assert made.lake.table(name).columns() is None
    assert rows(made, "_cdc/parked", "offset") == [(1,)]


@pytest.mark.slow
@pytest.mark.parametrize("table_format", ["delta", "iceberg"])
def test_versions_and_a_clustered_table(sink: MakeSink, spark: Any, table_format: str) -> None:
    made = sink(
        target={"format": table_format, **REPLACE, "cluster.by": ["c;d"]},
        mirror={"scd": 2, "track.columns": ["a b"]},
        tables=[{"match": r"shop\.orders", "keys": ["k=1"]}],
    )
    topic = Topic(columns=COLUMNS, keys=[])
    changes = [
        topic.change("c", 100, None, row(1, "x", 1)),
        topic.change("u", 110, row(1, "x", 1), row(1, "x", 2)),
        topic.change("u", 120, row(1, "x", 2), row(1, "y", 3)),
        topic.change("u", 130, row(1, "y", 3), row(2, "y", 3)),
    ]
    made.batches.apply(frame(spark, changes), "app", 0)
    found = rows(made, "shop__orders", "k_1", "a_b", "c_d", "__op", "__current")
    assert found == [
        (1, "x", 2, "c", False), (1, "y", 3, "d", False), (1, "y", 3, "u", False),
        (2, "y", 3, "u", True),
    ]  # fmt: skip


@pytest.mark.slow
def test_deletes_are_found_by_tombstones_alone_after_a_start(sink: MakeSink, spark: Any) -> None:
    settings = {"target": REPLACE, "ordering": {"epoch": "header"}}
    topic = Topic(columns=COLUMNS, keys=["k=1"])
    change = topic.change("c", 100, None, row(1, "x", 1))
    sink(**settings).batches.apply(frame(spark, [change]), "app", 0)
    made = sink(**settings)
    gone = topic.message({"k=1": 1}, None, position="0/bin.000001/200/0")
    made.batches.apply(frame(spark, [gone]), "app", 1)
    assert rows(made, "shop__orders", "k_1") == []


@pytest.mark.slow
def test_plan_and_rebuild_know_the_names(sink: MakeSink, spark: Any, tmp_path: Path) -> None:
    from sparksink.commands.plan import plan  # noqa: PLC0415
    from sparksink.commands.subcommands import rebuild  # noqa: PLC0415

    topic = Topic(columns=COLUMNS, keys=["k=1"])
    changes = [
        topic.change("r", 100, None, row(1, "x", 1), snapshot="first"),
        topic.change("r", 100, None, row(2, "x", 2), snapshot="last"),
        topic.change("d", 110, row(2, "x", 2), None),
    ]
    made = sink(target={**REPLACE, "partition.by": ["c;d"]}, columns={"exclude": ["(secret)"]})
    (tmp_path / "in" / "0.json").write_text("\n".join(map(json.dumps, changes)))
    lines = [*plan(made, frame(spark, changes))]
    assert lines[:3] == [
        "srv.shop.orders → shop__orders, key (k_1)", "  create k_1 int", "  create a_b string"
    ]  # fmt: skip
    made.batches.apply(frame(spark, changes), "app", 0)
    rebuild(made, argparse.Namespace(table=".*", force=False))
    names = ("k_1", "a_b", "c_d", "`not_used_`")
    assert rows(made, "shop__orders", *names) == [(1, "x", 1, "")]
    late = topic.change("u", 105, None, row(2, "late", 2))
    made.batches.apply(frame(spark, [late]), "app", 1)
    assert rows(made, "shop__orders", *names) == [(1, "x", 1, "")]


@pytest.mark.slow
@pytest.mark.parametrize("table_format", ["delta", "iceberg"])
def test_a_table_that_is_there_gets_the_names(
    sink: MakeSink, spark: Any, table_format: str
) -> None:
    columns = [field("id", "int32"), field("v", "string")]
    topic = Topic(columns=columns)
    kind = {"format": table_format}
    made = sink(target=kind)
    first = topic.change("c", 100, None, {"id": 1, "v": "x"})
    made.batches.apply(frame(spark, [first]), "app", 0)
    columns.append(field("a b", "string", optional=False))
    second = topic.change("c", 110, None, {"id": 2, "v": "y", "a b": "z"})
    made.batches.apply(frame(spark, [second]), "app", 1)
    assert rows(made, "shop__orders", "id", "v", "`a b`") == [(1, "x", ""), (2, "y", "z")]
    made = sink(target={**kind, **REPLACE})
    third = topic.change("u", 120, None, {"id": 2, "v": "y", "a b": "new"})
    made.batches.apply(frame(spark, [third]), "app", 2)
    assert rows(made, "shop__orders", "id", "v", "a_b") == [(1, "x", ""), (2, "y", "new")]
    assert "a b" not in made.lake.table("shop__orders").columns()


@pytest.mark.slow
def test_in_a_database_and_compared_with_the_source(
    mariadb_database: FreshDatabase,
    sink: MakeSink,
    spark: Any,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from sparksink.commands.subcommands import verify  # noqa: PLC0415

    def make() -> Any:
        target = {**served(mariadb_database), **REPLACE}
        exclude = {"exclude": ["not used\t"]}
        return sink(target=target, source={"ddl.topic": "srv"}, columns=exclude)

    follow(make, spark, tmp_path)
    query = "SELECT k_1, a_z, c_d, e_f FROM shop__orders ORDER BY k_1"
    assert mariadb_database.query(query) == EXPECTED
    # The same names at a source: a lake's mirror of a table there equals it.
    name, server = mariadb_database.name, mariadb_database.server
    mariadb_database.execute("CREATE TABLE t (`k=1` INT PRIMARY KEY, `a b` TEXT, `a_b` INT)")
    mariadb_database.execute("INSERT INTO t VALUES (1, 'x', 5), (2, NULL, 6)")
    url = f"jdbc:mariadb://{server.host}:{server.port}/{name}"
    account = {"url": url, "user": ROOT.user, "password": ROOT.password}
    made = sink(target=REPLACE, source={"database": account}, columns={"exclude": ["a_b"]})
    topic = Topic(f"srv.{name}.t", [COLUMNS[0], COLUMNS[1], field("a_b", "int32")], ["k=1"])
    given = [{"k=1": n, "a b": text, "a_b": 0} for n, text in ((1, "x"), (2, None))]
    changes = [topic.change("c", 100 + n, None, one) for n, one in enumerate(given)]
    made.batches.apply(frame(spark, changes), "lake", 0)
    verify(made, argparse.Namespace(table=rf"{name}\.t", wait=0.0))
    assert "t: EQUAL: 2 rows" in capsys.readouterr().out
