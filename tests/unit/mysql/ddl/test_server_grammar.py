"""Statements that MySQL 9.7 and MariaDB 10.11 accept, some of which Debezium cannot read.

The columns are those that the servers' information_schema shows afterwards.
"""

from __future__ import annotations

import pytest

from connector.capture.tables import Table, TableId, Tables
from connector.errors import DdlError
from connector.mysql.ddl.apply_text import apply_text
from connector.mysql.ddl.catalog import Catalog
from connector.mysql.ddl.tokens import Dialect

T = TableId("d", "t")
VERSIONED = """CREATE OR REPLACE TABLE t (x INT WITHOUT SYSTEM VERSIONING,
    s TIMESTAMP(6) GENERATED ALWAYS AS ROW START, e TIMESTAMP(6) AS ROW END,
    PERIOD FOR SYSTEM_TIME (s, e)) WITH SYSTEM VERSIONING
    PARTITION BY SYSTEM_TIME (PARTITION h HISTORY, PARTITION c CURRENT)"""


def columns(statements: list[str], dialect: Dialect = "mysql") -> list[str] | None:
    """Return the names of the columns of ``d.t`` after statements that follow CREATE TABLE."""
    catalog = Catalog(Tables(), dialect)
    for text in ["CREATE TABLE t (a INT PRIMARY KEY, b INT, c TEXT)", *statements]:
        apply_text(catalog, text, "d")
    table = catalog.tables.get(T)
    return None if table is None else [column.name for column in table.columns]


@pytest.mark.parametrize(
    ("clauses", "expected"),
    [
        ("RENAME COLUMN b TO c, RENAME COLUMN c TO b", "a c b"),
        ("CHANGE b x INT, CHANGE c b VARCHAR(6), ADD COLUMN c INT", "a x b c"),
        ("DROP COLUMN b, ADD COLUMN b TEXT FIRST", "b a c"),
        ("ADD y INT, ADD z INT AFTER y, ADD w INT FIRST", "w a b c y z"),
        ("RENAME COLUMN b TO bb, ADD COLUMN b INT AFTER bb", "a bb b c"),
        ("ALGORITHM=COPY, LOCK=DEFAULT, ADD z INT", "a b c z"),
        ("ADD z INT, ALGORITHM INSTANT", "a b c z"),
        ("WITHOUT VALIDATION, ADD z INT", "a b c z"),
        ("ADD z INT PARTITION BY KEY (a) PARTITIONS 3", "a b c z"),
        ("DROP COLUMN c REMOVE PARTITIONING", "a b"),
        ("ADD UNIQUE ((b + 1)), ADD INDEX ((CAST(c->'$.x' AS UNSIGNED ARRAY)))", "a b c"),
        ("ADD CONSTRAINT CHECK (b > -6), ADD CHECK (b > 1) NOT ENFORCED", "a b c"),
        ("ALTER CHECK x NOT ENFORCED, DROP CONSTRAINT y, ALTER INDEX i INVISIBLE", "a b c"),
        ("ADD z VARCHAR(20) DEFAULT (CONCAT('a', ',)')), ADD y INT REFERENCES p (k)", "a b c z y"),
        ("ADD z INT COLUMN_FORMAT DYNAMIC STORAGE DISK ENGINE_ATTRIBUTE '{}'", "a b c z"),
        ("/*!50000 ADD COLUMN z INT */ /*!80000 , ADD y INT */ /* , ADD x INT */", "a b c z y"),
        ("ADD x INT AFTER bb, RENAME COLUMN b TO bb", "a bb x c"),
        ("ADD x INT AFTER BB, CHANGE b bb INT", "a bb x c"),
        ("MODIFY c TEXT AFTER bb, CHANGE b bb INT", "a bb c"),
        ("ADD b TEXT FIRST, DROP COLUMN b", "b a c"),
        ("ADD b BIGINT, CHANGE B bb INT AFTER c", "a c bb b"),
        ("ADD x INT AFTER b, MODIFY b INT FIRST", "b a x c"),
        ("MODIFY b INT FIRST, ADD x INT AFTER b", "b x a c"),
        ("MODIFY c TEXT FIRST, MODIFY b INT FIRST", "b c a"),
        ("ORDER BY a ASC, b DESC", "a b c"),
        ("SECONDARY_ENGINE = NULL", "a b c"),
        ("", "a b c"),
    ],
)
@pytest.mark.parametrize("dialect", ["mysql", "mariadb"])
def test_alterations(dialect: Dialect, clauses: str, expected: str) -> None:
    assert columns([f"ALTER TABLE t {clauses}"], dialect) == expected.split()


