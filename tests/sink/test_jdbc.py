"""Mirrors in a database: what an application reads there equals the source, however it came."""

from __future__ import annotations

import hashlib
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.databases import FreshDatabase
from tests.fixtures.sink.crashing import applied_after_crashes
from tests.fixtures.sink.defined import publish
from tests.fixtures.sink.recorded import MakeSink, Topic, field, frame
from tests.sink import test_scd2_mirror, test_tracked
from tests.sink.test_conflicts import write_statement
from tests.sink.test_convergence import real_lake, run
from tests.sink.test_streaming import ONCE, record
from tests.sink.test_types import CASES, check, check_versions
from tools.stack import ROOT

ID, NAME = field("id", "int32"), field("name", "string")


def served(database: FreshDatabase) -> dict[str, Any]:
    url = f"jdbc:mariadb://{database.server.host}:{database.server.port}/{database.name}"
    return {
        "format": "jdbc",
        "jdbc": {"url": url, "user": ROOT.user, "password": ROOT.password},
    }


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 4, 5])
def test_a_random_history_with_crashes(
    mariadb_database: FreshDatabase,
    sink: MakeSink,
    spark: Any,
    tmp_path: Path,
    seed: int,
) -> None:
    run(sink, spark, tmp_path, seed, tables=1, target=served(mariadb_database))
    tables = {name for (name,) in mariadb_database.query("SHOW TABLES")}
    assert {"shop__t0", "_millrace_tables"} <= tables
    assert mariadb_database.query("SELECT version > 0 FROM _millrace_tables") != []


def test_all_versions_of_each_row(
    mariadb_database: FreshDatabase, sink: MakeSink, spark: Any
) -> None:
    made = sink(target=served(mariadb_database), mirror={"scd": 2})
    topic = Topic(columns=[field("id", "string"), NAME])

    def change(op: str, pos: int, key: str, name: str = "") -> Any:
        images = ({"id": key}, None) if op == "d" else (None, {"id": key, "name": name})
        return topic.change(op, pos, *images)

    first = [change("c", 10, "a", "1"), change("u", 40, "a", "3"), change("c", 10, "A", "1")]
    made.batches.apply(frame(spark, [*first, *first]), "app", 0)
    late = [change("u", 20, "a", "2"), topic.change("t", 30), change("d", 50, "a")]
    made.batches.apply(frame(spark, late), "app", 1)
    versions = mariadb_database.query(
        "SELECT id, name, __op, __seq_lo >> 22, __end_lo >> 22, __current FROM shop__orders"
        " ORDER BY id, __seq_lo"
    )
    assert versions == [
        ("A", "1", "c", 10, 30, 0),
        ("a", "1", "c", 10, 20, 0),
        ("a", "2", "u", 20, 30, 0),
        ("a", "3", "u", 40, 50, 0),
        ("a", None, "d", 50, 50, 0),
    ]
    times = "SELECT DISTINCT __end_at = __start_at + INTERVAL 20 * 1000 MICROSECOND"
    assert mariadb_database.query(f"{times} FROM shop__orders WHERE id = 'A'") == [(1,)]
    keys = mariadb_database.query("SHOW KEYS FROM shop__orders")
    assert [key[4] for key in keys] == ["id", "__seq_hi", "__seq_lo"]
    assert not mariadb_database.query(r"SHOW TABLES LIKE '%\_keys'")


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_all_versions_of_a_random_history_with_crashes(
    mariadb_database: FreshDatabase,
    sink: MakeSink,
    spark: Any,
    tmp_path: Path,
    seed: int,
) -> None:
    test_scd2_mirror.run(sink, spark, tmp_path, seed, served(mariadb_database))


@pytest.mark.slow
def test_versions_by_tracked_columns(
    mariadb_database: FreshDatabase, sink: MakeSink, spark: Any, tmp_path: Path
) -> None:
    test_tracked.check(sink, spark, tmp_path, served(mariadb_database))


@pytest.mark.slow
def test_only_the_versions_that_a_batch_may_end_leave_the_database(
    mariadb_database: FreshDatabase, sink: MakeSink, spark: Any
) -> None:
    made = sink(target=served(mariadb_database), mirror={"scd": 2})
    topic = Topic(columns=[ID, NAME])
    given = [topic.change("c", 10 * n, None, {"id": n % 50, "name": "n"}) for n in range(1, 501)]
    made.batches.apply(frame(spark, given), "app", 0)
    keys = spark.createDataFrame([(7,), (7,), (8,), (99,)], "id int")
    found = made.lake.table("shop__orders").read(keys)
    assert sorted(row.id for row in found.select("id").collect()) == [7] * 10 + [8] * 10
    open_ones = found.where("NOT (__end_hi IS NOT NULL AND __end_hi < 5)").distinct()
    assert open_ones.count() == 2
    plan = open_ones._jdf.queryExecution().executedPlan().toString()
    assert "PushedFilters: [*Or(IsNull(__end_hi)" in plan


