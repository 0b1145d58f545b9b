"""Rules for single columns."""

from __future__ import annotations

import pytest

from connector.capture.columns import ColumnCodec
from connector.capture.tables import Column, TableId
from connector.debezium.column_rules import column_rules, cut, faults
from connector.mysql.types import codec_of
from connector.mysql.types.fields import VARCHAR, Wire
from connector.mysql.types.type_options import TypeOptions

TABLE = TableId("d", "t")
TEXT = Column("v", "VARCHAR", 12, length=10)
HASH = "column.mask.hash.v2.SHA-256.with.salt.salt"


def codec(column: Column = TEXT) -> ColumnCodec:
    found = codec_of(column, TypeOptions())
    assert found is not None
    return found


def apply(config: dict[str, str], column: Column = TEXT) -> ColumnCodec:
    return column_rules(config).apply(TABLE, codec(column))


def from_text(found: ColumnCodec, data: bytes) -> object:
    return found.from_text.then(found.after).function()(data)


def from_log(found: ColumnCodec, data: bytes) -> object:
    return found.from_log(Wire(VARCHAR, 40)).convert.then(found.after).function()(data)


def test_a_mask_stands_for_every_value_and_for_null() -> None:
    found = apply({"column.mask.with.5.chars": r"d\.t\.v"})
    assert from_text(found, b"secret") == from_log(found, b"secret") == found.absent == "*****"
    assert found.schema.parameters == {"masked": "true"}


def test_a_mask_leaves_numbers_as_they_are() -> None:
    found = apply({"column.mask.with.5.chars": ".*"}, Column("v", "INT", 4))
    assert from_text(found, b"7") == 7
    assert found.schema.parameters == {"masked": "true"}


def test_a_hash_is_as_long_as_the_column() -> None:
    found = apply({HASH: ".*"})
    assert from_text(found, b"secret") == from_log(found, b"secret") == "bede90386d"
    assert found.absent is None


def test_truncation() -> None:
    found = apply({"column.truncate.to.3.chars": ".*"})
    assert from_text(found, b"secret") == "sec"
    assert found.schema.parameters == {"truncateLength": "3"}
    assert apply({"column.truncate.to.10.chars": ".*"}).after is None


def test_the_source_type_is_propagated() -> None:
    column = Column("v", "decimal", 3, length=10, scale=2, comment="c")
    parameters = apply({"column.propagate.source.type": ".*"}, column).schema.parameters
    assert parameters is not None
    assert list(parameters.items())[2:] == [
        ("__debezium.source.column.type", "DECIMAL"),
        ("__debezium.source.column.length", "10"),
        ("__debezium.source.column.scale", "2"),
        ("__debezium.source.column.comment", "c"),
        ("__debezium.source.column.name", "v"),
    ]


@pytest.mark.parametrize(("types", "propagated"), [(r"d\.t\.varchar", True), (r"d\.t\.v", False)])
def test_the_source_type_is_propagated_by_type(types: str, propagated: bool) -> None:
    found = apply({"datatype.propagate.source.type": types})
    assert bool(found.schema.parameters) is propagated


def test_no_other_rule_uncovers_what_is_hidden() -> None:
    config = {"column.propagate.source.type": ".*", HASH: ".*"}
    found = apply(config)
    assert from_text(found, b"secret") == "bede90386d"
    assert found.schema.parameters is not None
    assert "__debezium.source.column.type" in found.schema.parameters
    assert column_rules(config).hides(TABLE, TEXT)


def test_the_first_rule_of_several_is_applied() -> None:
    found = apply({"column.propagate.source.type": ".*", "column.truncate.to.1.chars": ".*"})
    assert found.schema.parameters == {"truncateLength": "1"}


@pytest.mark.parametrize(
    ("content", "limit", "expected"),
    [
        ("abc", 2, "ab"),
        ("ab", 2, "ab"),
        ("日本語", 2, "日本"),
        ("😀a", 2, "😀"),
        ("a😀", 2, "a"),
        (b"abc", 2, b"ab"),
    ],
)
def test_texts_are_cut_between_characters(
    content: str | bytes, limit: int, expected: str | bytes
) -> None:
    assert cut(content, limit) == expected


def test_faults_name_their_key() -> None:
    found = faults(
        {"column.mask.with.5.chars": "(", "column.mask.with.6.chars": "ok", "other": "("}
    )
    assert list(found) == ["column.mask.with.5.chars"]
