"""Statements that give existing rows values which no event has, and those that do not."""

from __future__ import annotations

import base64
import json
import random
from dataclasses import replace

import pytest

pytest.importorskip("pyspark")

from connector import names
from sparksink.config.file import parse
from sparksink.schemas.column_clauses import column_clauses
from sparksink.schemas.constant_defaults import reads_default
from sparksink.schemas.defaults import connect_default, literal_value
from sparksink.schemas.defined_columns import DefinedColumn, parse_defined_column
from sparksink.schemas.definitions import Definitions, Message
from sparksink.schemas.kept_values import keeps_values
from sparksink.schemas.row_schema import Column
from sparksink.schemas.schema_changes import parse_statements
from sparksink.schemas.unlogged_changes import is_copy
from tests.fixtures.sink.defined import defined
from tests.unit.sparksink.least_config import LEAST

CREATED = """CREATE TABLE t (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, a INT, n VARCHAR(20),
    d DECIMAL(10,2), at DATETIME(6), e ENUM('x','y'), z INT ZEROFILL)"""


def reasons(*statements: str, columns: dict[str, object] | None = None) -> list[str]:
    """Return why the values after statements are unknown, of those on table t."""
    messages: list[Message] = [
        (n, json.dumps(one).encode(), None) for n, one in enumerate(defined(*statements))
    ]
    config = parse({**LEAST, "columns": columns or {}})
    known = Definitions(config, lambda offset: messages[offset:])
    known.refresh()
    return [
        reason
        for one in parse_statements(messages, config.ordering)
        if one["source_table"] == "shop.t"
        and (
            reason := known.value_changes.reason("shop.t", (one["start"], one["ddl"], one["kind"]))
        )
    ]


@pytest.mark.parametrize(
    ("clause", "reason"),
    [
        ("ADD COLUMN c TIMESTAMP NULL DEFAULT CURRENT_TIMESTAMP",
         "ADD COLUMN c with DEFAULT CURRENT_TIMESTAMP"),
        ("ADD `c d` DATETIME DEFAULT NOW() ON UPDATE NOW()", "ADD COLUMN c d with DEFAULT NOW"),
        ("ADD u CHAR(36) DEFAULT (UUID())", "ADD COLUMN u with DEFAULT (…)"),
        ("ADD j JSON DEFAULT (JSON_OBJECT('DEFAULT 1', 2))", "ADD COLUMN j with DEFAULT (…)"),
        ("ADD (b INT, c INT AS (a + 1) STORED)", "ADD COLUMN c as a generated column"),
        ("ADD c INT GENERATED ALWAYS AS (`a` + 1) VIRTUAL FIRST",
         "ADD COLUMN c as a generated column"),
        ("DROP PRIMARY KEY, DROP id, ADD id BIGINT AUTO_INCREMENT PRIMARY KEY",
         "ADD COLUMN id with AUTO_INCREMENT"),
        ("ADD COLUMN s TIMESTAMP",
         "ADD COLUMN s with a value that depends on explicit_defaults_for_timestamp"),
        ("ADD s TIMESTAMP NOT NULL DEFAULT '2020-01-01 00:00:00'",
         "ADD COLUMN s with a DEFAULT that cannot be converted"),
        ("ADD c TIME DEFAULT '10:00'", "ADD COLUMN c with a DEFAULT that cannot be converted"),
        ("ADD c BINARY(4) NOT NULL", "ADD COLUMN c with the implicit default of BINARY"),
        ("DROP a, ADD a DATETIME DEFAULT CURRENT_TIMESTAMP",
         "ADD COLUMN a with DEFAULT CURRENT_TIMESTAMP"),
        ("MODIFY d DECIMAL(10,1)", "MODIFY COLUMN d from DECIMAL(10,2) to DECIMAL(10,1)"),
        ("MODIFY n VARCHAR(10)", "MODIFY COLUMN n from VARCHAR(20) to VARCHAR(10)"),
        ("MODIFY at DATETIME", "MODIFY COLUMN at from DATETIME(6) to DATETIME"),
        ("CHANGE COLUMN n m INT", "CHANGE COLUMN m from VARCHAR(20) to INT"),
        ("CHANGE A b SMALLINT", "CHANGE COLUMN b from INT to SMALLINT"),
        ("MODIFY a INT UNSIGNED", "MODIFY COLUMN a from INT to INT UNSIGNED"),
        ("MODIFY a INT NOT NULL", "MODIFY COLUMN a from NULL to NOT NULL"),
        ("MODIFY a INT AS (id + 1) STORED", "MODIFY COLUMN a as a generated column"),
        ("MODIFY e ENUM('x')", "MODIFY COLUMN e from ENUM(1) to ENUM(1)"),
        ("MODIFY z VARCHAR(20)", "MODIFY COLUMN z from INT UNSIGNED ZEROFILL to VARCHAR(20)"),
        ("/*!80000 ADD c DATETIME DEFAULT LOCALTIME */", "ADD COLUMN c with DEFAULT LOCALTIME"),
    ],
)  # fmt: skip
def test_values_that_the_source_computes_are_unknown(clause: str, reason: str) -> None:
    assert reasons(CREATED, f"ALTER TABLE t {clause}") == [reason]


