"""PostgreSQL serves the mirrors as MariaDB does, where its own SQL and its own rules differ."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.sink.crashing import applied_after_crashes
from tests.fixtures.sink.recorded import MakeSink, Topic, field, frame, rows
from tests.sink import test_scd2_mirror, test_tracked
from tests.sink.test_convergence import real_lake, run
from tests.sink.test_types import CASES, check, check_versions
from tools.stack import PostgreSql, Workspace
from tools.stack.postgresql import newest

pytestmark = [
    pytest.mark.slow,  # a server of its own
    pytest.mark.skipif(newest() is None, reason="PostgreSQL is not installed"),
]
ID, NAME = field("id", "int32"), field("name", "string")


@pytest.fixture(scope="module")
def server() -> Iterator[PostgreSql]:
    with Workspace() as workspace, PostgreSql(workspace) as running:
        yield running


@pytest.fixture
def schema(server: PostgreSql) -> str:
    """A schema for each test, in which an account of its own makes its tables."""
    name = f"s{uuid.uuid4().hex[:8]}"
    server.query(f"CREATE ROLE {name} LOGIN; CREATE SCHEMA {name} AUTHORIZATION {name}")
    return name


@pytest.fixture
def target(server: PostgreSql, schema: str) -> dict[str, Any]:
    url = f"jdbc:postgresql://{server.address}/postgres"
    return {"format": "jdbc", "jdbc": {"url": url, "user": schema, "password": ""}}


@pytest.mark.parametrize("seed", [1, 4])
def test_a_random_history_with_crashes(
    sink: MakeSink, spark: Any, tmp_path: Path, target: dict[str, Any], seed: int
) -> None:
    run(sink, spark, tmp_path, seed, tables=1, target=target)


@pytest.mark.parametrize("seed", [1, 3])
def test_all_versions_of_a_random_history_with_crashes(
    sink: MakeSink, spark: Any, tmp_path: Path, target: dict[str, Any], seed: int
) -> None:
    test_scd2_mirror.run(sink, spark, tmp_path, seed, target)


def test_versions_by_tracked_columns(
    sink: MakeSink, spark: Any, tmp_path: Path, target: dict[str, Any]
) -> None:
    test_tracked.check(sink, spark, tmp_path, target)


def test_versions_end_with_the_values_that_they_had(
    sink: MakeSink, spark: Any, target: dict[str, Any]
) -> None:
    check_versions(sink(target=target, mirror={"scd": 2}), spark, CASES)


def test_all_types_come_back(sink: MakeSink, spark: Any, target: dict[str, Any]) -> None:
    check(sink(target=target), spark, CASES)


def test_names_keys_and_moments_are_what_they_were(
    sink: MakeSink, spark: Any, server: PostgreSql, schema: str, target: dict[str, Any]
) -> None:
    made = sink(target=target, mirror={"deletes": "soft"})
    columns = [field('k"1', "string"), field("A b", "string"), field("key", "int32"),
               field("seen", "string", "io.debezium.time.ZonedTimestamp")]  # fmt: skip
    topic = Topic(columns=columns, keys=['k"1', "key"])
    given = [{'k"1': k, "A b": f"it's {k}?", "key": 1, "seen": "2024-03-31T02:30:00+02:00"}
             for k in ("a", "A", "a ", "ü")]  # fmt: skip
    batch = [topic.change("c", 100 + n, None, row) for n, row in enumerate(given)]
    made.batches.apply(frame(spark, [*batch, *batch]), "app", 0)
    made.batches.apply(frame(spark, [topic.change("d", 200, given[1], None)]), "app", 1)
    late = topic.change("u", 150, given[1], {**given[1], "A b": "late"})
    made.batches.apply(frame(spark, [late]), "app", 2)
    found = server.query(f'SELECT "k""1", "A b", seen, __deleted FROM {schema}.shop__orders')
    moment = "2024-03-31 00:30:00"
    expected = [[k, f"it's {k}?", moment, "t" if k == "A" else "f"] for k in ("a", "A", "a ", "ü")]
    assert sorted(found) == sorted(expected)


def test_a_table_follows_its_source_and_a_crash_changes_nothing(
    sink: MakeSink, spark: Any, tmp_path: Path, target: dict[str, Any]
) -> None:
    topic = Topic(columns=[ID, NAME])
    first = topic.change("c", 100, None, {"id": 100, "name": "n"})
    sink(target=target).batches.apply(frame(spark, [first]), "app", 0)
    topic.columns = [field("id", "int64"), NAME, field("w", "int32", optional=False, default=7)]
    full = {"id": 2**40, "name": "x" * 70000, "w": 1}
    batch = frame(spark, [topic.change("c", 200, None, full)])
    made = applied_after_crashes(
        sink, lambda: real_lake(spark, tmp_path, target=target), batch, target
    )
    assert rows(made, "shop__orders", "id", "w") == [(100, 7), (2**40, 1)]
    made.lake.compact("shop__orders", 0)
    assert int(made.lake.version("shop__orders")) > 2


def test_a_name_that_would_be_cut_parks_the_table(
    sink: MakeSink, spark: Any, target: dict[str, Any]
) -> None:
    made = sink(target=target)
    topic = Topic(f"srv.shop.{'long' * 15}", [ID])
    made.batches.apply(frame(spark, [topic.change("c", 100, None, {"id": 1})]), "app", 0)
    assert "too long a name" in made.state.parked_tables()[f"shop.{'long' * 15}"]
