"""Mirrors are rebuilt from their topics, also if the old one could not continue."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.sink.recorded import MakeSink, Topic, field, frame, rows

TEXT = [field("id", "int32"), field("v", "string")]
NUMBER = [field("id", "int32"), field("v", "int32"), field("a b", "string")]


def number(key: int, value: int) -> dict[str, Any]:
    return {"id": key, "v": value, "a b": "c"}


def record(path: Path, messages: list[dict[str, Any]]) -> None:
    lines = "\n".join(map(json.dumps, messages))
    (path / "in" / f"{len(list((path / 'in').iterdir())):03}.json").write_text(lines)


@pytest.mark.slow
@pytest.mark.parametrize("table_format", ["delta", "iceberg"])
def test_a_parked_table_is_rebuilt(
    sink: MakeSink, spark: Any, tmp_path: Path, table_format: str
) -> None:
    from sparksink.commands.subcommands import rebuild  # noqa: PLC0415

    texts, numbers = Topic(columns=TEXT), Topic(columns=NUMBER)
    old = [texts.change("r", 100, None, {"id": 1, "v": "a"}, snapshot="last")]
    numbers.offset = texts.offset
    # Dropped and created again with another type: a new snapshot has all its rows.
    new = [
        numbers.change("r", 200, None, number(2, 7), snapshot="first"),
        numbers.change("r", 200, None, number(3, 8), snapshot="last"),
    ]
    later = [
        numbers.change("d", 300, number(3, 8), None),
        numbers.change("c", 400, None, number(4, 9)),
    ]
    made = sink(target={"format": table_format})
    record(tmp_path, old)
    made.batches.apply(frame(spark, old), "app", 0)
    made.batches.apply(frame(spark, new), "app", 1)
    assert "column v is string" in made.state.parked_tables()["shop.orders"]
    record(tmp_path, [*new, *later])

    rebuild(made, Namespace(table=r"shop\..*", force=False))

    assert rows(made, "shop__orders", "id", "v", "`a b`") == [(2, 7, "c"), (4, 9, "c")]
    assert made.state.parked_tables() == {}
    assert made.lake.table("shop__orders").facts()["keys"] == '["id"]'
    assert not [path for path in tmp_path.rglob("*__rebuild*") if any(path.rglob("*"))]
    # It goes on where it is, and what it has learned of deletes holds.
    again = sink(target={"format": table_format})
    last = [
        numbers.change("u", 250, number(3, 8), number(3, 0)),
        numbers.change("u", 500, number(4, 9), number(4, 10)),
    ]
    again.batches.apply(frame(spark, last), "app", 2)
    assert rows(again, "shop__orders", "id", "v") == [(2, 7), (4, 10)]