def test_names_keys_and_moments_are_what_they_were(
    mariadb_database: FreshDatabase, sink: MakeSink, spark: Any
) -> None:
    made = sink(target=served(mariadb_database), mirror={"deletes": "soft"})
    columns = [field("k`1", "string"), field("a b", "string"), field("key", "int32"),
               field("at", "int64", "io.debezium.time.MicroTimestamp"),
               field("seen", "string", "io.debezium.time.ZonedTimestamp")]  # fmt: skip
    topic = Topic("srv.shop.or-ders", columns, keys=["k`1", "key"])
    spring = {"at": 1_711_848_600_000_001, "seen": "2024-03-31T02:30:00+02:00"}
    given = [{"k`1": k, "a b": f"it's {k}?", "key": 1, **spring} for k in ("a", "A", "a ", "ü")]
    batch = [topic.change("c", 100 + n, None, row) for n, row in enumerate(given)]
    made.batches.apply(frame(spark, [*batch, *batch]), "app", 0)
    made.batches.apply(frame(spark, [topic.change("d", 200, given[1], None)]), "app", 1)
    late = topic.change("u", 150, given[1], {**given[1], "a b": "late"})
    made.batches.apply(frame(spark, [late]), "app", 2)
    found = mariadb_database.query(
        "SELECT `k``1`, `a b`, CAST(at AS CHAR), CAST(seen AS CHAR), __deleted FROM shop__or_ders"
    )
    moments = "2024-03-31 01:30:00.000001", "2024-03-31 00:30:00.000000"
    expected = [(k, f"it's {k}?", *moments, int(k == "A")) for k in ("a", "A", "a ", "ü")]
    assert sorted(found) == sorted(expected)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("conflict", "expected"),
    [("rewrite", [(1, "1"), (2, "two")]), ("new_column", [(1, 1, None), (2, None, "two")])],
)
def test_columns_that_change_their_type_or_go(
    mariadb_database: FreshDatabase,
    sink: MakeSink,
    spark: Any,
    tmp_path: Path,
    conflict: str,
    expected: list[Any],
) -> None:
    rules = {"conflict": conflict, "drop": "drop"}
    made = sink(
        target=served(mariadb_database),
        evolution=rules,
        columns={"mask": {"name": "hash"}},
        source={"ddl.topic": "srv"},
    )
    topic = Topic(columns=[ID, field("code", "int32"), NAME])
    rows = [{"id": n, "code": n, "name": "n"} for n in (1, 2)]
    first = [topic.change("c", 100 + n, None, row) for n, row in enumerate(rows)]
    made.batches.apply(frame(spark, first), "app", 0)
    digests = mariadb_database.query("SELECT DISTINCT name FROM shop__orders")
    assert digests == [(hashlib.sha256(b"n").hexdigest(),)]
    write_statement(tmp_path, 0, "ALTER TABLE orders DROP name, MODIFY code TEXT", "id", "code")
    topic.columns = [ID, field("code", "string")]
    second = topic.change("u", 200, None, {"id": 2, "code": "two"})
    for _ in range(2):
        made.batches.apply(frame(spark, [second]), "app", 1)
    assert made.state.parked_tables() == {}
    names = {name for (name, *_) in mariadb_database.query("SHOW COLUMNS FROM shop__orders")}
    assert "name" not in names
    columns = "id, code" if conflict == "rewrite" else "id, code, code__v2"
    assert mariadb_database.query(f"SELECT {columns} FROM shop__orders ORDER BY id") == expected


def test_values_move_to_a_renamed_column_whose_statement_is_late(
    mariadb_database: FreshDatabase, sink: MakeSink, spark: Any, tmp_path: Path
) -> None:
    statements = [
        "CREATE TABLE orders (id INT PRIMARY KEY, name TEXT)",
        "ALTER TABLE orders RENAME COLUMN name TO title",
    ]
    publish(tmp_path, statements[0])
    made = sink(target=served(mariadb_database), source={"ddl.topic": "srv"})
    topic = Topic(columns=[ID, NAME])
    first = topic.change("c", 15, None, {"id": 1, "name": "one"})
    made.batches.apply(frame(spark, [first]), "app", 0)
    topic.columns = [ID, field("title", "string")]
    second = topic.change("c", 25, None, {"id": 2, "title": "two"})
    made.batches.apply(frame(spark, [second]), "app", 1)
    publish(tmp_path, *statements)
    made.batches.apply(frame(spark, [second]), "app", 2)
    names = {name for (name, *_) in mariadb_database.query("SHOW COLUMNS FROM shop__orders")}
    assert names.isdisjoint({"name", "title__late"})
    found = mariadb_database.query("SELECT id, title FROM shop__orders ORDER BY id")
    assert found == [(1, "one"), (2, "two")]


def test_a_refused_connection_ends_the_job(mariadb_database: FreshDatabase, sink: MakeSink) -> None:
    from sparksink.errors import SinkError  # noqa: PLC0415

    target = served(mariadb_database)
    made = sink(target={**target, "jdbc": {**target["jdbc"], "password": "hunter2"}})
    with pytest.raises(SinkError, match=r"cannot connect: .*Access denied") as caught:
        made.lake.table("shop__orders").columns()
    assert "hunter2" not in str(caught.value)