@pytest.mark.parametrize(
    ("clauses", "expected"),
    [
        ("DROP PRIMARY KEY, ADD PRIMARY KEY (b)", ["b"]),
        ("ADD PRIMARY KEY (b), DROP PRIMARY KEY", ["b"]),
        ("ADD PRIMARY KEY (x, Y), ADD y INT, CHANGE a x INT, DROP PRIMARY KEY", ["x", "y"]),
        ("ADD x INT PRIMARY KEY, DROP PRIMARY KEY", ["x"]),
        ("ADD x INT PRIMARY KEY, DROP COLUMN a", ["x"]),
        ("DROP PRIMARY KEY, ADD x INT NOT NULL, ADD UNIQUE (x)", ["x"]),
        ("ADD x INT NOT NULL, ADD UNIQUE (x), DROP PRIMARY KEY", []),
        ("MODIFY b INT PRIMARY KEY, DROP PRIMARY KEY", ["b"]),
        ("CHANGE b x INT PRIMARY KEY FIRST, DROP PRIMARY KEY", ["x"]),
        ("ADD a BIGINT PRIMARY KEY, CHANGE a x INT, DROP PRIMARY KEY", ["a"]),
        ("RENAME COLUMN a TO b, RENAME COLUMN b TO a", ["b"]),
        ("DROP COLUMN a, ADD COLUMN a INT NOT NULL", ["a"]),
        ("DROP COLUMN a, RENAME COLUMN b TO a", []),
        ("RENAME COLUMN a TO x, ADD a INT NOT NULL", ["x"]),
        ("RENAME COLUMN a TO x, ADD a INT NOT NULL FIRST", ["a"]),
        ("DROP COLUMN a", []),
    ],
)
@pytest.mark.parametrize("dialect", ["mysql", "mariadb"])
def test_keys_of_altered_tables(dialect: Dialect, clauses: str, expected: list[str]) -> None:
    table = altered(clauses, dialect)
    assert list(table.primary_key) == expected
    for name in expected:
        column = table.column(name)
        assert column is not None
        assert not column.optional


@pytest.mark.parametrize("dialect", ["mysql", "mariadb"])
@pytest.mark.parametrize(
    "clauses",
    [
        "ADD x TEXT CHARACTER SET latin1, CONVERT TO CHARACTER SET greek",
        "CONVERT TO CHARACTER SET greek, ADD x TEXT CHARACTER SET latin1",
        "CONVERT TO CHARACTER SET greek, CHANGE c x TEXT CHARACTER SET latin1",
        "CONVERT TO CHARACTER SET greek, CHANGE c x TEXT",
    ],
)
def test_all_columns_are_converted(dialect: Dialect, clauses: str) -> None:
    column = altered(clauses, dialect).column("x")
    assert column is not None
    assert column.charset == "greek"


def altered(clauses: str, dialect: Dialect) -> Table:
    """Return the table that clauses of an ALTER TABLE make."""
    catalog = Catalog(Tables(), dialect)
    apply_text(catalog, "CREATE TABLE t (a INT PRIMARY KEY, b INT, c TEXT)", "d")
    apply_text(catalog, f"ALTER TABLE t {clauses}", "d")
    table = catalog.tables.get(T)
    assert table is not None
    return table


