"""Tables with a generated invisible primary key are altered as MySQL 9.7 does it.

With ``sql_generate_invisible_primary_key`` the server writes such a key into the CREATE TABLE
that it logs. FIRST puts no column before it.
"""

from __future__ import annotations

import pytest

from connector.capture.tables import TableId, Tables
from connector.mysql.ddl.apply_text import apply_text
from connector.mysql.ddl.catalog import Catalog
from connector.mysql.ddl.tokens import Dialect

T = TableId("d", "t")
CREATED = """CREATE TABLE `t` (
  `my_row_id` bigint unsigned NOT NULL AUTO_INCREMENT /*!80023 INVISIBLE */,
  `a` int NOT NULL,
  `b` int DEFAULT NULL,
  PRIMARY KEY (`my_row_id`)
)"""


def columns_after(alteration: str, created: str = CREATED, dialect: Dialect = "mysql") -> str:
    """Return the names of the columns of an altered table."""
    catalog = Catalog(Tables(), dialect)
    apply_text(catalog, created, "d")
    apply_text(catalog, f"ALTER TABLE t {alteration}", "d")
    table = catalog.tables.get(T)
    assert table is not None
    return " ".join(column.name for column in table.columns)


@pytest.mark.parametrize(
    ("alteration", "columns"),
    [
        ("ADD c INT FIRST", "my_row_id c a b"),
        ("MODIFY b BIGINT FIRST", "my_row_id b a"),
        ("CHANGE b x BIGINT FIRST, ADD e INT FIRST, ADD f INT FIRST", "my_row_id f e x a"),
        ("ADD c INT AFTER my_row_id", "my_row_id c a b"),
        ("ADD c INT FIRST, DROP COLUMN my_row_id, DROP PRIMARY KEY", "c a b"),
        ("ADD id SERIAL FIRST, DROP COLUMN my_row_id", "id a b"),
    ],
)
def test_first_is_behind_a_generated_key(alteration: str, columns: str) -> None:
    assert columns_after(alteration) == columns


@pytest.mark.parametrize(
    ("created", "columns"),
    [
        (CREATED.replace("my_row_id", "row_id"), "c row_id a b"),
        (CREATED.replace(" unsigned", ""), "c my_row_id a b"),
        (CREATED.replace("KEY (`my_row_id`)", "KEY (`my_row_id`, `a`)"), "c my_row_id a b"),
        (CREATED.replace("KEY (`my_row_id`)", "KEY (`a`), KEY (`my_row_id`)"), "c my_row_id a b"),
    ],
)
def test_other_keys_are_no_generated_ones(created: str, columns: str) -> None:
    assert columns_after("ADD c INT FIRST", created) == columns


def test_mariadb_generates_no_keys() -> None:
    assert columns_after("ADD c INT FIRST", dialect="mariadb") == "c my_row_id a b"
