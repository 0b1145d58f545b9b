"""Which column of today a column of a message is, by the message's position."""

from __future__ import annotations

import contextlib
import json
import random
from typing import Any

import pytest

pytest.importorskip("pyspark")

from sparksink.change_position import ChangePosition
from sparksink.config.columns import Types
from sparksink.config.file import parse
from sparksink.config.source import Modes
from sparksink.evolve.migration_steps import fill_value_sql
from sparksink.evolve.renames import rename_steps
from sparksink.schemas.definitions import Definitions, Message
from sparksink.schemas.mysql_types import column_of
from sparksink.schemas.row_schema import Column, RowSchema, with_source_types
from sparksink.schemas.spark_types import ColumnConversion, column_conversion
from sparksink.schemas.versions import SchemaVersions
from sparksink.tables import Rename
from tests.fixtures.sink.crashing import Crash
from tests.fixtures.sink.redefined import ChangingTable
from tests.unit.sparksink.least_config import LEAST


def definitions(*statements: dict[str, Any]) -> Definitions:
    messages: list[Message] = [
        (n, json.dumps(one).encode(), None) for n, one in enumerate(statements)
    ]
    known = Definitions(parse(LEAST), lambda offset: messages[offset:])
    known.refresh()
    return known


def versions(*statements: dict[str, Any]) -> SchemaVersions:
    (found,) = definitions(*statements).all_versions().values()
    return found


def versions_of(table: str, *statements: dict[str, Any]) -> SchemaVersions:
    return definitions(*statements).all_versions()[table]


def statement(
    ddl: str, *names: str, pos: int | None = 1, kind: str = "ALTER", snapshot: str = "false"
) -> dict[str, Any]:
    columns = [{"name": name, "typeName": "INT"} for name in names]
    table = {"columns": columns} if names else None
    change = {"type": kind, "id": '"d"."t"', "table": table}
    source = {"file": "b.1", "pos": pos, "snapshot": snapshot} if pos is not None else None
    return {"ddl": ddl, "source": source, "tableChanges": [change]}


def place(pos: int) -> ChangePosition:
    return ChangePosition(1, pos << 22)


@pytest.mark.parametrize("seeds", range(10))
def test_random_definitions_are_followed_from_every_position(seeds: int) -> None:
    """Each row is read from its last change alone; it is what the source has."""
    for seed in range(seeds * 100, seeds * 100 + 100):
        table = ChangingTable("t", seed)
        table.live(random.Random(seed).randint(10, 120))
        repeated = [one for _, one in table.statements]
        chance = random.Random(seed)
        for number in sorted(chance.sample(range(len(repeated)), min(2, len(repeated)))):
            repeated.insert(number + chance.randint(1, 3), repeated[number])  # a restart
        in_order = {json.dumps(one): None for one in repeated}
        assert versions(*map(json.loads, in_order)).starts == versions(*repeated).starts
        assert read(table, versions(*repeated)) == table.expected(), f"seed {seed}"


def read(table: ChangingTable, known: SchemaVersions) -> list[tuple[Any, ...]]:
    found: dict[int, dict[str, Any]] = {}
    defaults = {one.name: one.default for one in table.columns}
    for one in table.events:
        if one.key is None:
            found.clear()
            continue
        at = ChangePosition(one.at[0], one.at[1] << 22)
        number = max(n for n, start in enumerate(known.starts) if start <= at)
        traced = {known.trace(number, name): value for name, value in one.named.items()}
        there = {name: value for (name, alive), value in traced.items() if alive}
        found[one.key] = {**defaults, **there}
        if one.gone:
            del found[one.key]
    found = {key: row for key, row in found.items() if not table.recreates or key in table.rows}
    order = sorted(defaults)
    return sorted(((key, *(row[name] for name in order)) for key, row in found.items()), key=repr)


def test_columns_that_take_each_others_names_are_traced() -> None:
    known = versions(
        statement("CREATE TABLE t", "a", "b", kind="CREATE"),
        statement("ALTER TABLE t RENAME COLUMN a TO b, RENAME COLUMN b TO a", "b", "a", pos=10),
    )
    assert [known.trace(0, name) for name in "ab"] == [("b", True), ("a", True)]
    assert [known.trace(1, name) for name in "ab"] == [("a", True), ("b", True)]
    facts: dict[str, str] = {"keys": '["a"]', "followed": "[-1, -1]"}
    columns, steps = {"a", "b"}, []
    for noted, actions in rename_steps(columns, facts, known):
        facts |= noted
        steps += [(one.name, one.to) for one in actions if isinstance(one, Rename)]
    assert steps == [
        ("a", "b__moving"), ("b", "a__moving"), ("a__moving", "a"), ("b__moving", "b"),
    ]  # fmt: skip
    assert facts["keys"] == '["b"]'
    assert [*rename_steps(columns, facts, known)] == [({}, [])]


