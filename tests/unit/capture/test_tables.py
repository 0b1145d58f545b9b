"""Tables by name, with and without regard to case."""

from __future__ import annotations

from connector.capture.tables import Column, Table, TableId, Tables

A, B = TableId("Shop", "Orders"), TableId("shop", "orders")


def test_a_name_is_quoted_part_by_part() -> None:
    assert TableId("a.b", 'c"d').quoted() == '"a.b"."c""d"'
    assert TableId("a.b", "c`d").quoted("`") == "`a.b`.`c``d`"
    assert str(TableId("a", "b")) == "a.b"


def test_columns_are_found_without_regard_to_case() -> None:
    table = Table(A, (Column("Id", "INT", 4), Column("name", "TEXT", 12)))
    assert [table.column(name) for name in ("ID", "NAME", "x")] == [*table.columns, None]


def test_names_that_differ_in_case_are_two_tables() -> None:
    tables = Tables()
    tables.put(Table(A, ()))
    tables.put(Table(B, ()))
    assert [table.id for table in tables] == [A, B]


def test_names_that_differ_in_case_are_one_table_where_the_server_folds_them() -> None:
    tables = Tables(lower_case=True)
    tables.put(Table(A, ()))
    tables.put(Table(B, (Column("x", "INT", 4),)))
    assert A in tables
    assert len(tables) == 1
    found = tables.get(A)
    assert found is not None
    assert found.id == B
    assert tables.remove(A) is found
    assert tables.remove(A) is None


def test_tables_come_in_the_order_of_their_names() -> None:
    tables = Tables()
    names = [TableId("b", "a"), TableId("a", "z"), TableId("a", "b")]
    for name in names:
        tables.put(Table(name, ()))
    assert [table.id for table in tables] == sorted(names)


def test_a_database_goes_with_all_its_tables() -> None:
    tables = Tables(lower_case=True)
    for name in (TableId("a", "X"), TableId("A", "y"), TableId("ab", "z")):
        tables.put(Table(name, ()))
    assert sorted(tables.remove_database("A")) == [TableId("A", "y"), TableId("a", "X")]
    assert [table.id for table in tables] == [TableId("ab", "z")]
    tables.clear()
    assert len(tables) == 0


def test_a_changed_table_leaves_the_old_version_as_it_was() -> None:
    old = Table(A, ())
    assert old.with_changes(comment="c").comment == "c"
    assert old.comment is None