@pytest.mark.parametrize(
    "clause",
    [
        "ADD c INT",
        "ADD COLUMN IF NOT EXISTS c INT NULL DEFAULT NULL AFTER a",
        "ADD (c INT DEFAULT -5, `AS` VARCHAR(9) NOT NULL DEFAULT 'AS ('), ADD INDEX i (a)",
        "ADD c VARCHAR(20) DEFAULT 'NOW()' COMMENT 'DEFAULT (UUID()) AUTO_INCREMENT'",
        "ADD c DATETIME(6) NOT NULL DEFAULT '2020-01-01 10:00:00' ON UPDATE CURRENT_TIMESTAMP(6)",
        "ADD c TIMESTAMP NULL ON UPDATE CURRENT_TIMESTAMP",
        "ADD c DECIMAL(5,2) DEFAULT 1.5, ADD f DOUBLE NOT NULL, ADD t TEXT NOT NULL",
        "ADD c BIT(1) DEFAULT b'1', ADD d2 DATE NOT NULL, ADD en ENUM('p','q') NOT NULL",
        "ALTER COLUMN a SET DEFAULT (1 + 1), ADD CHECK (a > 0)",
        "MODIFY a BIGINT",
        "MODIFY a BIGINT NULL DEFAULT 7",
        "CHANGE n m VARCHAR(40)",
        "RENAME COLUMN N TO m",
        "MODIFY n TEXT, MODIFY d DECIMAL(12,3), MODIFY e ENUM('y','x','w')",
        "MODIFY id BIGINT NOT NULL AUTO_INCREMENT",
        "DROP COLUMN a, ADD KEY (n), COMMENT 'MODIFY n CHAR(1)'",
        "CONVERT TO CHARACTER SET utf8mb4",
        "ORDER BY id",
    ],
)
def test_constants_and_wider_types_leave_known_values(clause: str) -> None:
    assert reasons(CREATED, f"ALTER TABLE t {clause}") == []


def test_columns_that_are_left_out_do_not_count() -> None:
    added = "ALTER TABLE t ADD c DATETIME DEFAULT NOW(), ADD b INT"
    assert reasons(CREATED, added, columns={"exclude": ["c"]}) == []
    assert reasons(CREATED, added, columns={"include": ["id", "b"]}) == []
    assert len(reasons(CREATED, added, columns={"include": ["id", "c"]})) == 1


def test_a_statement_is_compared_once_and_with_the_definition_before_it() -> None:
    again = ("DROP TABLE t", "CREATE TABLE t (id INT PRIMARY KEY, n VARCHAR(5))")
    assert reasons(CREATED, *again) == []
    narrower = "ALTER TABLE t MODIFY n VARCHAR(10)"
    assert len(reasons(CREATED, "ALTER TABLE t MODIFY n VARCHAR(9)", narrower)) == 1
    assert len(reasons(CREATED, narrower, "ALTER TABLE t MODIFY n VARCHAR(20)", narrower)) == 2
    assert reasons(CREATED, "ALTER TABLE t RENAME COLUMN n TO m, MODIFY a BIGINT") == []


SWAP = "RENAME TABLE t TO _t_del, _t_gho TO t"


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        (["ALTER TABLE _t_gho ADD c INT, MODIFY a BIGINT"], 0),
        (["ALTER TABLE _t_gho DROP n"], 0),
        (["ALTER TABLE _t_gho ADD c DATETIME DEFAULT NOW()"], 1),
        (["ALTER TABLE _t_gho ADD c DATETIME DEFAULT NOW()", "ALTER TABLE _t_gho ADD f INT"], 1),
        (["ALTER TABLE _t_gho RENAME COLUMN a TO b"], 1),
        (["ALTER TABLE _t_gho MODIFY n VARCHAR(5)"], 1),
    ],
)
def test_a_copy_that_replaces_its_table_brings_its_own_changes(
    changes: list[str], found: int
) -> None:
    copied = [CREATED, "CREATE TABLE _t_gho LIKE t", *changes, SWAP]
    assert len(reasons(*copied)) == found


def test_damaged_statements_have_no_clauses_or_some() -> None:
    chance = random.Random(1)
    words = (
        "ALTER TABLE t ADD COLUMN ( ) , CHANGE c `d 'e ' CREATE DEFAULT - (1) . IF /*!5 */".split()
    )
    for _ in range(3000):
        text = " ".join(chance.choices(words, k=chance.randint(0, 12)))
        for clause in column_clauses(chance.choice(["", "ALTER TABLE t "]) + text).values():
            assert clause.verb in {"ADD", "CHANGE", "CREATE"}
            assert clause.default


