"""A target follows its source: columns are added and widened, and nothing is ever narrowed."""

from __future__ import annotations

import pytest

from sparksink.config.columns import Evolution, Types
from sparksink.errors import TableError
from sparksink.evolve.column_mapping import ColumnMapping
from sparksink.evolve.migration_steps import fill_value_sql, plan_steps
from sparksink.schemas.row_schema import Column
from sparksink.schemas.spark_types import big_decimal, column_conversion

RULES = Evolution()


@pytest.mark.parametrize(
    ("present", "comes"),
    [
        ("tinyint", "bigint"),
        ("int", "bigint"),
        ("float", "double"),
        ("decimal(10,2)", "decimal(12,2)"),
        ("decimal(10,2)", "decimal(12,4)"),
        ("date", "timestamp_ntz"),
        ("int", "decimal(10,0)"),
        ("int", "double"),
    ],
)
def test_a_type_is_widened_and_the_narrow_one_still_fits(present: str, comes: str) -> None:
    assert plan_steps("t", {"a": present}, {"a": comes}, RULES).widened == {"a": comes}
    assert not plan_steps("t", {"a": comes}, {"a": present}, RULES)


@pytest.mark.parametrize(
    ("present", "comes"),
    [
        ("int", "string"),
        ("string", "int"),
        ("decimal(10,2)", "decimal(10,3)"),
        ("bigint", "double"),
        ("bigint", "decimal(19,0)"),
        ("timestamp", "timestamp_ntz"),
    ],
)
def test_an_incompatible_type_is_refused(present: str, comes: str) -> None:
    with pytest.raises(TableError, match="column a is"):
        plan_steps("t", {"a": present}, {"a": comes}, RULES)


@pytest.mark.parametrize(
    ("present", "comes", "changes"),
    [
        ("int", "bigint", True),
        ("float", "double", True),
        ("decimal(10,2)", "decimal(12,2)", True),
        ("decimal(10,2)", "decimal(12,4)", False),
        ("date", "timestamp_ntz", False),
        ("int", "decimal(10,0)", False),
        ("int", "double", False),
    ],
)
def test_iceberg_widens_less(present: str, comes: str, changes: bool) -> None:
    if changes:
        assert plan_steps("t", {"a": present}, {"a": comes}, RULES, "iceberg").widened == {
            "a": comes
        }
        return
    with pytest.raises(TableError, match="column a is"):
        plan_steps("t", {"a": present}, {"a": comes}, RULES, "iceberg")


@pytest.mark.parametrize(
    ("present", "comes", "table_format", "done"),
    [
        ("int", "string", "delta", True),
        ("decimal(10,2)", "string", "delta", True),
        ("date", "string", "iceberg", True),
        ("int", "decimal(12,2)", "iceberg", True),
        ("double", "string", "delta", False),
        ("timestamp_ntz", "string", "delta", False),
        ("string", "int", "delta", False),
        ("boolean", "string", "delta", False),
    ],
)
def test_all_rows_are_cast_where_that_loses_nothing(
    present: str, comes: str, table_format: str, done: bool
) -> None:
    rules = Evolution(conflict="rewrite")
    if done:
        found = plan_steps("t", {"a": present}, {"a": comes}, rules, table_format)
        assert (found.rewritten, found.widened) == ({"a": comes}, {})
        with pytest.raises(TableError, match="column a is"):
            plan_steps("t", {"a": present}, {"a": comes}, rules, table_format, ("a",))
        return
    with pytest.raises(TableError, match="column a is"):
        plan_steps("t", {"a": present}, {"a": comes}, rules, table_format)


def column_mapping(
    columns: dict[str, str], facts: dict[str, str], conflict: str = "new_column"
) -> ColumnMapping:
    return ColumnMapping(columns, facts, Evolution.model_validate({"conflict": conflict}), "delta")


