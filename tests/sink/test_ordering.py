"""Changes ordered by a column of their rows, and epochs from the source block."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fixtures.sink.recorded import MakeSink, Row, Topic, frame, rows

LATER = 1_700_000_001_000  # than the times of `Topic.change`, in ms
TYPES = {"id": "int", "v": "varchar(9)", "updated": "datetime(6)"}


def row(key: int, text: str, updated: int | None) -> Row:
    return {"id": key, "v": text, "updated": updated}


def test_a_column_determines_the_later_change(sink: MakeSink, spark: Any) -> None:
    made = sink(
        ordering={"mode": "column: updated"},
        mirror={"sweep": False, "truncate": "ignore"},
        columns={"types": TYPES},
    )
    topic = Topic()
    first = [
        *(topic.change("c", 900 + n, None, row(n, "a", 10)) for n in (1, 2, 3)),
        topic.change("c", 904, None, row(4, "a", None)),
        topic.change("c", 905, None, row(5, "a", -1)),
    ]
    made.batches.apply(frame(spark, first), "app", 0)
    second = [
        topic.change("u", 10, row(1, "a", 10), row(1, "old", 5), ts_ms=1_800_000_000_000),
        topic.change("u", 20, row(2, "a", 10), row(2, "tie", 10)),
        topic.change("d", 30, row(3, "a", 10), None),
        topic.message({"id": 3}, None),
        topic.change("t", 40),
    ]
    late = topic.change("c", 800, None, row(3, "late", 9))
    for number, batch in enumerate((second, [*second, late])):
        made.batches.apply(frame(spark, batch), "app", 1 + number)
        assert rows(made, "shop__orders", "id", "v") == [(1, "a"), (2, "tie")]
    letters = rows(made, "_cdc/dead_letter", "offset", "reason")
    assert letters == [(4, "nothing to order it by"), (5, "nothing to order it by")]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("id", 7),
        ("CAST(id AS DECIMAL(20,0))", 7),
        ("DATE'1970-01-03'", 2),
        ("TIMESTAMP_NTZ'1970-01-01 00:00:01'", 1_000_000),
        ("-id", None),
        ("CAST('1e19' AS DECIMAL(20,0))", None),
    ],
)
def test_what_can_be_ordered_becomes_a_whole_number(
    spark: Any, expression: str, value: int | None
) -> None:
    from sparksink.decode.position_columns import order_by_expression  # noqa: PLC0415 - needs Spark

    spark.conf.set("spark.sql.session.timeZone", "UTC")
    changes = spark.sql("SELECT 7 AS id, 'u' AS __op, 0L AS __seq_hi")
    assert [one["__seq_hi"] for one in order_by_expression(changes, expression).collect()] == [
        value
    ]


@pytest.mark.parametrize(
    ("expression", "message"),
    [("'text'", "is of type string"), ("id / 2", "is of type double"), ("gone", "cannot be used")],
)
def test_what_cannot_be_ordered_parks_the_table(spark: Any, expression: str, message: str) -> None:
    from sparksink.decode.position_columns import order_by_expression  # noqa: PLC0415 - needs Spark
    from sparksink.errors import TableError  # noqa: PLC0415

    changes = spark.sql("SELECT 7 AS id, 'u' AS __op, 0L AS __seq_hi")
    with pytest.raises(TableError, match=message):
        order_by_expression(changes, expression)


def test_the_source_block_has_the_epoch(sink: MakeSink, spark: Any) -> None:
    made = sink(ordering={"epoch": "sequence"}, columns={"types": {"id": "int", "v": "text"}})
    topic = Topic()
    messages = [
        topic.change("c", 900, None, {"id": 1, "v": "first"}),
        topic.change(
            "u", 100, None, {"id": 1, "v": "after a failover"}, sequence='["1","7"]', ts_ms=LATER
        ),
        topic.change("u", 950, None, {"id": 1, "v": "late"}, sequence=None),
        topic.change("u", 950, None, {"id": 1, "v": "?"}, sequence='["x"]'),
    ]
    made.batches.apply(frame(spark, messages), "app", 0)
    assert rows(made, "shop__orders", "v", "__seq_hi") == [("after a failover", (1 << 32) + 1)]
    assert rows(made, "_cdc/dead_letter", "offset", "reason") == [(4, "no binlog position")]
