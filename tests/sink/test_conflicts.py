"""Columns that go or change their type, where the settings say more than to park the table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.sink.recorded import MakeSink, Topic, field, frame, rows

pytestmark = pytest.mark.slow  # minutes of Spark

ID, CODE = field("id", "int32"), field("code", "int32")
TEXT = field("code", "string")


@pytest.fixture(params=["delta", "iceberg"])
def target(request: pytest.FixtureRequest) -> dict[str, Any]:
    return {"format": request.param}


def write_statement(path: Path, number: int, ddl: str, *columns: str) -> None:
    """Write a message of the schema-change topic."""
    table = {"columns": [{"name": name, "typeName": "INT"} for name in columns]}
    value = {"ddl": ddl, "tableChanges": [{"id": '"shop"."orders"', "table": table}]}
    line = {"topic": "srv", "partition": 0, "offset": number, "value": json.dumps(value)}
    with (path / "in" / "ddl.json").open("a") as file:
        file.write(json.dumps(line) + "\n")


def test_values_of_a_new_type_go_into_a_column_of_their_own(
    sink: MakeSink, spark: Any, target: dict[str, Any]
) -> None:
    settings = {"evolution": {"conflict": "new_column"}, "history": {"enabled": True}}
    made = sink(target=target, **settings)
    old, new = Topic(columns=[ID, CODE]), Topic(columns=[ID, TEXT])
    first = [old.change("c", 100 + n, None, {"id": n, "code": n}) for n in (1, 2, 3)]
    made.batches.apply(frame(spark, first), "a", 0)
    second = [
        old.change("u", 200, None, {"id": 1, "code": 11}),
        new.change("u", 210, None, {"id": 2, "code": "two"}),
        new.change("u", 220, None, {"id": 3, "code": "three"}),
    ]
    made.batches.apply(frame(spark, second), "a", 1)
    again = sink(target=target, **settings)  # another process
    back = [new.change("u", 230, None, {"id": 1, "code": "one"}),
            old.change("u", 205, None, {"id": 2, "code": 22})]  # fmt: skip
    again.batches.apply(frame(spark, back), "a", 2)
    assert rows(again, "shop__orders", "id", "code", "code__v2") == [
        (1, None, "one"), (2, None, "two"), (3, None, "three"),
    ]  # fmt: skip
    past = rows(again, "shop__orders__history", "id", "code", "code__v2")
    assert [row for row in past if row[0] == 2] == [(2, 2, None), (2, 22, None), (2, None, "two")]


def test_a_column_is_cast_in_all_rows(sink: MakeSink, spark: Any, target: dict[str, Any]) -> None:
    settings = {"evolution": {"conflict": "rewrite"}, "history": {"enabled": True}}
    made = sink(target={**target, "partition.by": ["code"]}, **settings)
    old, new = Topic(columns=[ID, CODE]), Topic(columns=[ID, TEXT])
    first = [old.change("c", 100 + n, None, {"id": n, "code": n}) for n in (1, 2)]
    made.batches.apply(frame(spark, first), "a", 0)
    second = [new.change("u", 210, None, {"id": 2, "code": "two"})]
    made.batches.apply(frame(spark, second), "a", 1)
    late = frame(spark, [old.change("u", 205, None, {"id": 2, "code": 22}),
                         old.change("c", 206, None, {"id": 3, "code": 3})])  # fmt: skip
    again = sink(target={**target, "partition.by": ["code"]}, **settings)
    for _ in range(2):
        again.batches.apply(late, "a", 2)
    assert again.state.parked_tables() == {}
    assert rows(again, "shop__orders", "id", "code") == [(1, "1"), (2, "two"), (3, "3")]
    past = rows(again, "shop__orders__history", "id", "code")
    assert past == [(1, "1"), (2, "2"), (2, "22"), (2, "two"), (3, "3")]
    assert again.lake.table("shop__orders").facts()["keys"] == '["id"]'
    blob = Topic(columns=[ID, field("code", "bytes")])
    again.batches.apply(frame(spark, [blob.change("u", 300, None, {"id": 1, "code": "AA=="})]),
                        "a", 3)  # fmt: skip
    assert (
        "column code is string and now arrives as binary"
        in again.state.parked_tables()["shop.orders"]
    )


def test_a_dropped_column_is_removed_with_the_schema_change_topic(
    sink: MakeSink, spark: Any, tmp_path: Path, target: dict[str, Any]
) -> None:
    settings = {"source": {"ddl.topic": "srv"}, "target": target, "evolution": {"drop": "drop"}}
    made = sink(**settings, history={"enabled": True})
    old, new = Topic(columns=[ID, CODE]), Topic(columns=[ID])
    first = [old.change("c", 100 + n, None, {"id": n, "code": n}) for n in (1, 2)]
    made.batches.apply(frame(spark, first), "a", 0)
    made.batches.apply(frame(spark, [new.change("c", 150, None, {"id": 3})]), "a", 1)
    assert "code" in made.lake.table("shop__orders").columns()  # an SMT may have left it out
    write_statement(tmp_path, 0, "ALTER TABLE orders DROP COLUMN code", "id")
    again = sink(**settings, history={"enabled": True})
    mixed = [
        old.change("u", 140, None, {"id": 2, "code": 9}),
        new.change("c", 200, None, {"id": 4}),
    ]
    again.batches.apply(frame(spark, mixed), "a", 2)
    again.batches.apply(frame(spark, [old.change("u", 145, None, {"id": 1, "code": 5})]), "a", 3)
    assert list(again.lake.table("shop__orders").columns())[:2] == ["id", "__seq_hi"]
    assert rows(again, "shop__orders", "id") == [(1,), (2,), (3,), (4,)]
    assert "code" in again.lake.table("shop__orders__history").columns()
    write_statement(tmp_path, 1, "ALTER TABLE orders ADD COLUMN code INT", "id", "code")
    again.batches.apply(frame(spark, [old.change("u", 300, None, {"id": 4, "code": 4})]), "a", 4)
    found = rows(again, "shop__orders", "id", "code")
    assert found == [(1, None), (2, None), (3, None), (4, 4)]