def test_names_of_copies() -> None:
    tools = ("_t_gho", "_t_new", "__t_new", "__osc_new_t", "lhmn_t")
    assert all(is_copy(f"shop.{name}", "shop.t") for name in tools)
    assert not any(is_copy(f"shop.{name}", "shop.t") for name in ("t_new", "_u_gho", "b", "_t_del"))
    assert not is_copy("tmp._t_gho", "shop.t")
    long = "t" * 64
    assert is_copy(f"shop._{long[:59]}_gho", f"shop.{long}")


def column(kind: str, length: int | None = None, scale: int | None = None) -> DefinedColumn:
    return DefinedColumn("c", kind, length, scale)


def labels(*given: str) -> DefinedColumn:
    return DefinedColumn("c", "SET", labels=given)


def text(charset: str) -> DefinedColumn:
    return DefinedColumn("c", "VARCHAR", 5, charset=charset)


@pytest.mark.parametrize(
    ("before", "after", "keeps"),
    [
        (column("INT", 11), column("INT"), True),
        (column("INT"), column("DECIMAL", 10, 0), True),
        (column("INT"), column("DECIMAL", 10, 1), False),
        (column("INT UNSIGNED"), column("INT"), False),
        (column("INT UNSIGNED"), column("BIGINT"), True),
        (column("BIGINT"), column("DOUBLE"), False),
        (column("INT"), column("VARCHAR", 11), True),
        (column("INT"), column("VARCHAR", 10), False),
        (column("INT UNSIGNED"), column("VARCHAR", 10), True),
        (column("BIGINT"), column("VARCHAR", 20), True),
        (column("BIGINT"), column("VARCHAR", 19), False),
        (column("INT"), column("CHAR", 11), True),
        (column("INT"), column("CHAR", 10), False),
        (column("BIGINT"), column("DECIMAL", 19), True),
        (column("BIGINT UNSIGNED"), column("VARCHAR", 20), True),
        (column("BIGINT UNSIGNED"), column("DECIMAL", 19), False),
        (column("MEDIUMINT"), column("VARCHAR", 8), True),
        (column("DECIMAL", 2, 2), column("VARCHAR", 5), True),
        (column("DECIMAL", 2, 2), column("VARCHAR", 4), False),
        (column("DECIMAL UNSIGNED", 4), column("VARCHAR", 4), True),
        (column("DECIMAL", 4), column("VARCHAR", 4), False),
        (column("FLOAT"), column("DOUBLE"), True),
        (column("FLOAT", 7, 2), column("DOUBLE"), False),
        (column("DOUBLE"), column("FLOAT"), False),
        (column("DATE"), column("DATETIME"), True),
        (column("DATETIME"), column("DATE"), False),
        (column("DATETIME", 3), column("DATETIME", 6), True),
        (column("TIMESTAMP"), column("DATETIME"), False),
        (column("CHAR", 5), column("VARCHAR", 5), True),
        (column("VARCHAR", 5), column("CHAR", 5), False),
        (column("VARCHAR", 64), column("TINYTEXT"), False),
        (column("VARCHAR", 9000), column("TEXT"), True),
        (column("TEXT"), column("VARCHAR", 9000), False),
        (column("LONGTEXT"), column("TEXT"), False),
        (column("BINARY", 4), column("BINARY", 5), False),
        (column("BINARY", 4), column("VARBINARY", 4), True),
        (column("VARBINARY", 300), column("TINYBLOB"), False),
        (column("BLOB"), column("LONGBLOB"), True),
        (column("BLOB"), column("TEXT"), False),
        (column("BIT", 8), column("BIT", 9), False),
        (column("BIT", 3), column("BIT", 8), True),
        (column("YEAR", 4), column("YEAR"), True),
        (column("JSON"), column("LONGTEXT"), False),
        (column("JSON"), column("JSON"), True),
        (labels("a", "b"), labels("a", "c", "b"), True),
        (labels("a", "b"), labels("b", "a"), False),
        (text("utf8mb4"), text("latin1"), False),
        (text("utf8mb4"), text("utf8mb3"), False),
        (text("latin1"), text("utf8mb3"), True),
    ],
)  # fmt: skip
def test_types_that_keep_all_values(
    before: DefinedColumn, after: DefinedColumn, keeps: bool
) -> None:
    assert keeps_values(before, after) == keeps


