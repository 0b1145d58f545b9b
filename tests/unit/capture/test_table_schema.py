"""Rows as structs of keys and values."""

from __future__ import annotations

from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import Table, TableId
from connector.data.schema import INT32, STRING, struct

VALUE = struct("v", ("id", INT32), ("name", STRING), optional=True)


def _codec(*key: str, slots: tuple[int, ...]) -> TableEventSchema:
    schema = struct("k", *((name, INT32) for name in key)) if key else None
    return TableEventSchema(Table(TableId("d", "t"), ()), "topic", schema, VALUE, VALUE, (), slots)


def test_a_row_holds_the_fields_of_the_value_and_then_columns_of_the_key_alone() -> None:
    codec = _codec("secret", "id", slots=(2, 0))
    row = (1, "a", 99)
    assert codec.value_struct(row) == {"id": 1, "name": "a"}
    assert codec.key_struct(row) == {"secret": 99, "id": 1}
    assert list(codec.key_struct(row) or ()) == ["secret", "id"]


def test_no_row_has_no_struct() -> None:
    assert _codec(slots=()).value_struct(None) is None


def test_a_table_without_a_key_has_no_key() -> None:
    assert _codec(slots=()).key_struct((1, "a")) is None


def test_two_codecs_alike_are_two_versions() -> None:
    assert _codec("id", slots=(0,)) != _codec("id", slots=(0,))
