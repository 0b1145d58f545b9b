"""A target follows its source: columns are added and widened, and nothing is ever narrowed."""

from __future__ import annotations

import pytest

from sparksink.config.columns import Evolution, Types
from sparksink.errors import TableError
from sparksink.evolve.steps import filling, steps
from sparksink.schemas.shapes import Column
from sparksink.schemas.spark_types import big_decimal, mapped

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
def test_a_type_is_widened_and_the_narrow_one_still_fits(present: str, comes: str):
    assert steps("t", {"a": present}, {"a": comes}, RULES).widened == {"a": comes}
    assert not steps("t", {"a": comes}, {"a": present}, RULES)


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
def test_a_type_that_cannot_become_the_other_is_told(present: str, comes: str):
    with pytest.raises(TableError, match="column a is"):
        steps("t", {"a": present}, {"a": comes}, RULES)


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
def test_iceberg_widens_less(present: str, comes: str, changes: bool):
    if changes:
        assert steps("t", {"a": present}, {"a": comes}, RULES, "iceberg").widened == {"a": comes}
        return
    with pytest.raises(TableError, match="column a is"):
        steps("t", {"a": present}, {"a": comes}, RULES, "iceberg")


def test_columns_are_added_and_those_that_went_stay():
    found = steps("t", {"a": "int", "gone": "int"}, {"a": "int", "new": "string"}, RULES)
    assert found.added == {"new": "string"}
    assert not found.widened


@pytest.mark.parametrize("rule", ["add", "widen"])
def test_a_rule_forbids(rule: str):
    with pytest.raises(TableError, match=f"evolution.{rule}=false"):
        steps(
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
def test_rows_that_are_there_get_what_the_source_gave_them(column: Column, sql: str | None):
    assert filling(column, mapped(column, Types())) == sql


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
def test_decimals_beyond_spark_are_exact_text(unscaled: int, scale: int, text: str):
    assert big_decimal(unscaled.to_bytes(28, "big", signed=True), scale) == text


def test_a_decimal_that_is_null_stays_null():
    assert big_decimal(None, 2) is None