def test_a_table_that_was_thought_to_be_there_is_the_new_one() -> None:
    """A history without a rename leaves the old name behind."""
    assert columns(["CREATE TABLE t (k INT PRIMARY KEY)"]) == ["k"]
    assert columns(["CREATE TABLE IF NOT EXISTS t (k INT PRIMARY KEY)"]) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("ALTER TABLE t ADD COLUMN IF NOT EXISTS b BIGINT, ADD IF NOT EXISTS d INT", "a b c d"),
        ("ALTER TABLE t DROP COLUMN IF EXISTS b, DROP IF EXISTS nope", "a c"),
        ("ALTER TABLE t MODIFY COLUMN IF EXISTS x INT, CHANGE IF EXISTS b bb INT", "a bb c"),
        ("ALTER TABLE t ADD x BIT AFTER a, MODIFY x ENUM('y')", "a b c x"),
        ("ALTER TABLE t ADD x BIT, MODIFY x BIT AFTER a, ADD y INT AFTER x", "a x y b c"),
        ("ALTER TABLE t ADD x BIT AFTER a, MODIFY IF EXISTS x INT", "a x b c"),
        ("ALTER TABLE t ADD x BIT AFTER a, CHANGE x x BIT", "a b c x"),
        ("ALTER TABLE t RENAME COLUMN IF EXISTS nope TO x", "a b c"),
        ("ALTER TABLE t ADD x INT, RENAME COLUMN IF EXISTS x TO y", "a b c x"),
        ("ALTER TABLE t ADD x INT, CHANGE IF EXISTS x y INT, DROP IF EXISTS x", "a b c x"),
        ("ALTER TABLE t RENAME COLUMN b TO x, DROP COLUMN IF EXISTS x", "a x c"),
        ("ALTER TABLE t ADD COLUMN IF NOT EXISTS b INT, DROP COLUMN b", "a c"),
        ("ALTER TABLE t ADD IF NOT EXISTS b INT FIRST, RENAME COLUMN b TO x", "a x c"),
        ("ALTER TABLE t CHANGE b x INT, ADD COLUMN IF NOT EXISTS X INT FIRST", "a x c"),
        ("ALTER TABLE t CHANGE IF EXISTS y x INT, ADD IF NOT EXISTS x INT", "a b c"),
        ("ALTER TABLE t ADD x INT FIRST, ADD COLUMN IF NOT EXISTS x INT", "x a b c"),
        ("ALTER TABLE t ADD COLUMN IF NOT EXISTS (b INT, x INT)", "a b c x"),
        ("ALTER TABLE t ADD (x INT, y INT PRIMARY KEY), DROP PRIMARY KEY", "a b c x y"),
        ("ALTER TABLE t RENAME INDEX IF EXISTS nope TO x", "a b c"),
        ("ALTER TABLE t ALTER COLUMN IF EXISTS b SET DEFAULT 3", "a b c"),
        ("ALTER TABLE t ADD CONSTRAINT IF NOT EXISTS ck CHECK (b < 5), ADD d INT", "a b c d"),
        ("ALTER TABLE t ADD FOREIGN KEY IF NOT EXISTS f (b) REFERENCES p (k)", "a b c"),
        ("ALTER TABLE t ADD PERIOD IF NOT EXISTS FOR p (s, e), ADD d INT", "a b c d"),
        ("ALTER TABLE t DROP PERIOD FOR p, ADD SYSTEM VERSIONING", "a b c"),
        ("ALTER TABLE t ADD UNIQUE (a, p WITHOUT OVERLAPS)", "a b c"),
        ("ALTER TABLE IF EXISTS t WAIT 5 ADD d INT", "a b c d"),
        ("ALTER ONLINE IGNORE TABLE t NOWAIT ADD d INT", "a b c d"),
        ("ALTER TABLE t DROP COLUMN b CASCADE", "a c"),
        ("ALTER TABLE t ADD d VARCHAR(10) COMPRESSED=zlib DEFAULT 'x'", "a b c d"),
        ("CREATE OR REPLACE TABLE t (k VARCHAR(5) PRIMARY KEY)", "k"),
        ("SET STATEMENT lock_wait_timeout=5 FOR ALTER TABLE t ADD d INT", "a b c d"),
        ("/*M!100100 ALTER TABLE t ADD d INT */", "a b c d"),
        ("RENAME TABLE IF EXISTS nope TO x, t WAIT 3 TO u", None),
        ("DROP TABLE IF EXISTS t WAIT 3", None),
        ("ALTER TABLE t CONVERT TABLE u TO PARTITION p VALUES LESS THAN (5)", "a b c"),
        ("CREATE OR REPLACE TABLE t (a VARCHAR2(5), b NUMBER(5), c NUMBER, d RAW(4))", "a b c d"),
        ("CREATE OR REPLACE TABLE t (a UUID, b INET4, c INET6)", "a b c"),
        (VERSIONED, "x s e"),
    ],
)
def test_what_only_mariadb_has(statement: str, expected: str | None) -> None:
    assert columns([statement], "mariadb") == (expected.split() if expected else None)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE EVENT e ON SCHEDULE EVERY 1 HOUR DO BEGIN DROP TABLE t; END",
        "CREATE PROCEDURE p() BEGIN DROP TABLE t; ALTER TABLE t ADD x INT; END",
        "CREATE DEFINER=`a`@`b` TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET NEW.a = 1",
        "CREATE LIBRARY l LANGUAGE JAVASCRIPT AS $$ function f() { drop; } $$",
        "CREATE SPATIAL REFERENCE SYSTEM 99 NAME 'x' DEFINITION 'GEOGCS[\"x\"]'",
        "CREATE JSON DUALITY VIEW v AS SELECT JSON_DUALITY_OBJECT('_id': a) FROM t",
        "ALTER INSTANCE ROTATE INNODB MASTER KEY",
        "CREATE UNDO TABLESPACE u ADD DATAFILE 'u.ibu'",
        "CREATE USER 'a'@'b' IDENTIFIED WITH caching_sha2_password AS '$A$005$\\Zx'",
        "GRANT ALL ON *.* TO a",
        "FLUSH TABLES t WITH READ LOCK",
        "ALTER DATABASE CHARACTER SET greek",
    ],
)
def test_statements_that_change_no_table_are_skipped(statement: str) -> None:
    assert columns([statement]) == ["a", "b", "c"]


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE t (a NOTYPE)",
        "CREATE TABLE t (a INT",
        "ALTER TABLE t ADD COLUMN",
        "ALTER TABLE t MODIFY nope INT",
        "ALTER TABLE t CHANGE nope x INT",
        "ALTER TABLE t RENAME COLUMN nope TO x",
        "ALTER TABLE t ADD x INT AFTER nope",
        "ALTER TABLE t DROP COLUMN a, ADD x INT AFTER a",
        "ALTER TABLE t RENAME COLUMN a TO b, MODIFY b BIGINT",
        "SOMETHING else",
        "DROP TABLE",
    ],
)
def test_what_cannot_be_read_says_so_and_changes_nothing(statement: str) -> None:
    catalog = Catalog(Tables(), "mysql")
    apply_text(catalog, "CREATE TABLE t (a INT)", "d")
    before = catalog.tables.get(T)
    with pytest.raises(DdlError):
        apply_text(catalog, statement, "d")
    assert catalog.tables.get(T) is before


