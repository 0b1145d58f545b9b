"""A batch that holds nothing but a TRUNCATE empties every kind of mirror."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fixtures.sink.recorded import MakeSink, Topic, field, frame, rows

COLUMNS = [field("id", "int32"), field("v", "string")]


@pytest.mark.parametrize(
    ("settings", "keys"),
    [
        pytest.param(
            {"nopk": "bag_view", "history": {"enabled": True}}, (), marks=pytest.mark.slow
        ),
        pytest.param({"columns": {"null.updates": "keep"}}, ("id",), marks=pytest.mark.slow),
        ({}, ("id",)),
        pytest.param({"mirror": {"scd": 2}}, ("id",), marks=pytest.mark.slow),
    ],
    ids=["keyless", "keep", "plain", "versions"],
)
def test_a_batch_of_a_truncate_alone_empties_the_mirror(
    sink: MakeSink, spark: Any, settings: dict[str, Any], keys: tuple[str, ...]
) -> None:
    topic = Topic(columns=COLUMNS, keys=keys)
    made = sink(**settings)
    first = [topic.change("c", n, None, {"id": n, "v": "a"}) for n in (1, 2)]
    made.batches.apply(frame(spark, first), "app", 0)
    [done] = made.batches.apply(frame(spark, [topic.change("t", 9)]), "app", 1)
    assert made.state.parked_tables() == {}
    assert (done.changes, done.swept) == (1, True)
    living = "__current" if "mirror" in settings else "true"
    found = made.lake.table("shop__orders").read()
    if not keys:
        living = "__count > 0"
    assert found.where(living).collect() == []
    late = topic.change("c", 5, None, {"id": 5, "v": "late"})
    made.batches.apply(frame(spark, [late]), "app", 2)
    assert found.where(living).collect() == []
    assert len(rows(made, "_cdc/commits", "batch")) == 3
