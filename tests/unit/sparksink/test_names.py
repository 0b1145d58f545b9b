"""What columns are called in tables that older readers can read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sparksink
from sparksink.config.columns import Columns
from sparksink.config.file import parse
from sparksink.config.partitioning import partitioning
from sparksink.config.target import ILLEGAL, Target
from sparksink.errors import TableError
from sparksink.schemas.names import RESERVED, select_columns
from sparksink.schemas.row_schema import Column, RowSchema
from tests.unit.sparksink.least_config import LEAST, changed

MAP = Target(path="/t")
REPLACE = Target.model_validate({"path": "/t", "illegal.chars": "replace"})


def shape(*names: str) -> RowSchema:
    return RowSchema(tuple(Column(name, "int32") for name in names))


def called(target: Target, *names: str, row: bool = False, **rules: object) -> list[str]:
    settings = Columns.model_validate(rules)
    return [*select_columns("d.t", shape(*names), settings, target.column, row=row).names]


def test_characters_that_parquet_refuses_become_underscores() -> None:
    assert called(REPLACE, "a b", "c;d", "k=1", "ü.$-x") == ["a_b", "c_d", "k_1", "ü.$-x"]
    assert called(MAP, "a b", "c;d", "k=1") == ["a b", "c;d", "k=1"]
    assert parse(changed(target={"path": "/t", "illegal.chars": "replace"})).target == REPLACE
    assert parse(LEAST).target.illegal_chars == "map"


@given(st.text(st.sampled_from([*ILLEGAL, "_", "a", "ß"])))
def test_a_name_of_the_target_stays_as_it_is(name: str) -> None:
    replaced = REPLACE.column(name)
    assert not set(replaced).intersection(ILLEGAL)
    assert len(replaced) == len(name)
    assert REPLACE.column(replaced) == replaced


def test_a_column_knows_what_messages_call_it() -> None:
    found = select_columns("d.t", shape("a b", "c"), Columns(), REPLACE.column, row=False)
    assert [column.source for column in found.columns] == ["a b", "c"]
    assert found.columns[1] == Column("c", "int32")
    assert found.columns[0] == Column("a_b", "int32", wire="a b")


def test_two_columns_with_one_name_are_refused_by_the_names_of_both() -> None:
    for names in (("a b", "a_b"), ("a;b", "A=b"), ("a_b", "x", "a b")):
        with pytest.raises(TableError, match=f"columns {names[0]} and {names[-1]} would both"):
            called(REPLACE, *names)
    assert called(MAP, "a b", "a_b") == ["a b", "a_b"]


def test_a_column_with_a_name_of_the_sinks_own_is_refused_before_a_write() -> None:
    with pytest.raises(TableError, match="the name of column __Deleted is reserved"):
        called(MAP, "id", "__Deleted")
    assert called(MAP, "id", "__deleted", exclude=["__deleted"]) == ["id"]
    used = set()
    for folder in ("apply", "decode", "evolve", "tables"):
        for file in (Path(sparksink.__file__).parent / folder).glob("*.py"):
            used |= set(re.findall(r"\b__[a-z_]*[a-z]\b(?!__)", file.read_text()))
    assert used - {"__connect", "__debezium"} <= RESERVED


def test_settings_name_columns_as_the_source_does() -> None:
    assert called(REPLACE, "a b", "a_b", exclude=["a b"]) == ["a_b"]
    assert called(REPLACE, "a b", "c", include=["a b"]) == ["a_b"]
    assert called(REPLACE, "a b", "__op", "_ d", row=True) == ["a_b", "__d"]


def test_partitions_have_the_names_of_the_target() -> None:
    how = partitioning(["bucket(4, a b)", "days(at=)", "c"], ["x y"]).with_names(REPLACE.column)
    assert how.partitioned_by() == " PARTITIONED BY (bucket(4, `a_b`), days(`at_`), `c`)"
    assert how.cluster_columns() == "`x_y`"