@pytest.mark.parametrize("dialect", ["mysql", "mariadb"])
@pytest.mark.parametrize(
    "statement",
    [
        "DROP INDEX `PRIMARY` ON t",
        "DROP INDEX `primary` ON d.t ALGORITHM=COPY LOCK=SHARED",
        "ALTER TABLE t DROP INDEX `PRIMARY`",
        "ALTER TABLE t DROP COLUMN c, DROP KEY `Primary`, ADD z INT",
        "ALTER TABLE t DROP CONSTRAINT `PRIMARY`",
    ],
)
def test_a_primary_key_is_dropped_by_the_name_of_its_index(
    dialect: Dialect, statement: str
) -> None:
    catalog = Catalog(Tables(), dialect)
    apply_text(catalog, "CREATE TABLE t (a INT PRIMARY KEY, b INT, c TEXT)", "d")
    assert [event.kind for event in apply_text(catalog, statement, "d")] == ["ALTER_TABLE"]
    table = catalog.tables.get(T)
    assert table is not None
    assert table.primary_key == ()
    assert [event for event in apply_text(catalog, "DROP INDEX other ON t", "d") if event] == []


def test_a_replaced_database_has_no_tables_and_no_charset() -> None:
    catalog = Catalog(Tables(), "mariadb")
    for text in [
        "CREATE DATABASE d CHARACTER SET greek",
        "CREATE TABLE t (a INT, b TEXT)",
        "CREATE OR REPLACE DATABASE d",
        "CREATE TABLE IF NOT EXISTS t (b TEXT, a INT)",
    ]:
        apply_text(catalog, text, "d")
    table = catalog.tables.get(T)
    assert table is not None
    assert [(column.name, column.charset) for column in table.columns] == [("b", None), ("a", None)]


