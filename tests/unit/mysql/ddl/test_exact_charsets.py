"""compat.mode=exact: columns have the character sets that the servers give them.

The columns are those that information_schema of MySQL 9.7 and MariaDB 10.11 shows afterwards. The
test `test_tracked_charsets` compares with the servers themselves.
"""

from __future__ import annotations

import pytest

from connector.capture.tables import Column, TableId, Tables
from connector.mysql.ddl.apply_text import apply_text
from connector.mysql.ddl.catalog import Catalog
from connector.mysql.ddl.tokens import Dialect

BOTH = ("mysql", "mariadb")
TABLE = "CREATE TABLE t (v CHAR(10))"


def column(dialect: str, *statements: str, exact: bool = True) -> Column:
    """Return the column ``v`` of ``d.t`` after statements; ``d`` has the charset utf8mb4."""
    flavor: Dialect = "mariadb" if dialect == "mariadb" else "mysql"
    catalog = Catalog(Tables(), flavor, exact=exact)
    catalog.variables.set("character_set_server", "utf8mb4")
    for statement in ("CREATE DATABASE d", *statements):
        apply_text(catalog, statement, "d")
    table = catalog.tables.get(TableId("d", "t"))
    assert table is not None
    found = table.column("v")
    assert found is not None
    return found


@pytest.mark.parametrize("dialect", BOTH)
@pytest.mark.parametrize(
    "statements",
    [
        [f"{TABLE} COLLATE latin1_bin"],
        [f"{TABLE} DEFAULT COLLATE = 'latin1_bin'"],
        [f"{TABLE} CHARSET latin1 COLLATE latin1_bin"],
        [TABLE, "ALTER TABLE t CHARSET latin1, DROP v, ADD v CHAR(10)"],
        [TABLE, "ALTER TABLE t CHARSET latin1", "ALTER TABLE t ADD w INT, MODIFY v CHAR(5)"],
        [TABLE, "ALTER TABLE t COLLATE latin1_bin", "ALTER TABLE t CHANGE v v CHAR(5)"],
        [TABLE, "ALTER TABLE t CONVERT TO CHARACTER SET latin1 COLLATE latin1_bin"],
        ["ALTER DATABASE d COLLATE latin1_bin", TABLE],
        ["ALTER DATABASE CHARSET latin1", TABLE],
        ["CREATE DATABASE IF NOT EXISTS d COLLATE utf8mb4_bin", f"{TABLE} CHARSET latin1"],
        ["CREATE TABLE t (v CHAR(10) ASCII)"],
        ["CREATE TABLE t (v CHAR(10) ASCII BINARY)"],
        ["CREATE TABLE t (v CHAR(10) COLLATE latin1_bin)"],
        ["CREATE TABLE t (v CHAR(10) NOT NULL COLLATE `latin1_bin`)"],
        ["CREATE TABLE t (v CHAR(10) COLLATE latin1_bin GENERATED ALWAYS AS ('x'))"],
        ["CREATE TABLE t (v ENUM('a') COLLATE latin1_bin)"],
        ["CREATE TABLE t (v ENUM('a') CHARACTER SET 'latin1')"],
        ["CREATE TABLE t (v SET('a') ASCII)"],
        ["CREATE TABLE t (v CHAR(10) BINARY) CHARSET latin1"],
        ["CREATE TABLE t (w INT)", "ALTER TABLE t ADD (v CHAR(10) COLLATE latin1_bin)"],
        [f"{TABLE} CHARSET latin1", "ALTER TABLE t CHARSET utf8mb4", "ALTER TABLE t ADD w INT"],
    ],
    ids=lambda statements: "; ".join(statements)[-60:],
)
def test_a_character_set_that_is_set_indirectly(dialect: str, statements: list[str]) -> None:
    assert column(dialect, *statements).charset == "latin1"


@pytest.mark.parametrize("dialect", BOTH)
@pytest.mark.parametrize(
    ("statements", "charset"),
    [
        ([f"{TABLE} CHARSET latin1", "ALTER TABLE t CHARSET DEFAULT, MODIFY v CHAR(9)"], "utf8mb4"),
        ([f"{TABLE} CHARSET latin1", "ALTER TABLE t CONVERT TO CHARSET DEFAULT"], "utf8mb4"),
        (["ALTER DATABASE d CHARSET greek", "ALTER DATABASE d CHARSET DEFAULT", TABLE], "utf8mb4"),
        (["CREATE DATABASE x CHARSET greek", "USE x", "CREATE TABLE d.t (v TEXT)"], "utf8mb4"),
        (["CREATE TABLE t (v CHAR(10) UNICODE)"], "ucs2"),
        (["CREATE TABLE t (v CHAR(10) COLLATE utf8mb4_bin) CHARSET latin1"], "utf8mb4"),
        (["CREATE TABLE t (v NATIONAL VARCHAR(9) BINARY) CHARSET latin1"], "utf8"),
        (["CREATE TABLE t (v NCHAR(9)) CHARSET latin1"], "utf8"),
        (["CREATE TABLE t (v ENUM('a') CHARACTER SET binary)"], "binary"),
    ],
)
def test_other_rules(dialect: str, statements: list[str], charset: str) -> None:
    assert column(dialect, *statements).charset == charset


