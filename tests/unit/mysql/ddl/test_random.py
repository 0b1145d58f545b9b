"""The parser and the catalog against random texts and a model."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.capture.tables import TableId, Tables
from connector.errors import DdlError
from connector.mysql.ddl.apply_text import apply_text
from connector.mysql.ddl.catalog import Catalog
from connector.mysql.ddl.tokens import Dialect
from tests.unit.mysql.ddl.random_statements import statements
from tests.unit.mysql.ddl.random_tables import Model, alterations, created, models, shape

T = TableId("d", "t")
DIALECTS: tuple[Dialect, ...] = ("mysql", "mariadb")
FRAGMENTS = (
    "CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(3) DEFAULT 'x')",
    "ALTER TABLE t ADD COLUMN c ENUM('a','b') AFTER a, DROP b, RENAME TO u",
    "CREATE OR REPLACE TEMPORARY IF NOT EXISTS LIKE SELECT PARTITION BY VALUES LESS THAN",
    "DROP RENAME TRUNCATE USE SET GLOBAL = , ; ( ) . @@x @y `q` \"d\" 'it''s' N'n' x'41' 0x1 b'1'",
    "/* c */ /*! x */ /*M!100100 y */ -- z\n # w\n \\ ` ' \" /* 1.5e3 -2 CHARACTER COLLATE BINARY",
    "FOREIGN KEY REFERENCES CHECK CONSTRAINT UNIQUE INDEX GENERATED ALWAYS AS DEFAULT NULL NOT",
)
WORDS = [word for fragment in FRAGMENTS for word in fragment.split(" ")]
TEXTS = (
    st.text()
    | st.lists(st.sampled_from(WORDS)).map(" ".join)
    | st.tuples(st.sampled_from(FRAGMENTS[:2]), st.integers(0, 70), st.sampled_from(WORDS)).map(
        lambda cut: cut[0][: cut[1]] + cut[2] + cut[0][cut[1] :]
    )
)


@pytest.mark.parametrize("dialect", DIALECTS)
@given(texts=st.lists(TEXTS, min_size=1, max_size=4))
def test_no_text_raises_anything_but_that_it_cannot_be_read(
    dialect: Dialect, texts: list[str]
) -> None:
    catalog = Catalog(Tables(), dialect)
    for text in texts:
        with contextlib.suppress(DdlError):
            apply_text(catalog, text, "d")


@pytest.mark.timeout(60)
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "piece",
    ["(", "'", '"', "`", "/*", "/*!", "''", "a ", "a,", "((a)", "\\", "CREATE TABLE ", "--"],
)
def test_a_long_text_never_hangs(dialect: Dialect, piece: str) -> None:
    for start in ("", "CREATE TABLE t (a INT DEFAULT ", "ALTER TABLE t ADD "):
        with contextlib.suppress(DdlError):
            apply_text(Catalog(Tables(), dialect), start + piece * 20_000, "d")


@pytest.mark.parametrize("dialect", DIALECTS)
@given(data=st.data(), model=models())
def test_a_created_table_is_the_one_that_was_written(
    dialect: Dialect, data: st.DataObject, model: Model
) -> None:
    catalog = Catalog(Tables(), dialect)
    events = apply_text(catalog, data.draw(created(model)), "d")
    assert [(event.kind, event.table) for event in events] == [("CREATE_TABLE", T)]
    table = catalog.tables.get(T)
    assert table is not None
    assert shape(table) == model
    assert [column.position for column in table.columns] == list(range(1, len(model.fields) + 1))


@pytest.mark.parametrize("dialect", DIALECTS)
@given(data=st.data(), model=models())
def test_an_altered_table_is_that_of_the_model(
    dialect: Dialect, data: st.DataObject, model: Model
) -> None:
    catalog = Catalog(Tables(), dialect)
    apply_text(catalog, data.draw(created(model)), "d")
    for _ in range(data.draw(st.integers(1, 6))):
        clause, model = data.draw(alterations(model))
        apply_text(catalog, f"ALTER TABLE `d`.`t` {clause}", "elsewhere")
        table = catalog.tables.get(T)
        assert table is not None
        assert shape(table) == model, clause


@pytest.mark.parametrize("dialect", DIALECTS)
@given(data=st.data(), model=models())
def test_clauses_take_effect_in_the_order_of_the_server(
    dialect: Dialect, data: st.DataObject, model: Model
) -> None:
    catalog = Catalog(Tables(), dialect)
    apply_text(catalog, data.draw(created(model)), "d")
    for _ in range(data.draw(st.integers(1, 3))):
        clauses, model = data.draw(statements(model))
        apply_text(catalog, f"ALTER TABLE t {clauses}", "d")
        table = catalog.tables.get(T)
        assert table is not None
        assert shape(table) == model, clauses
