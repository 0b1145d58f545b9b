"""Messages may arrive before the definition of their columns."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.sink.defined import publish
from tests.fixtures.sink.recorded import MakeSink, Topic, field, frame, rows

CREATED = "CREATE TABLE orders (id INT PRIMARY KEY, a INT)"
ADDED = "ALTER TABLE orders ADD b INT"
REASON = "a field that the definition of its table lacks"
SINK: dict[str, Any] = {"source": {"ddl.topic": "srv"}, "target": {"format": "iceberg"}}
RENAMED = "ALTER TABLE orders RENAME COLUMN a TO b"
PATIENTLY = {"definition_seconds": 60}


def test_a_batch_waits_for_a_definition_that_is_late(
    sink: MakeSink, spark: Any, tmp_path: Path
) -> None:
    publish(tmp_path, CREATED)
    made, topic = sink(limits=PATIENTLY, **SINK), Topic()
    made.batches.apply(frame(spark, [topic.change("c", 15, None, {"id": 1, "a": 10})]), "app", 0)
    late = threading.Timer(1.5, publish, (tmp_path, CREATED, ADDED))
    late.start()
    # The last message is from before the column, as after a restart of the connector.
    added = topic.change("c", 25, None, {"id": 2, "a": 20, "b": 21})
    again = topic.change("c", 15, None, {"id": 1, "a": 10})
    made.batches.apply(frame(spark, [added, again]), "app", 1)
    late.join()
    assert rows(made, "shop__orders", "id", "a", "b") == [(1, 10, None), (2, 20, 21)]
    assert not made.state.lacks_messages


def renamed_rows() -> tuple[Any, Any]:
    """Return the messages of a row from before a rename, and of one from after it."""
    topic = Topic(columns=[field("id", "int32"), field("a", "int32")])
    first = topic.change("c", 15, None, {"id": 1, "a": 10})
    topic.columns = [field("id", "int32"), field("b", "int32")]
    return first, topic.change("u", 25, None, {"id": 2, "b": 20})


def test_messages_with_schemas_wait_for_a_rename_that_is_late(
    sink: MakeSink, spark: Any, tmp_path: Path
) -> None:
    publish(tmp_path, CREATED)
    made, (first, second) = sink(limits=PATIENTLY, **SINK), renamed_rows()
    made.batches.apply(frame(spark, [first]), "app", 0)
    late = threading.Timer(1.5, publish, (tmp_path, CREATED, RENAMED))
    late.start()
    made.batches.apply(frame(spark, [second]), "app", 1)
    late.join()
    assert rows(made, "shop__orders", "id", "b") == [(1, 10), (2, 20)]
    assert "a" not in made.lake.table("shop__orders").columns()


def test_messages_with_schemas_of_a_new_table_wait_for_its_definition(
    sink: MakeSink, spark: Any, tmp_path: Path
) -> None:
    (tmp_path / "in").mkdir()
    made = sink(limits=PATIENTLY, **SINK)
    late = threading.Timer(
        1.5, publish, (tmp_path, "CREATE TABLE orders (id BIGINT UNSIGNED PRIMARY KEY)")
    )
    late.start()
    topic = Topic(columns=[field("id", "int64")])
    made.batches.apply(frame(spark, [topic.change("c", 15, None, {"id": -1})]), "app", 0)
    late.join()
    assert rows(made, "shop__orders", "id") == [(2**64 - 1,)]


@pytest.mark.parametrize("kind", ["delta", "iceberg"])
def test_values_move_to_the_renamed_column_when_its_statement_comes_after_the_wait(
    sink: MakeSink, spark: Any, tmp_path: Path, kind: str
) -> None:
    publish(tmp_path, CREATED)
    given = {**SINK, "target": {"format": kind}, "history": {"enabled": True}}
    made, (first, second) = sink(**given), renamed_rows()
    made.batches.apply(frame(spark, [first]), "app", 0)
    made.batches.apply(frame(spark, [second]), "app", 1)
    publish(tmp_path, CREATED, RENAMED)
    made.batches.apply(frame(spark, [second]), "app", 2)
    assert {*made.lake.table("shop__orders").columns()} >= {"id", "b"}
    for name in ("shop__orders", "shop__orders__history"):
        assert {*rows(made, name, "id", "b")} == {(1, 10), (2, 20)}
        assert {"a", "b__late"}.isdisjoint(made.lake.table(name).columns())


@pytest.mark.parametrize("form", ["envelope", "row"])
def test_messages_whose_definition_never_comes_are_dead_letters_until_it_does(
    sink: MakeSink, spark: Any, tmp_path: Path, form: str
) -> None:
    from sparksink.commands.replay import replay_dead_letters  # noqa: PLC0415

    publish(tmp_path, CREATED)
    made, topic = sink(**SINK), Topic()

    def change(pos: int, row: dict[str, int]) -> Any:
        if form == "envelope":
            return topic.change("c", pos, None, row)
        meta = {"__op": "c", "__source_file": "bin.000001", "__source_pos": pos, "__other": 1}
        return topic.message({"id": row["id"]}, {**row, **meta})

    known, unknown = {"id": 1, "a": 10}, {"id": 2, "a": 20, "b": 21}
    messages = [change(15, known), change(25, unknown), change(26, {**unknown, "id": 1})]
    made.batches.apply(frame(spark, messages), "app", 0)
    assert rows(made, "shop__orders", "id", "a") == [(1, 10)]
    assert rows(made, "_cdc/dead_letter", "offset", "reason") == [(2, REASON), (3, REASON)]
    publish(tmp_path, CREATED, ADDED)
    replay_dead_letters(made)
    assert rows(made, "shop__orders", "id", "a", "b") == [(1, 20, 21), (2, 20, 21)]


def test_fields_that_are_left_out_need_no_definition(
    sink: MakeSink, spark: Any, tmp_path: Path
) -> None:
    publish(tmp_path, CREATED)
    given = [
        {"match": r"shop\.orders", "columns": {"exclude": ["b"]}},
        {"match": r"shop\.items", "columns": {"include": ["id", "a"]}},
    ]
    made = sink(**SINK, tables=given)
    topic = Topic()
    row = {"id": 1, "a": 10, "b": 11}
    made.batches.apply(frame(spark, [topic.change("c", 15, None, row)]), "app", 0)
    assert rows(made, "shop__orders", "id", "a") == [(1, 10)]
    assert made.lake.table("_cdc/dead_letter").columns() is None


def test_a_column_that_may_be_a_renamed_secret_waits_for_its_definition(
    sink: MakeSink, spark: Any, tmp_path: Path
) -> None:
    publish(tmp_path, CREATED)
    made = sink(**SINK, columns={"mask": {"a": None}})
    topic = Topic(columns=[field("id", "int32"), field("c", "int32")])
    first = topic.change("c", 25, None, {"id": 1, "c": 10})
    made.batches.apply(frame(spark, [first]), "app", 0)
    assert "column c, which may be a renamed one" in made.state.parked_tables()["shop.orders"]
    assert made.lake.table("shop__orders").columns() is None
