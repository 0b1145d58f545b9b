"""Each message is read with the definition of its own position, however far its table lags.

The definition may also be known later than the message.
"""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.sink.defined import publish
from tests.fixtures.sink.history_rows import row_differences
from tests.fixtures.sink.recorded import MakeSink, Row, Topic, frame, rows
from tests.fixtures.sink.redefined import FORMS, ChangingTable, delivered

SEEDS = int(os.environ.get("DDL_SEEDS", "96"))
"""How many histories test-long tries."""
_TABLES = 12


def run(
    sink: MakeSink,
    spark: Any,
    tmp_path: Path,
    seeds: range,
    *,
    batches: int,
    steps: int = 0,
    late: float = 0.0,
    **more: Any,
) -> None:
    """Deliver a table for each seed, and compare all of them with their sources.

    Messages without a schema whose definition is late are dead letters until it is known.
    """
    from sparksink.commands.replay import replay_dead_letters  # noqa: PLC0415

    chance = random.Random(seeds[0])
    tables = [ChangingTable(f"t_{n}", n, FORMS[n % len(FORMS)], **more) for n in seeds]
    for table in tables:
        table.live(steps or chance.randint(15, 60))
    given: dict[str, Any] = {
        "source": {"ddl.topic": "srv"},
        "target": {"format": "iceberg"},  # which takes a third of the time
        "history": {"enabled": not more.get("retypes")},
        "evolution": {"drop": "keep" if late else chance.choice(["keep", "drop"])},
        "limits": {"definition_seconds": 0},
    }
    for number, (messages, statements) in enumerate(delivered(tables, batches, chance, late)):
        (tmp_path / "in" / "ddl.json").parent.mkdir(exist_ok=True)
        (tmp_path / "in" / "ddl.json").write_text("\n".join(map(json.dumps, statements)))
        if number == 0 or chance.random() < 0.5:
            made = sink(**given)
        made.batches.apply(frame(spark, messages), "app", number)
    assert made.state.parked_tables() == {}
    if late:
        replay_dead_letters(made)
    for table in tables:
        compare(made, table, history=given["history"]["enabled"])


def compare(made: Any, table: ChangingTable, *, history: bool) -> None:
    description = f"seed {table.seed}, {table.form}"
    names = [f"`{one.name}`" for one in sorted(table.columns, key=lambda one: one.name)]
    assert rows(made, f"shop__{table.name}", "id", *names) == table.expected(), description
    if history:
        kept = made.lake.table(f"shop__{table.name}__history").read().collect()
        found = {(row["__partition"], row["__offset"]): row.asDict() for row in kept}
        for one in table.events:
            row = found[one.message["partition"], one.message["offset"]]
            assert list(row_differences(table, one, row)) == [], description


def test_messages_are_read_with_the_definition_of_their_own_position(
    sink: MakeSink, spark: Any, tmp_path: Path
) -> None:
    run(sink, spark, tmp_path, range(3), batches=2, steps=14)


def test_messages_may_arrive_before_the_statements_that_change_their_columns(
    sink: MakeSink, spark: Any, tmp_path: Path
) -> None:
    run(sink, spark, tmp_path, range(12, 18), batches=3, steps=20, late=0.8)


def test_a_corrupt_message_without_a_position_brings_no_column(
    sink: MakeSink, spark: Any, tmp_path: Path
) -> None:
    topic, statements = Topic("srv.shop.t"), []
    for number, (ddl, pos, default) in enumerate(
        [("CREATE TABLE t (…)", 1, None), ("ALTER TABLE t ADD b INT NOT NULL DEFAULT 7", 100, 7)]
    ):
        names = ("id", "a", "b")[: number + 2]
        columns: list[Row] = [{"name": name, "typeName": "INT"} for name in names]
        columns[-1]["defaultValueExpression"] = default
        table = {"columns": columns, "primaryKeyColumnNames": ["id"]}
        change = {"type": ddl.split()[0], "id": '"shop"."t"', "table": table}
        source = {"file": "bin.000001", "pos": pos, "snapshot": "false"}
        value = json.dumps({"source": source, "ddl": ddl, "tableChanges": [change]})
        statements.append({"topic": "srv", "partition": 0, "offset": number, "value": value})
    (tmp_path / "in").mkdir(exist_ok=True)
    (tmp_path / "in" / "ddl.json").write_text("\n".join(map(json.dumps, statements)))
    made = sink(source={"ddl.topic": "srv"}, target={"format": "iceberg"})
    first = topic.change("c", 10, None, {"id": 1, "a": 10})
    corrupt = topic.message({"id": 2}, b'{"before":null,"after":{"id":2,')
    made.batches.apply(frame(spark, [first, corrupt]), "app", 0)
    assert "b" not in made.lake.table("shop__t").columns()
    assert rows(made, "_cdc/dead_letter", "offset", "reason") == [(2, "not readable")]
    late = topic.change("c", 20, None, {"id": 3, "a": 30})
    newest = topic.change("c", 200, None, {"id": 4, "a": 40, "b": 41})
    made.batches.apply(frame(spark, [newest]), "app", 1)
    made.batches.apply(frame(spark, [late]), "app", 2)
    assert rows(made, "shop__t", "id", "a", "b") == [(1, 10, 7), (3, 30, 7), (4, 40, 41)]


def test_a_deleted_row_is_not_restored_after_its_key_column_is_renamed(
    sink: MakeSink, spark: Any, tmp_path: Path
) -> None:
    statements = [
        "CREATE TABLE orders (id INT PRIMARY KEY, a INT)",
        "ALTER TABLE orders RENAME COLUMN id TO pk",
    ]
    publish(tmp_path, statements[0])
    made = sink(source={"ddl.topic": "srv"}, target={"format": "iceberg"})
    topic = Topic()
    row = {"id": 1, "a": 10}
    created, updated = (topic.change(op, 12 + n, None, row) for n, op in enumerate("cu"))
    deleted = topic.change("d", 14, row)
    topic.keys = ["pk"]
    renamed = topic.change("c", 25, None, {"pk": 2, "a": 20})
    for number, message in enumerate([created, deleted, renamed, updated]):
        if number == 2:
            publish(tmp_path, *statements)
        made.batches.apply(frame(spark, [message]), "app", number)
    assert rows(made, "shop__orders", "pk", "a") == [(2, 20)]


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, SEEDS, _TABLES))
@pytest.mark.parametrize(
    "given", [{}, {"retypes": True}, {"late": 0.7}], ids=["lag", "retypes", "late"]
)
def test_random_definitions_with_any_lag(
    sink: MakeSink, spark: Any, tmp_path: Path, first: int, given: dict[str, Any]
) -> None:
    run(sink, spark, tmp_path, range(first, first + _TABLES), batches=4, **given)
