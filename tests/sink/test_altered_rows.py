"""A row that no event follows an ALTER TABLE for equals one that was changed behind it.

Both rows of each table have the same values, and the server computes the same new ones for both;
the second row is changed afterwards, so its message has all values. If the first one is another in
the mirror, the table must be reported as diverged, or be parked.

``ALTERED_TABLES=100`` plays so many tables in test-long. A failure names its seed: ``SEED=…``
plays it again.
"""

from __future__ import annotations

import argparse
import os
import random
import secrets
from collections.abc import Iterator
from typing import Any

import pymysql
import pytest

from tests.fixtures.databases import FreshDatabase
from tests.fixtures.random_columns import Kind, literal, types_of
from tests.fixtures.sink.recorded import MakeSink
from tests.fixtures.topics import Topics
from tests.sink.test_end_to_end import connector
from tools.stack import ConnectClient, KafkaBroker, MariaDb, MillraceWorker

ONCE = argparse.Namespace(once=True)
_TABLES = int(os.environ.get("ALTERED_TABLES", "100"))
_SEED = int(os.environ.get("SEED", secrets.randbelow(10**6)))
_COMPUTED = {
    "DATETIME": ["CURRENT_TIMESTAMP"],
    "TIMESTAMP": ["CURRENT_TIMESTAMP"],
    "VARCHAR(40)": ["(UUID())", "(CONCAT('a', 'b'))"],
    "INT": ["(1 + 1)"],
}
_STRANGE = (
    "''", "'a '", "'it''s'", r"'it\'s'", r"'a\\b'", '"it\'s"', '"it""s"', "b'101'", "x'41'",
    "0x41", "N'abc'", "_latin1'abc'", "TRUE", "0", "1", "-5", "24", "'24'", "1.5", "1.005",
    "'1.005'", "1e2", "18446744073709551615", "'c,a'", "'A'", "'2024-1-1'", "'20240101'",
    "20240101", "DATE'2024-01-01'", "'2024-01-01 10:00:00.6'", "'2024-01-01T10:00:00'", "'1:2'",
    "'b,a'",
)  # fmt: skip
"""Literals of any type; the server refuses them for some."""


class AlteredTable:
    """Random statements on a table ``name``; those that the server refuses are none."""

    def __init__(self, database: FreshDatabase, name: str, seed: int) -> None:
        self.name = name
        self.statements: list[str] = []
        self._database = database
        self._chance = random.Random(seed)
        flavor = "mariadb" if isinstance(database.server, MariaDb) else "mysql"
        # A YEAR of 0 is 1900 in messages of the log; MariaDB's implicit default of JSON is none.
        left_out = {"YEAR", "JSON"} if flavor == "mariadb" else {"YEAR"}
        self._kinds = [one for one in types_of(flavor) if one.sql not in left_out]
        self._columns: list[str] = []

    def create(self) -> None:
        """Create the table with two rows of equal values, some of which are NULL."""
        kinds = [self._kind() for _ in range(self._chance.randint(0, 3))]
        self._columns = [f"c{number}" for number, _ in enumerate(kinds)]
        given = "".join(
            f", {name} {kind.sql} NULL" for name, kind in zip(self._columns, kinds, strict=True)
        )
        self._execute(f"CREATE TABLE {self.name} (id INT PRIMARY KEY, touched INT{given})")
        chance = self._chance
        values = [literal(kind, chance) if chance.random() < 0.8 else "NULL" for kind in kinds]
        for key in (1, 2):
            self._database.execute(
                f"INSERT INTO {self.name} VALUES ({', '.join([str(key), '0', *values])})"
            )

    def alter(self) -> None:
        """Alter the table, and change its second row."""
        for _ in range(self._chance.choice([1, 1, 2, 3])):
            clauses = ", ".join(self._clauses())
            self._execute(f"ALTER TABLE {self.name} {clauses}")
        self._database.execute(f"UPDATE {self.name} SET touched = 1 WHERE id = 2")

    def columns(self) -> set[str]:
        """Return the columns that both rows have the same values in."""
        named = self._database.query(f"SHOW COLUMNS FROM {self.name}")
        return {str(row[0]) for row in named} - {"id", "touched"}

    def _execute(self, statement: str) -> None:
        try:
            self._database.execute(statement)
        except pymysql.MySQLError:
            return  # as of types that do not go with a key, or a default
        self.statements.append(statement)

    def _clauses(self) -> Iterator[str]:
        for number in range(self._chance.choice([1, 1, 2])):
            yield self._clause(number)

    def _clause(self, number: int) -> str:
        chance, kind = self._chance, self._kind()
        new = f"n{len(self.statements)}_{number}"
        if not self._columns or chance.random() < 0.6:
            verb, name = "ADD", new
        else:
            verb = chance.choice(["MODIFY", "CHANGE"])
            old = chance.choice(self._columns)
            name = old if verb == "MODIFY" else f"{old} {chance.choice([old, new])}"
        where = chance.choice(["", "", " FIRST", " AFTER id"])
        self._columns.append(name.split()[-1])
        return f"{verb} COLUMN {name} {kind.sql}{self._rest(kind)}{where}"

    def _rest(self, kind: Kind) -> str:
        """Return the attributes of a column."""
        null = self._chance.choice(["", " NULL", " NOT NULL"])
        if self._chance.random() < 0.5:
            return null
        computed = _COMPUTED.get(kind.sql, [])
        if computed and self._chance.random() < 0.5:
            return f"{null} DEFAULT {self._chance.choice(computed)}"
        if kind.takes_default and self._chance.random() < 0.4:
            return f"{null} DEFAULT {self._chance.choice(_STRANGE)}"
        if not kind.takes_default or self._chance.random() < 0.1:
            return f"{null} DEFAULT NULL" if null != " NOT NULL" else null
        return f"{null} DEFAULT {literal(kind, self._chance)}"

    def _kind(self) -> Kind:
        return self._chance.choice(self._kinds)


