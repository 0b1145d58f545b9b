"""Tables as they are tracked through random statements are those of the server."""

from __future__ import annotations

import os
import secrets
from contextlib import closing

import pymysql
import pytest

from connector.capture.tables import TableId, Tables
from connector.mysql.ddl.apply_text import apply_text
from connector.mysql.ddl.catalog import Catalog
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.generated_workload import Workload
from tests.fixtures.random_alterations import CREATE, GENERATED, Alterations
from tools.stack import DatabaseServer

DATABASE = "tracked"
COLUMNS = """SELECT TABLE_NAME, COLUMN_NAME, UPPER(DATA_TYPE) FROM information_schema.COLUMNS
    WHERE TABLE_SCHEMA = %s ORDER BY TABLE_NAME, ORDINAL_POSITION"""
KEY = """SELECT LOWER(COLUMN_NAME) FROM information_schema.STATISTICS
    WHERE TABLE_SCHEMA = %s AND INDEX_NAME = 'PRIMARY' ORDER BY SEQ_IN_INDEX"""
ALTERATIONS = int(os.environ.get("ALTERATIONS", "150"))
SAME = {"INTEGER": "INT", "BOOLEAN": "TINYINT", "NUMERIC": "DECIMAL", "GEOMETRYCOLLECTION": "GEOM"}

Shapes = dict[str, list[tuple[str, str]]]


@pytest.mark.parametrize("seed", [2783, secrets.randbelow(10**6)])
def test_tables_are_followed_through_random_statements(
    each_database: FreshDatabase, seed: int
) -> None:
    workloads = range(seed * 10_000 + 7_604, seed * 10_000 + 7_608)
    compared = sum(_compare(each_database.server, workload) for workload in workloads)
    assert compared > 30


@pytest.mark.parametrize("seed", [61, secrets.randbelow(10**6)])
def test_clauses_of_one_alter_take_effect_as_on_the_server(
    each_database: FreshDatabase, seed: int
) -> None:
    """Whatever their order: the server drops and renames first, then places, and adds keys last."""
    assert _compare_alterations(each_database, CREATE, seed) > ALTERATIONS / 10


@pytest.mark.parametrize("seed", [77, secrets.randbelow(10**6)])
def test_a_generated_key_stays_in_front(database: FreshDatabase, seed: int) -> None:
    """MySQL leaves an invisible key that it generated where it is, whatever FIRST says."""
    assert _compare_alterations(database, GENERATED, seed) > ALTERATIONS / 20


def _compare_alterations(database: FreshDatabase, create: str, seed: int) -> int:
    """Alter a table; return after how many of the statements the definitions were compared."""
    flavor = database.server.name
    is_mariadb = flavor == "mariadb"
    alterations = Alterations(seed, is_mariadb=is_mariadb)
    taken = 0
    database.execute(create)
    for _ in range(ALTERATIONS):
        sql = alterations.statement()
        try:
            database.execute(sql)
        except pymysql.MySQLError:
            continue
        catalog = Catalog(Tables(), "mariadb" if is_mariadb else "mysql")
        for statement in (create, sql):
            apply_text(catalog, statement, database.name)
        [table] = catalog.tables
        columns = [(column.name, _plain(column.type_name, flavor)) for column in table.columns]
        actual = database.query(COLUMNS, database.name)
        assert columns == [(name, kind) for _, name, kind in actual], f"{sql} of seed {seed}"
        key = [name for (name,) in database.query(KEY, database.name)]
        assert [name.lower() for name in table.primary_key] == key, f"{sql} of seed {seed}"
        database.execute("DROP TABLE t", create)
        taken += 1
    return taken


def _compare(server: DatabaseServer, seed: int) -> int:
    """Play one workload; return after how many of its statements all tables were compared."""
    scenario = Workload(seed, DATABASE, server.name).scenario(server)
    catalog = Catalog(Tables(), "mariadb" if server.name == "mariadb" else "mysql")
    compared = 0
    with closing(server.connect(autocommit=True)) as session, session.cursor() as cursor:
        for sql in (sql for phase in scenario.phases.values() for sql in phase):
            cursor.execute(sql)
            if sql.split()[0] not in ("CREATE", "ALTER", "RENAME", "DROP"):
                continue
            apply_text(catalog, sql, "" if sql.startswith("CREATE DATABASE") else DATABASE)
            cursor.execute(COLUMNS, (DATABASE,))
            actual: Shapes = {}
            for table, column, kind in cursor.fetchall():
                actual.setdefault(table, []).append((column, _plain(kind, server.name)))
            tracked = {table: _tracked(catalog, table, server.name) for table in actual}
            assert tracked == actual, f"after {sql}, of workload {seed}"
            compared += 1
        cursor.execute(f"DROP DATABASE {DATABASE}")
    return compared


def _tracked(catalog: Catalog, name: str, flavor: str) -> list[tuple[str, str]]:
    table = catalog.tables.get(TableId(DATABASE, name))
    assert table is not None, f"{name} is not known"
    return [(column.name, _plain(column.type_name.upper(), flavor)) for column in table.columns]


def _plain(kind: str, flavor: str) -> str:
    word = kind.split(maxsplit=1)[0]
    if word == "JSON" and flavor == "mariadb":
        return "LONGTEXT"
    if word == "GEOMCOLLECTION":
        return "GEOM"
    return SAME.get(word, word)
