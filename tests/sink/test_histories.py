"""Optional columns of histories, and histories without duplicate events."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.sink.crashing import Crash, CrashingLake
from tests.fixtures.sink.recorded import MakeSink, Topic, envelope_schema, field, frame, rows
from tests.sink.test_convergence import real_lake

COLUMNS = [field("id", "int32"), field("v o", "string")]
TABLE = "shop__orders__history"


def row(key: int, text: str | None, **more: Any) -> dict[str, Any]:
    return {"id": key, "v o": text, **more}


def again(message: dict[str, Any], offset: int, **more: Any) -> dict[str, Any]:
    return {**message, "offset": offset, **more}


@pytest.mark.slow
@pytest.mark.parametrize("table_format", ["delta", "iceberg"])
def test_the_row_before_follows_the_table(sink: MakeSink, spark: Any, table_format: str) -> None:
    target = {"format": table_format}
    topic = Topic(columns=COLUMNS)
    plain = sink(target=target, history={"enabled": True})  # which did not keep it yet
    first = topic.change("c", 100, None, row(1, "a"))
    plain.batches.apply(frame(spark, [first]), "app", 0)
    kept = sink(target=target, history={"enabled": True, "before": "struct"})
    kept.batches.apply(frame(spark, [topic.change("u", 110, row(1, "a"), row(1, "b"))]), "app", 1)
    topic.columns = [field("id", "int64"), COLUMNS[1], field("w", "int32")]
    wide = [
        topic.change("u", 120, row(1, "b", w=None), row(1, "c", w=7)),
        topic.change("d", 130, row(1, "c", w=7), None),
        topic.message({"id": 1}, None),
        topic.message(None, b"garbage"),
    ]
    kept.batches.apply(frame(spark, wide), "app", 2)
    found = kept.lake.table(TABLE).read().orderBy("__seq_lo").collect()
    before = [one["__before"] and one["__before"].asDict() for one in found]
    assert before == [
        None,
        row(1, "a", w=None),
        row(1, "b", w=None),
        row(1, "c", w=7),
    ]
    assert rows(kept, "shop__orders", "id") == []


@pytest.mark.slow
def test_the_row_before_as_json(sink: MakeSink, spark: Any) -> None:
    made = sink(history={"enabled": True, "before": "json"}, columns={"exclude": ["w"]})
    topic = Topic(columns=[*COLUMNS, field("w", "int32")])
    given = [
        topic.change("c", 100, None, row(1, "a", w=1)),
        topic.change("u", 110, row(1, "a", w=1), row(1, None, w=1)),
        topic.change("d", 120, row(1, None, w=1), None),
    ]
    made.batches.apply(frame(spark, given), "app", 0)
    found = rows(made, TABLE, "__seq_lo", "__before")
    texts = [text and json.loads(text) for _, text in sorted(found)]
    assert texts == [None, row(1, "a"), row(1, None)]


@pytest.mark.slow
def test_redelivered_events_are_dropped_after_crashes(
    sink: MakeSink, spark: Any, tmp_path: Path
) -> None:
    given: dict[str, Any] = {
        "target": {"format": "iceberg"},  # which takes a third of the time
        "history": {"enabled": True, "dedupe": "replay"},
    }
    topic = Topic(columns=COLUMNS)
    first = [
        topic.change("r", 100, None, row(1, "s")),
        topic.change("r", 100, None, row(2, "s"), snapshot="last"),
        topic.change("c", 110, None, row(3, "a")),
        topic.change("c", 110, None, row(4, "a"), row=1),
        topic.change("u", 120, row(3, "a"), row(3, "b")),
    ]
    redelivered = [again(one, 11 + n) for n, one in enumerate(first[2:])]
    second = [*redelivered, again(topic.change("u", 130, row(3, "b"), row(3, "c")), 14),
              again(topic.change("d", 120, row(9, "x"), None), 3, partition=1)]  # fmt: skip
    second = [*second, again(second[3], 15)]
    for number, batch in enumerate((first, second)):
        for at in range(0, 5, 2):
            lake = CrashingLake(real_lake(spark, tmp_path, **given), at, after=True)
            try:
                sink(lake, **given).batches.apply(frame(spark, batch), "app", number)
            except Crash:
                continue
        sink(**given).batches.apply(frame(spark, batch), "app", number)
    made = sink(**given)
    made.batches.apply(frame(spark, second), "app", 1)  # its commit is all that was lost
    found = rows(made, TABLE, "__partition", "__offset")
    assert sorted(found) == [(0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (0, 14), (1, 3)]
    assert rows(made, "shop__orders", "id", "`v o`") == [(1, "s"), (2, "s"), (3, "c"), (4, "a")]


@pytest.mark.parametrize("form", ["envelope", "row"])
def test_a_history_has_position_and_transaction_of_an_event(
    sink: MakeSink, spark: Any, form: str
) -> None:
    given = {"enabled": True, "snapshot": "skip"}
    columns = {"types": {"id": "int", "v o": "varchar(9)"}}
    made = sink(target={"format": "iceberg"}, history=given, columns=columns)
    topic = Topic()
    snapshot = topic.change("r", 90, None, row(1, "a"), snapshot="true")
    source = {"file": "bin.000003", "pos": 100, "row": 2, "snapshot": "false", "gtid": "u:7",
              "ts_ms": 1_700_000_000_000}  # fmt: skip
    transaction = {"id": "u:7", "total_order": 3}
    value = {
        "before": None,
        "after": row(1, "b"),
        "source": source,
        "op": "u",
        "transaction": transaction,
    }
    plain = {name: value[name] for name in ("before", "after", "op")}  # without a transaction
    second = {**plain, "source": {**source, "pos": 110, "gtid": None}}
    events = [value, second]
    if form == "row":
        snapshot = topic.message({"id": 1}, flat(snapshot_value(90)))
        events = [flat(one) for one in events]
    later = [topic.message({"id": 1}, one) for one in events]
    made.batches.apply(frame(spark, [snapshot, *later]), "app", 0)
    names = ("__file", "__pos", "__row", "__snapshot", "__gtid", "__tx_id", "__tx_order")
    assert sorted(rows(made, TABLE, *names, "__event_id"), key=lambda one: one[1]) == [
        ("bin.000003", 100, 2, "false", "u:7", "u:7", 3, "u:7:3"),
        ("bin.000003", 110, 2, "false", None, None, None, "0/3/110/2/2"),
    ]
    assert rows(made, "shop__orders", "id", "`v o`") == [(1, "b")]


def snapshot_value(pos: int) -> dict[str, Any]:
    source = {"file": "bin.000003", "pos": pos, "row": 0, "snapshot": "true", "ts_ms": 1}
    return {"after": row(1, "a"), "source": source, "op": "r"}


def flat(value: dict[str, Any]) -> dict[str, Any]:
    """Return an event as ExtractNewRecordState makes of it."""
    source = {f"__source_{name}": one for name, one in value["source"].items()}
    transaction = {
        f"__transaction_{name}": one for name, one in value.get("transaction", {}).items()
    }
    return {**value["after"], "__op": value["op"], "__deleted": "false", **source, **transaction}


@pytest.mark.slow
@pytest.mark.parametrize("table_format", ["delta", "iceberg", "parquet"])
def test_a_history_has_each_message_once_after_its_checkpoint_was_lost(
    sink: MakeSink, spark: Any, tmp_path: Path, table_format: str
) -> None:
    given: dict[str, Any] = {"target": {"format": table_format}, "history": {"enabled": True}}
    if table_format == "parquet":
        given["mirror"] = {"enabled": False}
    topic = Topic(columns=COLUMNS)
    given_first = [topic.change("c", 100 + n, None, row(n, "a")) for n in range(4)]
    sink(**given).batches.apply(frame(spark, given_first[:3]), "one", 0)
    torn = CrashingLake(real_lake(spark, tmp_path, **given), 1, after=True)  # behind the history
    with pytest.raises(Crash):
        sink(torn, **given).batches.apply(frame(spark, given_first[3:]), "one", 1)
    for _ in range(2):  # the second time after a crash before its commit
        made = sink(**given)
        made.batches.apply(frame(spark, given_first[:2]), "two", 0)
    later = topic.change("c", 105, None, row(5, "a"))
    made.batches.apply(frame(spark, [*given_first[2:], later]), "two", 1)
    assert [offset for (offset,) in rows(made, TABLE, "__offset")] == [1, 2, 3, 4, 5]
    recreated = [{**topic.change("c", 200, None, row(6, "b")), "offset": 1, "timestamp": 10}]
    sink(**given).batches.apply(frame(spark, recreated), "three", 0)  # the topic was created again
    assert len(rows(made, TABLE, "__offset")) == 6


@pytest.mark.slow
@pytest.mark.parametrize("table_format", ["delta", "iceberg"])
def test_an_event_is_known_by_its_transaction_on_every_server(
    sink: MakeSink, spark: Any, table_format: str
) -> None:
    history = {"enabled": True, "dedupe": "event_id"}
    topic = Topic()
    schema = envelope_schema(COLUMNS)
    schema["fields"][2]["fields"].append(field("gtid", "string"))
    order = {"type": "struct", "optional": True, "field": "transaction",
             "fields": [field("total_order", "int64")]}  # fmt: skip
    schema["fields"].append(order)

    def event(file: int, pos: int, number: int, op: str = "u") -> dict[str, Any]:
        images = (None, row(1, str(number)))
        source = {"file": f"bin.{file:06}", "pos": pos, "row": 0, "snapshot": "false",
                  "ts_ms": 1_700_000_000_000 + number, "gtid": "uuid:7"}  # fmt: skip
        payload = {"before": images[0], "after": images[1], "source": source, "op": op,
                   "transaction": {"total_order": number}}  # fmt: skip
        return topic.message({"id": 1}, {"schema": schema, "payload": payload})

    made = sink(target={"format": table_format}, history=history)
    first = [event(1, 100, 1), event(1, 110, 2), event(1, 110, 2), event(1, 50, 0, "r")]
    made.batches.apply(frame(spark, first), "app", 0)
    # The same transaction at another place, as on another server, and more of it.
    later = [event(7, 40, 1), event(7, 50, 2), event(7, 60, 3), event(1, 50, 0, "r")]
    for _ in range(2):
        made.batches.apply(frame(spark, later), "app", 1)
    found = [name for (name,) in rows(made, TABLE, "__event_id")]
    assert found[1:] == ["uuid:7:1", "uuid:7:2", "uuid:7:3"]
    assert found[0].startswith("0/1/50/0/0/")
    assert rows(made, "shop__orders", "`v o`") == [("3",)]