def test_a_column_of_an_earlier_name_is_another_one() -> None:
    known = versions(
        statement("CREATE TABLE t", "a", "b", kind="CREATE"),
        statement("ALTER TABLE t DROP COLUMN a, CHANGE b c INT", "c", pos=10),
        statement("ALTER TABLE t ADD a INT", "c", "a", pos=20),
        statement("ALTER TABLE t COMMENT 'x'", "c", "a", pos=30),
    )
    assert known.starts == (ChangePosition(-1, -1), place(10), place(20))
    assert known.reused == {"a": place(20)}
    assert known.trace(0, "a") == ("a", False)
    assert known.renames_since(place(1)) == {"b": "c"}
    assert known.renames_since(None) == {"b": "c"}
    assert known.dropped == set()


@pytest.mark.parametrize(
    "ddl",
    [
        "ALTER TABLE t DROP COLUMN b, ADD COLUMN (c INT, b INT DEFAULT 7)",
        "ALTER TABLE t DROP COLUMN B, ADD COLUMN b INT DEFAULT 7, ADD c INT",
        'ALTER TABLE t DROP "b", ADD "b" INT DEFAULT 7, ADD "c" INT',
    ],
)
def test_a_column_that_one_statement_drops_and_adds_is_another_one(ddl: str) -> None:
    known = versions(
        statement("CREATE TABLE t", "a", "b", kind="CREATE"),
        statement(ddl, "a", "b", "c", pos=10),
    )
    assert known.trace(0, "b") == ("b", False)
    assert known.reused == {"b": place(10)}


def test_a_column_is_renamed_if_it_exists() -> None:
    known = versions(
        statement("CREATE TABLE t", "a", kind="CREATE"),
        statement("ALTER TABLE t RENAME COLUMN IF EXISTS A TO b", "b", pos=10),
    )
    assert known.trace(0, "a") == ("b", True)
    assert known.added == {}
    assert known.names_of(None, "b") == {"a", "b"}


def test_a_snapshot_describes_the_table_that_is_there() -> None:
    known = versions(
        statement("CREATE TABLE t", "a", "b", kind="CREATE"),
        statement("DROP TABLE IF EXISTS t", pos=50, kind="DROP", snapshot="true"),
        statement("CREATE TABLE t", "a", "b", "c", pos=50, kind="CREATE", snapshot="true"),
    )
    assert known.trace(0, "a") == ("a", True)
    assert known.reused == {}
    made = versions(
        statement("CREATE TABLE t", "a", kind="CREATE"),
        statement("DROP TABLE t", pos=50, kind="DROP"),
        statement("CREATE TABLE t", "a", pos=60, kind="CREATE"),
    )
    assert made.trace(0, "a") == ("a", False)
    assert made.reused == {"a": place(60)}
    assert (known.created, made.created) == (None, place(60))


def test_a_statement_without_a_position_holds_for_all_messages() -> None:
    known = versions(statement("ALTER TABLE t CHANGE a b INT", "id", "b", pos=None))
    assert known.trace(None, "a") == ("b", True)
    assert known.trace(None, "x") == ("x", True)
    assert len(set(known.starts)) == 1


def test_the_definition_has_unsigned_types_that_messages_lack() -> None:
    defined = RowSchema(
        (column_of("n", "bigint unsigned", Modes()), column_of("m", "bigint", Modes()))
    )
    found = with_source_types(RowSchema((Column("n", "int64"), Column("m", "int64"))), defined)
    kinds = [column_conversion(column, Types()).target for column in found.columns]
    assert kinds == ["decimal(20,0)", "bigint"]


CREATED = statement("CREATE TABLE t (…)", "id", "a", pos=1, kind="CREATE")
AGAIN = statement("CREATE TABLE t (…)", "id", "a", pos=9, kind="CREATE")


def test_a_table_that_is_created_under_a_former_name_is_a_new_one() -> None:
    renamed = statement("RENAME TABLE t TO u", "id", "a", pos=5)
    renamed["tableChanges"][0]["id"] = '"d"."u"'
    known = Definitions(parse(LEAST), lambda _: [
        (n, json.dumps(one).encode(), None) for n, one in enumerate((CREATED, renamed, AGAIN))
    ])  # fmt: skip
    known.refresh()
    found = known.all_versions()
    assert {name: one.created for name, one in found.items()} == {"d.t": place(9), "d.u": None}
    found = definitions(renamed, AGAIN).all_versions()
    assert {name: one.created for name, one in found.items()} == {"d.t": place(9), "d.u": None}


def test_a_copy_that_takes_the_name_of_its_table_defines_it() -> None:
    swap = statement("RENAME TABLE t TO _t_del, _t_gho TO t", "id", "a", pos=5)
    swap["tableChanges"].append(statement("", "id", "a", "b")["tableChanges"][0])
    swap["tableChanges"][0]["id"] = '"d"."_t_del"'
    for given in ((CREATED, swap), (CREATED, swap, swap)):
        found = versions_of("d.t", *given)
        assert found.newest.shape.names == ("id", "a", "b")
        assert (found.starts[1:], found.removed, found.created) == ((place(5),), False, None)


DROPPED = statement("DROP TABLE t", pos=5, kind="DROP")
NO_TABLE = statement("DROP TABLE IF EXISTS t", pos=5, kind="DROP", snapshot="true")
REPLACED = statement("CREATE OR REPLACE TABLE t (…)", "id", pos=9, kind="CREATE")