@pytest.mark.slow
def test_a_table_follows_its_source_and_a_crash_changes_nothing(
    mariadb_database: FreshDatabase, sink: MakeSink, spark: Any, tmp_path: Path
) -> None:
    target = served(mariadb_database)
    topic = Topic(columns=[ID, NAME])
    before = [topic.change("c", pos, None, {"id": pos, "name": "n"}) for pos in (100, 110)]
    sink(target=target).batches.apply(frame(spark, before), "app", 0)
    topic.columns = [
        field("id", "int64"),
        NAME,
        field("stock", "int32", optional=False, default=7),
        field("seen", "string", "io.debezium.time.ZonedTimestamp", optional=False),
    ]
    full = {"id": 2**40, "name": "x", "stock": 1, "seen": "2024-01-01T00:00:00Z"}
    batch = frame(spark, [topic.change("c", 200, None, full)])
    made = applied_after_crashes(
        sink, lambda: real_lake(spark, tmp_path, target=target), batch, target
    )
    assert mariadb_database.query("SELECT id, stock, CAST(seen AS DATE) FROM shop__orders") == [
        (100, 7, date(1970, 1, 1)),
        (110, 7, date(1970, 1, 1)),
        (2**40, 1, date(2024, 1, 1)),
    ]
    made.lake.compact("shop__orders", 0)
    assert int(made.lake.version("shop__orders")) > 2
    text = topic.change("c", 210, None, {**full, "id": 5, "name": "x" * 70000})
    made.batches.apply(frame(spark, [text]), "app", 2)
    assert mariadb_database.query("SELECT LENGTH(name) FROM shop__orders WHERE id = 5") == [
        (70000,)
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("scd", "expected"), [(1, [(1, "b")]), (2, [(1, "a"), (1, "b")])])
def test_a_whole_job_and_its_commands(
    mariadb_database: FreshDatabase,
    sink: MakeSink,
    tmp_path: Path,
    scd: int,
    expected: list[Any],
) -> None:
    from sparksink.commands import subcommands  # noqa: PLC0415

    given: dict[str, Any] = {"target": served(mariadb_database), "mirror": {"scd": scd}}
    topic = Topic(columns=[ID, NAME])
    for number, name in enumerate("ab"):
        change = topic.change("u", 100 + number, None, {"id": 1, "name": name})
        record(tmp_path, f"{number}.json", change)
        subcommands.run(sink(**given), ONCE)
    subcommands.compact(sink(**given), ONCE)
    assert mariadb_database.query("SELECT id, name FROM shop__orders ORDER BY name") == expected


@pytest.mark.slow
def test_all_types_come_back_from_the_database(
    mariadb_database: FreshDatabase, sink: MakeSink, spark: Any
) -> None:
    check(sink(target=served(mariadb_database)), spark, CASES)


@pytest.mark.slow
def test_versions_end_with_the_values_that_they_had(
    mariadb_database: FreshDatabase, sink: MakeSink, spark: Any
) -> None:
    made = sink(target=served(mariadb_database), mirror={"scd": 2})
    check_versions(made, spark, CASES)


@pytest.mark.slow
def test_a_history_has_each_message_once(
    mariadb_database: FreshDatabase, sink: MakeSink, spark: Any
) -> None:
    made = sink(target=served(mariadb_database))
    topic = Topic(columns=[ID, NAME], keys=())
    row = {"id": 1, "name": "a"}
    batch = frame(spark, [topic.change("c", 100, None, row, row=n) for n in range(2)])
    for _ in range(2):
        made.batches.apply(batch, "app", 0)
    table = "shop__orders__history"
    assert mariadb_database.query(f"SELECT id, name, __offset FROM {table} ORDER BY __offset") == [
        (1, "a", 1),
        (1, "a", 2),
    ]


@pytest.mark.slow
def test_mysql_keeps_all_versions_too(
    database: FreshDatabase, sink: MakeSink, spark: Any, tmp_path: Path
) -> None:
    test_scd2_mirror.run(sink, spark, tmp_path, 5, served(database))


@pytest.mark.slow
def test_mysql_is_supported_too(database: FreshDatabase, sink: MakeSink, spark: Any) -> None:
    made = sink(target=served(database))
    topic = Topic(columns=[ID, NAME])
    first = [topic.change("c", pos, None, {"id": pos, "name": "n"}) for pos in (100, 110)]
    made.batches.apply(frame(spark, first), "app", 0)
    topic.columns = [field("id", "int64"), NAME, field("w", "int32", optional=False, default=7)]
    later = [
        topic.change("d", 200, {"id": 100, "name": "n", "w": 7}, None),
        topic.change("u", 210, None, {"id": 110, "name": "m", "w": 8}),
        topic.change("c", 220, None, {"id": 2**40, "name": "o", "w": 9}),
    ]
    made.batches.apply(frame(spark, later), "app", 1)
    expected = [(110, "m", 8), (2**40, "o", 9)]
    assert database.query("SELECT id, name, w FROM shop__orders ORDER BY id") == expected
