"""Queries and locks of the example package of the page on extensions, on real servers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pymysql
import pytest

from connector.capture.change import Change, RowChanges
from connector.capture.snapshot_plan import Plan
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.example_package import install_example
from tests.fixtures.sources import source
from tests.fixtures.statement_proxy import StatementProxy
from tools.stack import OWNER

PAGE = Path(__file__).parents[2] / "docs" / "extensions.md"
PLAN = Plan("initial", schema=True, data=True)
QUERY = {
    "snapshot__query__mode": "custom",
    "snapshot__query__mode__custom__name": "recent",
    "recent__condition": "id > 1",
}
LOCK = {"snapshot__locking__mode": "custom", "snapshot__locking__mode__custom__name": "readers"}


@pytest.fixture
def filled(
    each_database: FreshDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> FreshDatabase:
    """Return a database with three tables, beside the installed package."""
    monkeypatch.delitem(sys.modules, install_example(PAGE, tmp_path), raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    each_database.execute(
        "CREATE TABLE a (id INT PRIMARY KEY, v VARCHAR(9))",
        "INSERT INTO a VALUES (1, 'x'), (2, 'y'), (3, 'z')",
        "CREATE TABLE b (id INT PRIMARY KEY, d DATETIME(6), j JSON, n DECIMAL(9, 2))",
        "INSERT INTO b VALUES (2, '2020-01-02 03:04:05.678901', '[1]', 1.50)",
        "CREATE TABLE c_test (id INT PRIMARY KEY)",
        "INSERT INTO c_test VALUES (5)",
    )
    return each_database


def rows(changes: list[Change]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for change in changes:
        if isinstance(change, RowChanges):
            table = found.setdefault(change.codec.table.id.table, [])
            table += [after for _, after in change.rows]
    return found


def snapshot(database: FreshDatabase, **more: str) -> dict[str, list[Any]]:
    made = source(database, **more)
    made.open()
    try:
        return rows(list(made.snapshot(PLAN, None)))
    finally:
        made.close()


def test_a_custom_query_reads_the_rows_that_it_selects(filled: FreshDatabase) -> None:
    whole, part = snapshot(filled), snapshot(filled, **QUERY)
    assert whole["c_test"]
    assert part["a"] == [row for row in whole["a"] if row[0] > 1]
    assert part["b"] == whole["b"]
    assert "c_test" not in part


def test_a_table_that_is_read_in_part_is_not_reported_as_empty(filled: FreshDatabase) -> None:
    made = source(filled, **QUERY, millrace__position__headers="true")
    made.open()
    changes = list(made.snapshot(PLAN, None))
    made.close()
    assert not [change for change in changes if type(change).__name__ == "Truncated"]


def test_an_override_replaces_the_custom_query(filled: FreshDatabase) -> None:
    name = f"{filled.name}.a"
    more = {
        "snapshot__select__statement__overrides": name,
        f"snapshot.select.statement.overrides.{name}": f"SELECT id FROM {name} WHERE id = 1",
    }
    found = snapshot(filled, **QUERY, **more)
    assert [row[0] for row in found["a"]] == [1]


@pytest.mark.parametrize("threads", ["1", "3"])
def test_a_custom_lock_is_held_until_the_rows_are_read(filled: FreshDatabase, threads: str) -> None:
    tries: list[bool] = []
    with StatementProxy(filled.server.host, filled.server.port) as proxy:
        proxy.before(r"SELECT `id` FROM .*`c_test`.*", lambda: tries.append(can_write(filled, "a")))
        more = {
            "database__hostname": proxy.host,
            "database__port": str(proxy.port),
            "database__user": OWNER.user,
            "database__password": OWNER.password,
            "snapshot__max__threads": threads,
        }
        found = snapshot(filled, **LOCK, **more)
    assert {name: len(table) for name, table in found.items()} == {"a": 3, "b": 1, "c_test": 1}
    assert tries == [False]
    assert can_write(filled, "a")


def can_write(database: FreshDatabase, table: str) -> bool:
    """Whether another session may write to a table within a second."""
    try:
        database.execute("SET SESSION lock_wait_timeout = 1", f"UPDATE {table} SET id = id")
    except pymysql.MySQLError:
        return False
    return True