@pytest.mark.parametrize("dialect", ["mysql", "mariadb"])
def test_a_database_that_exists_keeps_its_charset(dialect: Dialect) -> None:
    catalog = Catalog(Tables(), dialect)
    apply_text(catalog, "CREATE DATABASE d CHARACTER SET greek", "d")
    apply_text(catalog, "CREATE DATABASE IF NOT EXISTS d CHARACTER SET latin1", "d")
    apply_text(catalog, "CREATE TABLE t (a TEXT)", "d")
    assert [column.charset for column in next(iter(catalog.tables)).columns] == ["greek"]


@pytest.mark.parametrize("dialect", ["mysql", "mariadb"])
@pytest.mark.parametrize("key", ["", ", PRIMARY KEY (b)"])
def test_a_table_that_exists_is_no_copy(dialect: Dialect, key: str) -> None:
    """The event has the table as it is, of which the columns are those of the other."""
    catalog = Catalog(Tables(), dialect)
    apply_text(catalog, f"CREATE TABLE t (a INT NOT NULL, b INT NOT NULL{key})", "d")
    apply_text(catalog, "CREATE TABLE s (a INT NOT NULL, b INT NOT NULL, PRIMARY KEY (a))", "d")
    before = catalog.tables.get(T)
    [event] = apply_text(catalog, "CREATE TABLE IF NOT EXISTS t LIKE s", "d")
    assert (event.kind, event.table) == ("CREATE_TABLE", T)
    assert catalog.tables.get(T) is before
    apply_text(catalog, "CREATE TABLE s2 (a INT)", "d")
    assert apply_text(catalog, "CREATE TABLE IF NOT EXISTS t LIKE s2", "d") == []
    assert catalog.tables.get(T) is before


@pytest.mark.parametrize("dialect", ["mysql", "mariadb"])
def test_a_temporary_table_leaves_the_table_of_its_name_as_it_is(dialect: Dialect) -> None:
    statements = [
        "CREATE TEMPORARY TABLE t (other INT)",
        "DROP TEMPORARY TABLE IF EXISTS t",
        "CREATE TEMPORARY TABLE t LIKE u",
        "DROP TEMPORARY TABLE t, u",
    ]
    for number in range(1, len(statements) + 1):
        assert columns(statements[:number], dialect) == ["a", "b", "c"]


def test_a_vector_index_is_no_column() -> None:
    created = """CREATE OR REPLACE TABLE t
        (id INT PRIMARY KEY, v VECTOR(3) NOT NULL, VECTOR KEY `v` (v) `M`=8)"""
    assert columns([created, "ALTER TABLE t ADD VECTOR INDEX i (v)"], "mariadb") == ["id", "v"]
    assert columns(["CREATE OR REPLACE TABLE t (vector INT, b INT)"], "mariadb") == ["vector", "b"]
