"""HeaderToValue: a path into a struct that does not exist."""

from __future__ import annotations

import pytest

from connector.data.record import Header, Record
from connector.data.schema import STRING, struct
from connector.errors import TransformError
from connector.transforms.header_to_value import HeaderToValue

SOURCE = struct("source", ("db", STRING))
EVENT = struct("event", ("source", SOURCE), ("op", STRING))


def move_header(field: str) -> Record:
    transform = HeaderToValue({"headers": "h", "fields": field, "operation": "move"})
    value = {"source": {"db": "shop"}, "op": "c"}
    return transform.apply(Record("t", None, None, None, EVENT, value, [Header("h", STRING, "x")]))


def test_a_struct_inside_another_is_made_without_members() -> None:
    record = move_header("source.a.b")
    assert record.value == {"source": {"db": "shop", "a": {}}, "op": "c"}
    assert record.value_schema is not None
    source = record.value_schema.field("source")
    assert source is not None
    made = source.schema.field("a")
    assert made is not None
    assert (made.schema.type, made.schema.optional, made.schema.fields) == ("struct", True, ())


def test_a_struct_at_the_top_is_made_with_its_member() -> None:
    record = move_header("a.b")
    assert record.value == {"source": {"db": "shop"}, "op": "c", "a": {"b": "x"}}


def test_a_header_of_another_type_does_not_replace_a_field() -> None:
    assert move_header("op").value == {"source": {"db": "shop"}, "op": "x"}
    with pytest.raises(TransformError, match="Invalid Java object for schema"):
        move_header("source")
