"""One table that cannot go on stops no other, and nothing of it is lost until it can."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.sink.crashing import Crash, CrashingLake, CrashingTable
from tests.fixtures.sink.recorded import MakeSink, Topic, field, frame, rows
from tests.sink.test_convergence import real_lake

COLUMNS = [field("id", "int32"), field("v", "string")]
TARGET = {"format": "iceberg"}  # which takes a third of the time


def row(key: int, text: str = "a") -> dict[str, Any]:
    return {"id": key, "v": text}


class BrokenLake(CrashingLake):
    """Raises an unexpected error when one table is written."""

    def __init__(self, lake: Any, name: str) -> None:
        super().__init__(lake, 10**6, after=True)
        self._name = name

    def table(self, name: str) -> CrashingTable:
        def write(work: Any) -> None:
            if name == self._name:
                raise KeyError("secret value")
            work()

        return CrashingTable(self._lake.table(name), write)


def test_a_table_with_too_many_unreadable_messages_or_an_unexpected_error_is_parked_alone(
    sink: MakeSink, spark: Any, tmp_path: Path
) -> None:
    given = {"target": TARGET, "errors": {"max.per.batch": 2}}
    orders, broken, others = (Topic(f"srv.shop.{name}", COLUMNS) for name in "abc")
    first = [topic.change("c", 100, None, row(1)) for topic in (orders, broken, others)]
    bad = [orders.message({"id": n}, f"{n}".encode()) for n in range(3)]
    lake = BrokenLake(real_lake(spark, tmp_path, **given), "shop__b")
    made = sink(lake, **given)
    made.batches.apply(frame(spark, [*first, *bad]), "app", 0)
    assert rows(made, "shop__c", "id") == [(1,)]
    reasons = made.state.parked_tables()
    assert "3 of 4 messages of one batch cannot be used. errors.max.per.batch" in reasons["shop.a"]
    assert reasons["shop.b"] == "shop.b: unexpected KeyError, see the log."
    made.batches.apply(frame(spark, [others.change("c", 110, None, row(2))]), "app", 1)
    assert rows(made, "shop__c", "id") == [(1,), (2,)]
    assert len(rows(made, "_cdc/parked", "offset")) == 5


@pytest.mark.slow
def test_a_new_table_with_the_name_of_another_one_is_parked_alone(
    sink: MakeSink, spark: Any
) -> None:
    from sparksink.commands import replay  # noqa: PLC0415
    from sparksink.commands.check import run_checks  # noqa: PLC0415
    from sparksink.errors import ConfigError  # noqa: PLC0415

    orders, upper = Topic("srv.shop.orders", COLUMNS), Topic("srv.shop.Orders", COLUMNS)
    past = Topic("srv.shop.orders__history", COLUMNS)
    made = sink(target=TARGET)
    made.batches.apply(frame(spark, [orders.change("c", 100, None, row(1))]), "app", 0)
    for number in (1, 2):
        made = sink(target=TARGET)
        changes = [one.change("c", 100 + number, None, row(10 * number)) for one in (upper, past)]
        made.batches.apply(frame(spark, changes), "app", number)
        reason = "shop.Orders would be written to shop__Orders, which belongs to srv.shop.orders."
        assert [*made.state.parked_tables()] == ["shop.Orders"]
        assert made.state.parked_tables()["shop.Orders"].startswith(reason)
    with pytest.raises(ConfigError, match="which belongs to srv"):
        list(run_checks(made, {orders.name: {}, upper.name: {}}))
    made.batches.apply(frame(spark, [orders.change("c", 110, None, row(2))]), "app", 3)
    assert rows(made, "shop__orders", "id") == [(1,), (2,)]
    assert rows(made, "shop__orders__history", "id") == [(10,), (20,)]
    own = {"match": r"shop\.Orders", "target": {"name": "orders2"}}
    made = sink(target=TARGET, tables=[own])
    assert replay.replay_parked(made, "shop.Orders") == 2
    assert made.state.parked_tables() == {}
    assert rows(made, "orders2", "id") == [(10,), (20,)]


@pytest.mark.slow
def test_a_table_whose_rows_cannot_be_swept_is_parked_alone(
    sink: MakeSink, spark: Any, tmp_path: Path
) -> None:
    from sparksink.commands import replay  # noqa: PLC0415
    from sparksink.state.table_result import Boundary, PendingSweep  # noqa: PLC0415

    given = {"target": TARGET}
    broken, others = Topic("srv.shop.b", COLUMNS), Topic("srv.shop.c", COLUMNS)
    made = sink(**given)
    first = [topic.change("c", 100, None, row(1)) for topic in (broken, others)]
    made.batches.apply(frame(spark, first), "app", 0)
    made.state.defer_sweep(PendingSweep("shop.b", broken.name, Boundary(2, 0, None), {}))
    made = sink(BrokenLake(real_lake(spark, tmp_path, **given), "shop__b"), **given)
    made.batches.apply(frame(spark, [others.change("c", 110, None, row(2))]), "app", 1)
    assert made.state.parked_tables() == {"shop.b": "shop.b: unexpected KeyError, see the log."}
    assert rows(made, "shop__c", "id") == [(1,), (2,)]
    made = sink(**given)
    assert replay.replay_parked(made, "shop.b") == 0
    assert rows(made, "shop__b", "id") == [(1,)]
    made.batches.apply(frame(spark, [others.change("c", 120, None, row(3))]), "app", 2)
    assert rows(made, "shop__b", "id") == []
    assert made.state.parked_tables() == {}


def test_park_replay_resumes_wherever_it_was_killed(
    sink: MakeSink, spark: Any, tmp_path: Path
) -> None:
    from sparksink.commands import replay  # noqa: PLC0415
    from sparksink.errors import TableError  # noqa: PLC0415

    given: dict[str, Any] = {"target": TARGET, "history": {"enabled": True}}
    topic = Topic(columns=COLUMNS)
    batches = [
        [topic.change("c", 100, None, row(2)), topic.message({"id": 3}, b"x")],
        [topic.change("c", 110, None, row(1))],
        [topic.change("u", 120, None, row(1, "b"))],
    ]
    made = sink(errors={"max.per.batch": 0}, **given)
    for number, batch in enumerate(batches):
        made.batches.apply(frame(spark, batch), "app", number)
    made = sink(errors={"max.per.batch": 0}, **given)
    with pytest.raises(TableError, match=r"errors\.max\.per\.batch"):
        replay.replay_parked(made, "shop.orders")
    assert replay.tables_with_messages(sink(**given)) == ["shop.orders"]
    kills = 0
    while True:
        again = sink(CrashingLake(real_lake(spark, tmp_path, **given), kills, after=True), **given)
        try:
            replay.replay_parked(again, "shop.orders")
            break
        except Crash:
            kills += 2
            check = sink(**given)
            kept = len(rows(check, "_cdc/parked", "offset"))
            assert kept == 0 or replay.tables_with_messages(check) == ["shop.orders"]
    assert kills >= 6
    made = sink(**given)
    assert (made.state.parked_tables(), replay.tables_with_messages(made)) == ({}, [])
    assert rows(made, "shop__orders", "id", "v") == [(1, "b"), (2, "a")]
    assert len(rows(made, "shop__orders__history", "id")) == 3
    assert rows(made, "_cdc/dead_letter", "offset") == [(2,)]
