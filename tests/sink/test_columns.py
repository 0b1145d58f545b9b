"""Columns that are masked, and values that an update does not have."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.sink.defined import defined
from tests.fixtures.sink.recorded import MakeSink, Row, Topic, field, frame, rows

ID = field("id", "int32")
ABSENT = "__debezium_unavailable_value"


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_masked_values_are_in_no_table(sink: MakeSink, spark: Any) -> None:
    mask = {"phone": None, "mail": "hash", "note": "it's ***", "born": "hash"}
    made = sink(
        history={"enabled": True},
        tables=[
            {"match": r"shop\.orders", "columns": {"mask": mask}},
            {"match": ".*", "columns": {"mask": {"id": "***"}}},
        ],
    )
    day = field("born", "int32", "io.debezium.time.Date")
    topic = Topic(columns=[ID, *(field(name, "string") for name in mask if name != "born"), day])
    full = {"id": 1, "phone": "12", "mail": "a@b", "note": "n", "born": 1}
    other = Topic("srv.shop.others", [ID])
    messages = [
        topic.change("c", 100, None, full),
        topic.change("c", 110, None, {**dict.fromkeys(full), "id": 2}),
        topic.change("d", 120, full | {"id": 3}, None),
        other.change("c", 100, None, {"id": 1}),
    ]
    made.batches.apply(frame(spark, messages), "app", 0)
    seen = ("phone", "mail", "note", "born")
    hidden = (None, sha("a@b"), "it's ***", sha("1970-01-02"))
    assert rows(made, "shop__orders", "id", *seen) == [(1, *hidden), (2, None, None, None, None)]
    assert rows(made, "shop__orders__history", "id", *seen)[2] == (3, *hidden)
    assert made.lake.table("_cdc/dead_letter").columns() is None
    assert made.state.parked_tables() == {
        "shop.others": "shop.others: only hash can mask id, a key column."
    }


@pytest.mark.parametrize(
    ("rename", "schemas"),
    [
        ("ddl", True),
        pytest.param("add", True, marks=pytest.mark.slow),
        pytest.param("ddl", False, marks=pytest.mark.slow),
    ],
)
def test_a_rename_reveals_no_column(
    sink: MakeSink, spark: Any, tmp_path: Path, rename: str, schemas: bool
) -> None:
    statements = [
        "CREATE TABLE orders (id INT PRIMARY KEY, ssn VARCHAR(9), note VARCHAR(9))",
        "ALTER TABLE orders RENAME COLUMN ssn TO tax, CHANGE note remark VARCHAR(9)",
    ]
    lines = [
        json.dumps({"topic": "srv", "partition": 0, "offset": number, "value": json.dumps(one)})
        for number, one in enumerate(defined(*statements))
    ]
    made = sink(
        source={"ddl.topic": "srv"},
        columns={"mask": {"ssn": "***"}, "exclude": ["note"]},
        history={"enabled": True, "before": "json"},
        evolution={"rename": rename},
        target={"format": "iceberg"},
    )
    topic = Topic()
    for batch, (pos, names) in enumerate(((15, ("ssn", "note")), (25, ("tax", "remark")))):
        (tmp_path / "in" / "ddl.json").write_text("\n".join(lines[: batch + 1]))
        topic.columns = [ID, *(field(name, "string") for name in names)] if schemas else ()
        row = {"id": 1, **dict.fromkeys(names, "secret")}
        changes = [topic.change("u", pos, row, row), topic.change("c", pos, None, {**row, "id": 2})]
        made.batches.apply(frame(spark, changes), "app", batch)
    assert made.state.parked_tables() == {}
    assert rows(made, "shop__orders", "id", "tax") == [(1, "***"), (2, "***")]
    for table in ("shop__orders", "shop__orders__history"):
        assert "secret" not in str(made.lake.table(table).read().collect())


@pytest.mark.slow
def test_a_key_may_be_hashed(sink: MakeSink, spark: Any) -> None:
    made = sink(columns={"mask": {"id": "hash"}}, mirror={"deletes": "hard"})
    topic = Topic(columns=[ID, field("v", "string")])
    first = [topic.change("c", 100 + n, None, {"id": n, "v": "a"}) for n in (1, 2)]
    made.batches.apply(frame(spark, first), "app", 0)
    later = [topic.change("d", 200, {"id": 1, "v": "a"}, None),
             topic.change("u", 210, {"id": 2, "v": "a"}, {"id": 2, "v": "b"})]  # fmt: skip
    made.batches.apply(frame(spark, [*later, first[0]]), "app", 1)
    assert rows(made, "shop__orders", "id", "v") == [(sha("2"), "b")]


def minimal(topic: Topic, pos: int, key: int, **given: Any) -> Row:
    """Make an update of which the log has no more than what it changes."""
    row = dict.fromkeys(("a", "b", "t")) | given | {"id": key}
    return topic.change("u", pos, None, row)


@pytest.mark.parametrize("table_format", ["delta", pytest.param("iceberg", marks=pytest.mark.slow)])
def test_what_an_update_does_not_have_stays(sink: MakeSink, spark: Any, table_format: str) -> None:
    columns = [ID, field("a", "int32"), field("b", "int32"), field("t", "string")]
    topic = Topic(columns=columns)
    made = sink(columns={"null.updates": "keep"}, target={"format": table_format})

    def whole(op: str, pos: int, key: int, **given: Any) -> Row:
        return topic.change(op, pos, None, {"a": None, "b": None, "t": None, **given, "id": key})

    first = [
        whole("c", 100, 1, a=1, b=1, t="x"),
        whole("r", 100, 2, a=2, b=2, t="y"),
        minimal(topic, 110, 2, a=22),
        minimal(topic, 120, 2, b=222, t=ABSENT),
        whole("c", 130, 3, a=3, b=3, t="z"),
        whole("c", 140, 4, a=4, t="w"),
    ]
    made.batches.apply(frame(spark, first), "app", 0)
    found = rows(made, "shop__orders", "id", "a", "b", "t")
    assert found == [(1, 1, 1, "x"), (2, 22, 222, "y"), (3, 3, 3, "z"), (4, 4, None, "w")]
    second = [
        minimal(topic, 200, 1, a=11),
        minimal(topic, 210, 1, t="xx"),
        topic.change("d", 220, {"id": 3, "a": 3, "b": 3, "t": "z"}, None),
        whole("c", 230, 3, a=33),  # has nothing of the row that was there
        minimal(topic, 240, 3, b=333),
        topic.change("d", 250, {"id": 4, "a": None, "b": None, "t": None}, None),
        minimal(topic, 260, 2, t=ABSENT, a=0),
    ]
    expected = [(1, 11, 1, "xx"), (2, 0, 222, "y"), (3, 33, 333, None)]
    # The connector repeats what it sent, and a batch is repeated.
    for number, batch in enumerate((second, second, [*first, *second])):
        made.batches.apply(frame(spark, batch), "app", 1 + number // 2)
        assert rows(made, "shop__orders", "id", "a", "b", "t") == expected