@pytest.mark.parametrize(
    ("server", "tables", "schemas", "seed"),
    [
        ("database", 3, "true", 5000),
        pytest.param("database", _TABLES, "true", _SEED, marks=pytest.mark.slow),
        pytest.param("database", _TABLES, "false", _SEED, marks=pytest.mark.slow),
        pytest.param("mariadb_database", _TABLES, "true", _SEED, marks=pytest.mark.slow),
    ],
)
def test_rows_without_an_event_equal_those_with_one_or_are_reported(
    request: pytest.FixtureRequest,
    broker: KafkaBroker,
    millrace: MillraceWorker,
    sink: MakeSink,
    server: str,
    tables: int,
    schemas: str,
    seed: int,
) -> None:
    from sparksink.commands.subcommands import run  # noqa: PLC0415 - needs Spark

    print(f"seed {seed}")
    database: FreshDatabase = request.getfixturevalue(server)
    played = [AlteredTable(database, f"t{n}", seed + n) for n in range(tables)]
    database.execute("SET sql_mode = ''")
    for table in played:
        table.create()
    client, name = ConnectClient(millrace.url), f"altered-{database.name}"
    config = connector(database, broker, schemas)
    client.create(name, config | {"connector.class": database.server.connector_class})
    made = sink(
        source={
            "kind": "kafka",
            "bootstrap.servers": broker.address,
            "topics": rf"srv-{database.name}\..*",
            "ddl.topic": f"srv-{database.name}",
        },
        target={"format": "iceberg"},
        evolution={"conflict": "rewrite"},
    )
    topics, prefix = Topics(broker.address), f"srv-{database.name}.{database.name}"
    try:
        client.wait_for(name, "RUNNING")
        for table in played:
            topics.wait_for(f"{prefix}.{table.name}", 2)
        run(made, ONCE)
        for table in played:
            table.alter()
        for table in played:
            topics.wait_for(f"{prefix}.{table.name}", 3)
    finally:
        client.delete(name)
        client.close()
    run(made, ONCE)
    reported = {**made.state.gaps(), **made.state.parked_tables()}
    faults, silent = list[str](), 0
    for table in played:
        if f"{database.name}.{table.name}" not in reported:
            silent += 1
            faults += difference(made, database, table)
    assert not faults, "\n".join([f"SEED={seed}", *faults])
    assert silent > tables / 4, reported


def difference(made: Any, database: FreshDatabase, table: AlteredTable) -> Iterator[str]:
    """Yield how the rows of a table differ in its mirror."""
    stored = made.lake.table(f"{database.name}__{table.name}").read().collect()
    rows = {row["id"]: row.asDict() for row in stored}
    assert rows[2]["touched"] == 1, "the message behind the statements is not applied"
    assert table.columns() <= rows[2].keys()
    first, second = (
        {name: value for name, value in rows[key].items() if name in table.columns()}
        for key in (1, 2)
    )
    if first != second:
        wrong = {name: (first[name], second[name]) for name in first if first[name] != second[name]}
        yield f"{table.statements}: {wrong}"
