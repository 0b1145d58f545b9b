"""Replays of stored messages: nothing is lost and nothing is written twice, in whatever order."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fixtures.sink.crashing import Crash, CrashingLake, CrashingTable
from tests.fixtures.sink.recorded import MakeSink, Row, Topic, field, frame, rows
from tests.sink.test_convergence import real_lake
from tests.sink.test_mutations import mend

COLUMNS = [field("id", "int32"), field("v", "string")]
GIVEN: dict[str, Any] = {
    "target": {"format": "iceberg"},
    "history": {"enabled": True},
    "nopk": "bag_view",
}


def created(topic: Topic, key: int) -> Row:
    return topic.change("c", 100 + key, None, {"id": key, "v": "a"})


def torn(message: Row) -> Row:
    return {**message, "value64": "Pz8="}


def repair(made: Any, spark: Any, *messages: Row) -> None:
    mend(made, spark, [{**one, "part": "value64", "right": one["value64"]} for one in messages])


@pytest.mark.parametrize("keys", [("id",), ()], ids=["keyed", "keyless"])
def test_a_dead_letter_from_before_a_parked_table_is_in_its_history(
    sink: MakeSink, spark: Any, keys: tuple[str, ...]
) -> None:
    """It is older than a message of the history, and the table is parked while it is replayed."""
    from sparksink.commands import replay  # noqa: PLC0415 - needs Spark

    made = sink(**GIVEN)
    topic = Topic(columns=COLUMNS, keys=keys)
    first, broken, last, waiting = (created(topic, key) for key in range(1, 5))
    made.batches.apply(frame(spark, [first, torn(broken), last]), "app", 0)
    made.state.park("shop.orders", "a test")
    made.batches.apply(frame(spark, [waiting]), "app", 1)
    repair(made, spark, broken)
    assert replay.replay_dead_letters(made) == 0
    assert rows(made, "_cdc/dead_letter", "offset") == [(2,)]  # until the table is resumed
    assert replay.replay_parked(made, "shop.orders") == 1
    assert replay.replay_dead_letters(made) == 1
    expected = [(key, "a") for key in range(1, 5)]
    assert rows(made, "shop__orders", "id", "v") == expected
    assert rows(made, "shop__orders__history", "id", "v") == expected
    assert rows(made, "_cdc/dead_letter", "offset") == rows(made, "_cdc/parked", "offset") == []


class EndingLake(CrashingLake):
    """Ends before a write of dead letters: the first, which adds some, or the one after it."""

    def __init__(self, lake: Any, *, adds: bool) -> None:
        super().__init__(lake, 0 if adds else 1, after=False)

    def table(self, name: str) -> CrashingTable:
        table = self._lake.table(name)
        letters = name.endswith("dead_letter")
        return CrashingTable(table, self._write if letters else lambda work: work())


@pytest.mark.parametrize("adds", [True, False])
def test_a_replay_of_dead_letters_that_has_ended_is_run_again(
    sink: MakeSink, spark: Any, tmp_path: Any, adds: bool
) -> None:
    """Perhaps another dead letter was repaired in between."""
    from sparksink.commands import replay  # noqa: PLC0415 - needs Spark

    topic = Topic(columns=COLUMNS)
    right, wrong, other = (created(topic, key) for key in (1, 2, 3))
    made = sink(**GIVEN)
    made.batches.apply(frame(spark, [other, torn(right), torn(wrong)]), "app", 0)
    keep = {**wrong, "value64": torn(wrong)["value64"]}
    repair(made, spark, right, keep)
    with pytest.raises(Crash):
        replay.replay_dead_letters(
            sink(EndingLake(real_lake(spark, tmp_path, **GIVEN), adds=adds), **GIVEN)
        )
    made = sink(**GIVEN)
    assert rows(made, "shop__orders__history", "id") == [*[(1,)] * (not adds), (3,)]
    if adds:
        repair(made, spark, right, wrong)
    replay.replay_dead_letters(made)
    expected = [(1, "a"), *[(2, "a")] * adds, (3, "a")]
    assert rows(made, "shop__orders", "id", "v") == expected
    assert rows(made, "shop__orders__history", "id", "v") == expected
    assert rows(made, "_cdc/dead_letter", "offset") == ([] if adds else [(wrong["offset"],)])


class AppendedLake:
    """Ends after it has appended to a history."""

    def __init__(self, lake: Any) -> None:
        self._lake = lake

    def __getattr__(self, name: str) -> Any:
        return getattr(self._lake, name)

    def table(self, name: str) -> CrashingTable:
        table = CrashingTable(self._lake.table(name), lambda write: write())
        if name.endswith("__history"):
            append = table.append

            def ending(rows: Any, writer: str, batch: int) -> None:
                append(rows, writer, batch)
                raise Crash

            table.append = ending  # type: ignore[method-assign]
        return table


def test_a_message_that_becomes_readable_is_in_the_history(
    sink: MakeSink, spark: Any, tmp_path: Any
) -> None:
    """The history has taken the batch before a crash, and takes no batch twice."""
    from sparksink.commands.replay import replay_dead_letters  # noqa: PLC0415 - needs Spark

    types = {"columns": {"types": {"id": "int", "v": "text"}}, "history": {"enabled": True}}
    plain, with_schema = Topic(), Topic(columns=COLUMNS)
    with_schema.offset = 1
    batch = frame(spark, [created(plain, 1), created(with_schema, 2)])
    only_plain = sink(AppendedLake(real_lake(spark, tmp_path)), source={"format": "json"}, **types)
    with pytest.raises(Crash):
        only_plain.batches.apply(batch, "app", 0)
    made = sink(**types)
    made.batches.apply(batch, "app", 0)
    replay_dead_letters(made)
    for name in ("shop__orders", "shop__orders__history"):
        assert rows(made, name, "id", "v") == [(1, "a"), (2, "a")]
    assert rows(made, "_cdc/dead_letter", "offset") == []
