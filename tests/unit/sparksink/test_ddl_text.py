"""The text of a statement says which columns and tables it renames, adds and drops."""

from __future__ import annotations

import pytest

pytest.importorskip("pyspark")

from sparksink.schemas.ddl import added_columns, dropped_columns, renamed_columns, renamed_tables


@pytest.mark.parametrize(
    ("ddl", "renamed"),
    [
        ("ALTER TABLE t RENAME COLUMN a TO b", {"a": "b"}),
        ("alter table t change `a ``x` b int, change column c c bigint", {"a `x": "b"}),
        ("ALTER TABLE t ADD COLUMN x INT", {}),
        ("ALTER TABLE t RENAME TO u", {}),
        ("ALTER TABLE t RENAME COLUMN IF EXISTS a TO b, CHANGE IF EXISTS c d INT",
         {"a": "b", "c": "d"}),
        ('ALTER TABLE "s"."t" RENAME COLUMN "a ""x" TO "b", CHANGE "c" d INT',
         {'a "x': "b", "c": "d"}),
        ("ALTER ONLINE TABLE IF EXISTS t WAIT 5 CHANGE t.a s.t.b INT", {"a": "b"}),
        ("SET STATEMENT lock_wait_timeout=1 FOR ALTER TABLE t RENAME COLUMN a TO b", {"a": "b"}),
        ("ALTER TABLE t ADD c INT COMMENT 'RENAME COLUMN a TO b', RENAME INDEX i TO j", {}),
    ],
)  # fmt: skip
def test_renames_are_found(ddl: str, renamed: dict[str, str]) -> None:
    assert renamed_columns(ddl) == renamed


@pytest.mark.parametrize(
    ("ddl", "gone"),
    [
        ("ALTER TABLE t DROP COLUMN a, DROP IF EXISTS `b ``c`, drop column if exists `index`",
         {"a", "b `c", "index"}),
        ("ALTER TABLE t DROP INDEX i, DROP PRIMARY KEY, DROP FOREIGN KEY k, ALTER c DROP DEFAULT",
         set()),
        ("DROP TABLE t", set()),
        ('ALTER TABLE t DROP "a", DROP period, DROP system RESTRICT', {"a", "period", "system"}),
        ("ALTER TABLE t DROP SYSTEM VERSIONING, DROP PERIOD FOR SYSTEM_TIME", set()),
    ],
)  # fmt: skip
def test_dropped_columns_are_found(ddl: str, gone: set[str]) -> None:
    assert dropped_columns(ddl) == gone


def test_words_in_texts_and_comments_are_no_clauses() -> None:
    ddl = "ALTER TABLE t /* DROP a */ ADD `d ``e` INT COMMENT 'it''s, DROP COLUMN b' -- CHANGE c d"
    assert dropped_columns(ddl) == set()
    assert renamed_columns(ddl) == {}
    assert added_columns(ddl) == {"d `e"}
    assert dropped_columns("ALTER TABLE t DROP a, ADD COLUMN IF NOT EXISTS a INT") == {"a"}


@pytest.mark.parametrize(
    ("ddl", "names"),
    [
        ("ALTER TABLE t ADD a INT, ADD INDEX i (a), ADD CONSTRAINT c CHECK (a > 0)", {"a"}),
        ("ALTER TABLE t ADD COLUMN (a DECIMAL(5,2), `b c` INT DEFAULT 7, KEY (a))", {"a", "b c"}),
        ('ALTER TABLE t ADD "a" INT, ADD (period INT, PERIOD FOR SYSTEM_TIME(a, b))',
         {"a", "period"}),
        ("ALTER TABLE t ADD PARTITION (PARTITION p1 VALUES LESS THAN (5))", set()),
    ],
)  # fmt: skip
def test_added_columns(ddl: str, names: set[str]) -> None:
    assert added_columns(ddl) == names


@pytest.mark.parametrize(
    ("ddl", "expected"),
    [
        ("RENAME TABLE t TO `o``ld`", [("d.t", "d.o`ld")]),
        ("rename /* gh-ost */ table `d`.`t` to `d`.`_t_del`, e.x TO t",
         [("d.t", "d._t_del"), ("e.x", "d.t")]),
        ("RENAME TABLE t WAIT 5 TO u", [("d.t", "d.u")]),
        ("ALTER TABLE t ADD COLUMN c INT, RENAME AS u", [("d.t", "d.u")]),
        ("ALTER TABLE a.t RENAME b.u", [("a.t", "b.u")]),
        ("ALTER TABLE t RENAME COLUMN a TO b, RENAME INDEX i TO j", []),
        ("ALTER TABLE t COMMENT 'x RENAME TO y'", []),
        ('RENAME TABLES IF EXISTS "t" TO "e"."u", v NOWAIT TO w', [("d.t", "e.u"), ("d.v", "d.w")]),
        ('ALTER TABLE "t" RENAME "u"', [("d.t", "d.u")]),
        ("SET STATEMENT max_statement_time=5 FOR RENAME TABLE t TO u", [("d.t", "d.u")]),
        ("CREATE TABLE t (rename INT)", []),
    ],
)  # fmt: skip
def test_renamed_tables(ddl: str, expected: list[tuple[str, str]]) -> None:
    assert renamed_tables(ddl, "d") == expected
