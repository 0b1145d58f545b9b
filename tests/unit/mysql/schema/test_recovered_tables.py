"""Tables that are recovered from a schema history are those that were tracked live."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

import pytest

from connector.capture.history.record import HistoryRecord
from connector.capture.history.recover import recover
from connector.capture.tables import Table, TableId, Tables
from connector.mysql.schema.database_schema import DatabaseSchema
from connector.mysql.schema.ddl_change import DdlChange
from connector.mysql.schema.schema_rules import SchemaRules

PARTITION = {"server": "shop"}
GIVEN_UP = ("CREATE TABLE t (a INT, b INT)", "ALTER TABLE t RENAME TO t_old, ADD c INT")


@pytest.mark.parametrize(
    "ddl",
    [
        (
            *("CREATE TABLE t (a INT)", "DROP TABLE t", "CREATE TABLE T (a INT, b INT)"),
            *("DROP TABLE t", "CREATE TABLE t (b INT, a INT)"),
        ),
        ("CREATE TABLE t (a INT)", "DROP TABLE T", "CREATE TABLE t (b INT)"),
        ("CREATE TABLE t (a INT)", "ALTER TABLE T RENAME TO u", "CREATE TABLE t (b INT)"),
        ("CREATE DATABASE D CHARSET greek", "CREATE TABLE t (a TEXT)"),
        (
            "CREATE TABLE orders (a INT)",
            "RENAME TABLE Orders TO orders_old",
            "CREATE TABLE orders (b INT, a INT)",
        ),
    ],
)
def test_names_in_another_case_are_recovered_as_the_same(ddl: tuple[str, ...]) -> None:
    live, recovered = live_and_recovered(ddl, lower_case=True)
    assert recovered == live != []


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("lower_case", [False, True])
def test_random_statements_with_names_in_any_case(seed: int, *, lower_case: bool) -> None:
    dice = random.Random(seed)

    def name() -> str:
        return dice.choice(["a", "b", "c", "A", "B"])

    ddl = []
    for number in range(40):
        columns = ", ".join(dice.sample(["x INT", "y INT", f"z{number} INT"], 3))
        ddl.append(
            dice.choice(
                [
                    f"CREATE TABLE {name()} ({columns})",
                    f"CREATE TABLE IF NOT EXISTS {name()} ({columns})",
                    f"CREATE TABLE IF NOT EXISTS {name()} LIKE {name()}",
                    f"DROP TABLE IF EXISTS {name()}",
                    f"RENAME TABLE {name()} TO {name()}",
                    f"ALTER TABLE {name()} RENAME TO {name()}, ADD w{number} INT FIRST",
                ]
            )
        )
    for length in range(1, len(ddl), 3):
        live, recovered = live_and_recovered(ddl[:length], lower_case=lower_case)
        assert recovered == live, ddl[:length]


@pytest.mark.parametrize(
    "ddl",
    [
        GIVEN_UP,
        (*GIVEN_UP, "ALTER TABLE t_old RENAME AS t, DROP c"),
        ("CREATE TABLE t (a INT)", "ALTER TABLE t ADD d INT, RENAME u"),
        ("CREATE TABLE t (a INT)", "ALTER TABLE t CONVERT PARTITION p TO TABLE u"),
        ("CREATE TABLE t (a INT)", "CREATE TABLE u (a INT)", "ALTER TABLE t CONVERT TABLE u TO p"),
        ("CREATE TABLE d.t (a INT)", "CREATE OR REPLACE DATABASE d"),
    ],
)
@pytest.mark.parametrize(
    "rules",
    [
        {},
        {"store_only_captured_tables_ddl": True},
        {"store_only_captured_databases_ddl": True},
    ],
)
def test_a_name_that_was_given_up_is_not_recovered(
    ddl: tuple[str, ...], rules: dict[str, bool]
) -> None:
    live, recovered = live_and_recovered(ddl, **rules)
    assert recovered == live
    created = (*ddl, "CREATE TABLE IF NOT EXISTS t (b INT, a INT)")
    live, recovered = live_and_recovered(created, **rules)
    assert recovered == live


@pytest.mark.parametrize(
    "statement",
    [
        "RENAME TABLE t TO other",
        "RENAME TABLE t TO x, x TO other",
        "RENAME TABLE T TO away.t",
        "ALTER TABLE t RENAME TO other",
        "DROP DATABASE d",
        "CREATE OR REPLACE DATABASE D",
    ],
)
@pytest.mark.parametrize("only", ["tables", "databases"])
def test_the_end_of_a_captured_table_is_recorded_and_not_published(
    statement: str, only: str
) -> None:
    """Its new name may be one that is not recorded."""
    rules = SchemaRules(
        dialect="mariadb",
        captures=lambda table: table.database == "d" and table.table.lower() in ("t", "t2"),
        captures_database=lambda name: name.lower() == "d",
        **{f"store_only_captured_{only}_ddl": True},  # type: ignore[arg-type]  # a flag
    )
    tables = Tables(lower_case=True)
    schema = DatabaseSchema(rules, tables)
    created = schema.apply("CREATE TABLE t (a INT, b INT)", "d")
    ended = schema.apply(statement, "d")
    assert all(change.kind != "DROP" for change in ended if change.published)
    again = DatabaseSchema(rules, Tables(lower_case=True))
    replay(again, created + ended)
    assert TableId("d", "t") not in tables
    assert TableId("d", "t") not in again.tables
    again.apply("CREATE TABLE IF NOT EXISTS t (b INT, a INT)", "d")
    table = again.tables.get(TableId("d", "t"))
    assert table is not None
    assert [column.name for column in table.columns] == ["b", "a"]


def live_and_recovered(
    ddl: Sequence[str], *, lower_case: bool = False, **rules: bool
) -> tuple[list[Table], list[Table]]:
    """Return the tables after statements, and those that a recovery from their records finds."""
    live, recovered = (
        DatabaseSchema(SchemaRules(dialect="mariadb", **rules), Tables(lower_case=lower_case))  # type: ignore[arg-type]  # flags
        for _ in range(2)
    )
    replay(recovered, [change for statement in ddl for change in live.apply(statement, "d")])
    return list(live.tables), list(recovered.tables)


def replay(schema: DatabaseSchema, changes: Iterable[DdlChange]) -> None:
    """Recover a schema from the records of changes."""
    records = [
        HistoryRecord.of(PARTITION, {"pos": number}, change.database, change.ddl, change.changes, 0)
        for number, change in enumerate(changes)
        if change.recorded
    ]
    recover(
        records,
        PARTITION,
        schema.tables,
        schema.replay,
        lambda _: True,
        must_replay=schema.must_replay,
    )
