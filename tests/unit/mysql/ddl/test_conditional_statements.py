"""Statements of MariaDB that take effect only if something exists, or does not.

The keys and columns are those that MariaDB 10.11 has afterwards.
"""

from __future__ import annotations

import pytest

from connector.capture.tables import Table, TableId, Tables
from connector.errors import DdlError
from connector.mysql.ddl.apply_text import apply_text
from connector.mysql.ddl.catalog import Catalog

T = TableId("d", "t")


def table_after(*statements: str) -> Table | None:
    """Return the table ``d.t`` that MariaDB statements leave."""
    catalog = Catalog(Tables(), "mariadb")
    for text in statements:
        apply_text(catalog, text, "d")
    return catalog.tables.get(T)


@pytest.mark.parametrize(
    ("clauses", "key"),
    [
        ("ADD PRIMARY KEY IF NOT EXISTS (c)", ["a"]),
        ("ADD PRIMARY KEY IF NOT EXISTS USING BTREE (c), ADD d INT", ["a"]),
        ("ADD CONSTRAINT x PRIMARY KEY IF NOT EXISTS (c)", ["a"]),
        ("ADD CONSTRAINT PRIMARY KEY IF NOT EXISTS k (c), DROP PRIMARY KEY", []),
        ("DROP PRIMARY KEY, ADD PRIMARY KEY IF NOT EXISTS (c)", []),
        ("DROP PRIMARY KEY, ADD PRIMARY KEY (c)", ["c"]),
    ],
)
def test_a_key_that_exists_is_not_replaced(clauses: str, key: list[str]) -> None:
    created = "CREATE TABLE t (a INT PRIMARY KEY, c INT)"
    table = table_after(created, f"ALTER TABLE t {clauses}")
    assert table is not None
    assert list(table.primary_key) == key


def test_a_key_that_does_not_exist_is_added() -> None:
    altered = "ALTER TABLE t ADD PRIMARY KEY IF NOT EXISTS (c)"
    table = table_after("CREATE TABLE t (a INT, c INT)", altered)
    assert table is not None
    assert table.primary_key == ("c",)
    assert not table.columns[1].optional


@pytest.mark.parametrize("replacement", ["LIKE unknown", "ENGINE=CONNECT", "AS SELECT 1 AS b"])
def test_a_table_that_is_replaced_by_an_unknown_one_is_not_taken_for_it(replacement: str) -> None:
    """Rows of the new table could have the types of the old one, and other names."""
    catalog = Catalog(Tables(), "mariadb")
    apply_text(catalog, "CREATE TABLE t (a INT)", "d")
    with pytest.raises(DdlError, match=r"d\.t is replaced by one whose columns are unknown"):
        apply_text(catalog, f"CREATE OR REPLACE TABLE t {replacement}", "d")
    assert apply_text(catalog, f"CREATE OR REPLACE TABLE n {replacement}", "d") == []


def test_a_table_that_is_not_captured_is_forgotten_when_an_unknown_one_replaces_it() -> None:
    catalog = Catalog(Tables(), "mariadb", captures=lambda _: False)
    apply_text(catalog, "CREATE TABLE t (a INT)", "d")
    assert apply_text(catalog, "CREATE OR REPLACE TABLE t LIKE unknown", "d") == []
    assert T not in catalog.tables