def test_values_of_another_type_go_into_a_column_of_their_own() -> None:
    first = column_mapping({"id": "int", "a": "int"}, {})
    planned = first.plan_columns({"id": "int", "a": "string"}, ("id",), ())
    assert planned == {"id": "int", "a__v2": "string"}
    facts = first.additional_column_facts(planned)
    assert facts == {"versions.a": '["a__v2"]'}
    later = column_mapping({"id": "int", "a": "int", "a__v2": "string"}, facts, "park")
    assert later.plan_columns({"a": "bigint"}, (), ()) == {"a": "bigint"}
    assert later.plan_columns({"a": "string"}, (), ()) == {"a__v2": "string"}
    assert later.plan_columns({"a": "string"}, ("a",), ()) == {"a": "string"}
    given = {"id": "int", "a": "string"}
    assert [later.origin(name, given) for name in ("a", "a__v2", "b")] == ["a", "a", None]
    assert [later.takes(name, "string") for name in ("a", "a__v2")] == [False, True]
    assert [later.takes(name, "smallint") for name in ("a", "a__v2")] == [True, False]
    with pytest.raises(TableError, match="a__v2 holds values"):
        later.plan_columns({"a": "int", "a__v2": "int"}, (), ())


def test_a_third_type_gets_a_third_column_and_a_name_that_is_taken_is_not_used() -> None:
    facts = {"versions.a": '["a__v2"]'}
    third = column_mapping({"a": "int", "a__v2": "string", "a__v3": "int"}, facts)
    planned = third.plan_columns({"a": "binary"}, (), ())
    assert planned == {"a__v4": "binary"}
    assert third.additional_column_facts(planned) == {"versions.a": '["a__v2", "a__v4"]'}


def test_a_column_that_was_cast_takes_what_it_had_before() -> None:
    cast = column_mapping({"a": "string"}, {"rewritten.a": '["int"]'}, "rewrite")
    assert cast.plan_columns({"a": "smallint"}, (), ()) == {"a": "string"}
    assert cast.plan_columns({"a": "double"}, (), ()) == {"a": "double"}


def test_a_column_that_is_gone_is_not_made_again() -> None:
    found = column_mapping({"id": "int", "b": "int"}, {"renamed.o": "gone"}, "park")
    kinds = {"id": "int", "gone": "int", "o": "int", "b": "int", "new": "int"}
    planned = found.plan_columns(kinds, ("id",), {"gone", "b"})
    assert planned == {"id": "int", "b": "int", "new": "int"}


def test_columns_are_added_and_those_that_went_stay() -> None:
    found = plan_steps("t", {"a": "int", "gone": "int"}, {"a": "int", "new": "string"}, RULES)
    assert found.added == {"new": "string"}
    assert not found.widened


@pytest.mark.parametrize("rule", ["add", "widen"])
def test_a_rule_forbids(rule: str) -> None:
    with pytest.raises(TableError, match=f"evolution.{rule}=false"):
        plan_steps(
            "t", {"a": "int"}, {"a": "bigint", "b": "int"}, Evolution.model_validate({rule: False})
        )


@pytest.mark.parametrize(
    ("column", "sql"),
    [
        (Column("c", "int32"), None),
        (Column("c", "int32", default=7), "CAST('7' AS int)"),
        (Column("c", "int32", optional=False), "CAST('0' AS int)"),
        (Column("c", "string", default="it's"), r"CAST('it\'s' AS string)"),
        (Column("c", "string", "io.debezium.data.Enum", {"allowed": "x,y"}, optional=False),
         "CAST('x' AS string)"),
    ],
)  # fmt: skip
def test_rows_that_are_there_get_what_the_source_gave_them(column: Column, sql: str | None) -> None:
    assert fill_value_sql(column, column_conversion(column, Types())) == sql


@pytest.mark.parametrize(
    ("unscaled", "scale", "text"),
    [
        (0, 0, "0"),
        (0, 2, "0.00"),
        (-1, 3, "-0.001"),
        (12345, 2, "123.45"),
        (-(10**64), 0, f"-{10**64}"),
    ],
)
def test_decimals_beyond_spark_are_exact_text(unscaled: int, scale: int, text: str) -> None:
    assert big_decimal(unscaled.to_bytes(28, "big", signed=True), scale) == text


def test_a_decimal_that_is_null_stays_null() -> None:
    assert big_decimal(None, 2) is None