@pytest.mark.parametrize(
    ("statements", "created"),
    [
        ((DROPPED, AGAIN), place(9)),
        ((DROPPED, AGAIN, DROPPED, AGAIN), place(9)),
        ((REPLACED,), place(9)),
        ((AGAIN,), None),
        ((NO_TABLE, AGAIN), None),
    ],
)
def test_a_table_that_is_dropped_by_its_first_statement_had_other_rows(
    statements: tuple[dict[str, Any], ...], created: ChangePosition | None
) -> None:
    assert versions(*statements).created == created


@pytest.mark.parametrize(
    ("ddl", "created"),
    [
        ("create /* by hand */ or replace table t (…)", place(9)),
        ("CREATE TABLE t (…)", None),  # the connector has repaired its definition
    ],
)
def test_a_created_table_is_a_new_one_only_if_the_former_one_is_gone(
    ddl: str, created: ChangePosition | None
) -> None:
    again = statement(ddl, "id", "a", pos=9, kind="CREATE")
    assert versions(CREATED, again).created == created
    assert versions(CREATED, again, again).created == created


FOLLOWED = {"keys": '["id"]', "followed": json.dumps(place(1))}


def test_a_column_that_gets_the_name_of_a_dropped_one_replaces_it() -> None:
    known = versions(
        statement("CREATE TABLE t", "id", "a", "b", kind="CREATE"),
        statement("ALTER TABLE t DROP COLUMN a", "id", "b", pos=10),
        statement("ALTER TABLE t RENAME COLUMN b TO a", "id", "a", pos=20),
    )
    assert known.trace(0, "a") == ("a__former", False)
    assert known.trace(0, "b") == ("a", True)
    assert known.names_differ
    assert known.reused == {}
    assert known.dropped == {"a__former"}


def test_a_column_of_another_type_does_not_take_the_column_of_a_dropped_one() -> None:
    again = statement("ALTER TABLE t ADD a VARCHAR(9)", "id", "a", pos=20)
    again["tableChanges"][0]["table"]["columns"][1]["typeName"] = "VARCHAR"
    known = versions(
        statement("CREATE TABLE t", "id", "a", kind="CREATE"),
        statement("ALTER TABLE t DROP COLUMN a", "id", pos=10),
        again,
    )
    assert known.trace(0, "a") == ("a__former", False)
    assert known.reused == {}
    assert list(known.added) == ["a"]


def test_an_added_column_keeps_the_default_that_rows_got_then() -> None:
    def with_default(ddl: str, default: int, pos: int) -> dict[str, Any]:
        one = statement(ddl, "id", "a", pos=pos)
        one["tableChanges"][0]["table"]["columns"][1]["defaultValueExpression"] = default
        return one

    known = versions(
        statement("CREATE TABLE t", "id", kind="CREATE"),
        with_default("ALTER TABLE t ADD a INT DEFAULT 7", 7, 10),
        with_default("ALTER TABLE t ALTER a SET DEFAULT 8", 8, 20),
        statement("ALTER TABLE t CHANGE a b BIGINT", "id", "b", pos=30),
    )
    assert {name: one.default for name, one in known.added.items()} == {"b": 7}


@pytest.mark.parametrize("crash", range(8))
def test_renames_that_were_interrupted_take_no_column_for_another(crash: int) -> None:
    """Of ``a, b, c`` the first is dropped, and the others move up."""
    known = versions(
        statement("CREATE TABLE t", "id", "a", "b", "c", kind="CREATE"),
        statement("ALTER TABLE t DROP COLUMN a", "id", "b", "c", pos=10),
        statement("ALTER TABLE t RENAME COLUMN b TO a", "id", "a", "c", pos=20),
        statement("ALTER TABLE t RENAME COLUMN c TO b", "id", "a", "b", pos=30),
    )
    facts = {**FOLLOWED}
    columns = {"id": "id", "a": "a", "b": "b", "c": "c"}

    def rename(left: int) -> None:
        for noted, actions in rename_steps(columns, facts, known):
            facts.update(noted)
            for one in actions:
                if (left := left - 1) < 0:
                    raise Crash
                assert isinstance(one, Rename)
                assert one.to not in columns
                columns[one.to] = columns.pop(one.name)

    with contextlib.suppress(Crash):
        rename(crash)
    rename(99)
    assert columns == {"id": "id", "a__former": "a", "a": "b", "b": "c"}


def test_an_enum_without_a_default_gets_its_first_label() -> None:
    given = statement("ALTER TABLE t ADD e ENUM('d''e','f') NOT NULL", "id")
    enum = {"name": "e", "typeName": "ENUM", "optional": False, "enumValues": ["'d''e'", "'f'"]}
    given["tableChanges"][0]["table"]["columns"].append(enum)
    column = versions(CREATED, given).newest.shape.column("e")
    assert column is not None
    read = ColumnConversion("string", "string")
    assert fill_value_sql(column, read) == r"CAST('d\'e' AS string)"