@pytest.mark.parametrize(
    ("collation", "charset"),
    [
        ("utf8_general_ci", "utf8"),
        ("utf8mb4_uca1400_ai_ci", "utf8mb4"),
        ("latin1_swedish_nopad_ci", "latin1"),
        ("uca1400_ai_ci", "greek"),
        ("DEFAULT", "greek"),
    ],
)
@pytest.mark.parametrize("kind", ["CHAR(10)", "ENUM('a','b')"])
def test_collations_of_mariadb(collation: str, charset: str, kind: str) -> None:
    sql = f"CREATE TABLE t (v {kind} COLLATE {collation}) CHARSET greek"
    assert column("mariadb", sql).charset == charset


@pytest.mark.parametrize("dialect", BOTH)
@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        (["CREATE TABLE t (v CHAR(10) CHARACTER SET binary)"], "BINARY 10"),
        (["CREATE TABLE t (v CHAR CHARACTER SET binary)"], "BINARY 1"),
        (["CREATE TABLE t (v CHARACTER(10) BYTE)"], "BINARY 10"),
        (["CREATE TABLE t (v VARCHAR(10) COLLATE binary)"], "VARBINARY 10"),
        (["CREATE TABLE t (v MEDIUMTEXT) CHARSET binary"], "MEDIUMBLOB None"),
        (["ALTER DATABASE d CHARSET binary", "CREATE TABLE t (v TINYTEXT)"], "TINYBLOB None"),
        (["CREATE TABLE t (v TEXT)", "ALTER TABLE t CONVERT TO CHARSET binary"], "BLOB None"),
        ([TABLE, "ALTER TABLE t CONVERT TO CHARACTER SET binary"], "BINARY 40"),
        (
            ["CREATE TABLE t (v NCHAR(9))", "ALTER TABLE t CONVERT TO CHARACTER SET binary"],
            "BINARY 27",
        ),
        (
            ["CREATE TABLE t (v CHAR(10) BYTE)", "ALTER TABLE t CONVERT TO CHARACTER SET greek"],
            "BINARY 10",
        ),
        (["CREATE TABLE t (v LONG BYTE)"], "LONG VARBINARY None"),
    ],
)
def test_the_character_set_binary_makes_binary_types(
    dialect: str, statements: list[str], expected: str
) -> None:
    found = column(dialect, *statements)
    assert f"{found.type_name} {found.length}" == expected
    assert found.charset is None


@pytest.mark.parametrize("dialect", BOTH)
@pytest.mark.parametrize("kind", ["ENUM", "SET"])
def test_the_values_of_a_binary_enum_are_kept(dialect: str, kind: str) -> None:
    found = column(dialect, f"CREATE TABLE t (v {kind}('a','b') BINARY) CHARSET latin1")
    assert (found.type_name, found.enum_values, found.charset) == (kind, ("'a'", "'b'"), "latin1")


@pytest.mark.parametrize(("dialect", "charset"), [("mysql", "latin2"), ("mariadb", "greek")])
def test_the_default_that_a_table_is_converted_to(dialect: Dialect, charset: str) -> None:
    """MySQL takes the current database, MariaDB that of the table."""
    catalog = Catalog(Tables(), dialect, exact=True)
    for statement in (
        "CREATE DATABASE d CHARSET greek",
        "CREATE DATABASE e CHARSET latin2",
        "CREATE TABLE d.t (v CHAR(10)) CHARSET latin1",
        "ALTER TABLE d.t CONVERT TO CHARACTER SET DEFAULT",
    ):
        apply_text(catalog, statement, "e")
    [table] = catalog.tables
    assert table.columns[0].charset == charset


@pytest.mark.parametrize("create", [[], ["CREATE DATABASE IF NOT EXISTS e CHARSET utf8mb4"]])
def test_a_database_that_no_statement_made_has_the_charset_of_the_server(create: list[str]) -> None:
    """A snapshot has no statement of a database without tables."""
    catalog = Catalog(Tables(), "mysql", exact=True)
    catalog.assume_charsets("utf8mb4", {"d": "utf8mb4", "e": "latin1"})
    for statement in [*create, "CREATE TABLE t (v CHAR(10))"]:
        apply_text(catalog, statement, "e")
    [table] = catalog.tables
    assert table.columns[0].charset == "latin1"


def test_the_default_is_what_debezium_makes_of_it() -> None:
    assert column("mysql", f"{TABLE} COLLATE latin1_bin", exact=False).charset == "utf8mb4"