@pytest.mark.parametrize(
    ("definition", "known"),
    [
        ("VARCHAR(9) DEFAULT 'it''s'", True),
        (r"VARCHAR(9) DEFAULT 'it\'s'", False),
        ('VARCHAR(9) DEFAULT "it\'s"', True),
        ('VARCHAR(9) DEFAULT "it""s"', False),
        ("VARCHAR(9) DEFAULT x'41'", False),
        ("VARCHAR(9) DEFAULT 0x41", False),
        ("VARCHAR(9) DEFAULT N'a'", False),
        ("VARCHAR(9) DEFAULT _latin1'a'", True),
        ("VARCHAR(9) DEFAULT TRUE", False),
        ("VARCHAR(9) DEFAULT 1e2", False),
        ("VARCHAR(9) DEFAULT 'a '", True),
        ("CHAR(9) DEFAULT 'a '", False),
        ("INT DEFAULT '12'", True),
        ("INT DEFAULT b'101'", False),
        ("INT DEFAULT 1.5", False),
        ("TINYINT DEFAULT TRUE", False),
        ("BIT(1) DEFAULT b'1'", True),
        ("BIT(3) DEFAULT b'101'", False),
        ("YEAR DEFAULT 1999", True),
        ("YEAR DEFAULT 24", False),
        ("YEAR DEFAULT '0000'", False),
        ("DECIMAL(4,2) DEFAULT 1.005", True),
        ("DOUBLE DEFAULT 1e-3", True),
        ("FLOAT(7,2) DEFAULT 1.005", False),
        ("DATE DEFAULT '2024-01-02'", True),
        ("DATE DEFAULT '20240102'", False),
        ("DATE DEFAULT DATE'2024-01-02'", False),
        ("DATETIME DEFAULT '2024-01-02 10:00:00'", True),
        ("DATETIME DEFAULT '2024-01-02 10:00:00.6'", False),
        ("DATETIME(1) DEFAULT '2024-01-02 10:00:00.6'", True),
        ("TIME DEFAULT '-838:59:59'", True),
        ("TIME DEFAULT '1:2'", False),
        ("TIME DEFAULT 101112", False),
        ("TIME DEFAULT '10:00:00.5'", False),
        ("TIME(1) DEFAULT '10:00:00.5'", True),
        ("ENUM('a','b') DEFAULT 'b'", True),
        ("ENUM('a','b') DEFAULT 'B'", False),
        ("ENUM('it''s','b') DEFAULT 'it''s'", True),
        (r"ENUM('a\\','b') NOT NULL", False),
        ("SET('a','b') DEFAULT 'a,b'", True),
        ("SET('a','b') DEFAULT 'b,a'", False),
        ("SET('a','b') DEFAULT ''", True),
    ],
)
def test_constants_that_are_read_as_the_source_reads_them(definition: str, known: bool) -> None:
    assert (reasons(CREATED, f"ALTER TABLE t ADD c {definition}") == []) == known


def test_a_long_decimal_default_keeps_its_digits() -> None:
    column = Column("d", "bytes", names.CONNECT_DECIMAL, {"scale": "9"})
    text = "-49766420116875310790608998186.937074668"
    unscaled = int.from_bytes(base64.b64decode(connect_default(column, text)), "big", signed=True)
    assert unscaled == -49766420116875310790608998186937074668
    assert connect_default(column, "0.0000000005") == "AQ=="


def reads(kind: str, default: str, decoded: Column) -> bool:
    (message,) = defined(f"CREATE TABLE t (id INT PRIMARY KEY, c {kind} DEFAULT {default})")
    given = message["tableChanges"][0]["table"]["columns"][1]
    column = parse_defined_column(given)
    value = connect_default(decoded, column.default)
    return reads_default(column, replace(decoded, default=value), "number")


def test_decimals_that_are_texts_have_all_digits() -> None:
    decoded = Column("d", "string")
    assert reads("DECIMAL(5,2)", "1.50", decoded)
    assert not reads("DECIMAL(5,2)", "1.5", decoded)
    assert not reads("DECIMAL(5,2)", "01.50", decoded)
    assert not reads("DECIMAL(5,2)", "1e1", decoded)
    assert reads("DECIMAL(5)", "15", decoded)


def test_iso_texts_are_not_made_of_defaults() -> None:
    assert not reads("DATE", "'2024-01-02'", Column("d", "string", names.ISO_DATE))


def test_times_are_read_from_defaults() -> None:
    column = Column("t", "int64", names.MICRO_TIME)
    assert connect_default(column, "-01:00:00.5") == -3_600_500_000
    assert connect_default(column, "838:59:59") == 3_020_399_000_000
    assert connect_default(column, "1:2") is None


def test_texts_of_defaults_are_read_without_their_escapes() -> None:
    assert literal_value(r"it''s \"new\" 5\% a\\b\n") == 'it\'s "new" 5\\% a\\b\n'
    assert literal_value("plain") == "plain"
