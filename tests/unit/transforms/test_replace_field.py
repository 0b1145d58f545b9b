"""ReplaceField reads the fields that Kafka Connect reads."""

from __future__ import annotations

from typing import Any

import pytest

from connector.data.record import Record
from connector.data.schema import (
    BYTES,
    INT32,
    OPTIONAL_INT32,
    OPTIONAL_STRING,
    STRING,
    Schema,
    struct,
)
from connector.data.semantic import bits
from connector.errors import TransformError
from connector.transforms.replace_field import ReplaceFieldValue

ROW = struct(
    "row", ("a", OPTIONAL_INT32), ("b", OPTIONAL_INT32), ("text", OPTIONAL_STRING), ("id", INT32)
)
VALUES = {"a": 1, "b": 2, "text": "x", "id": 3}


def replaced(schema: Schema | None, values: dict[str, Any], **config: str) -> dict[str, Any]:
    record = Record("t", None, None, None, schema, dict(values))
    return dict(ReplaceFieldValue(config).apply(record).value)


def test_a_field_of_a_new_name_gets_the_value_of_the_renamed_one() -> None:
    assert replaced(ROW, VALUES, exclude="a", renames="a:b") == {"b": 1, "text": "x", "id": 3}
    assert replaced(ROW, VALUES, renames="a:b,b:a") == {"b": 1, "a": 2, "text": "x", "id": 3}


@pytest.mark.parametrize(
    ("config", "values", "message"),
    [
        ({"renames": "nope:b"}, VALUES, "nope is not a valid field name"),
        # The last of the renames, in the order of a HashMap, counts.
        ({"renames": "a:c,nope:c"}, VALUES, "nope is not a valid field name"),
        (
            {"exclude": "a", "renames": "a:text"},
            VALUES,
            (
                "Invalid Java object for schema with type STRING: class java.lang.Integer "
                'for field: "text"'
            ),
        ),
        (
            {"exclude": "a", "renames": "a:id"},
            {**VALUES, "a": None},
            'Invalid value: null used for required field: "id", schema type: INT32',
        ),
    ],
)
def test_a_field_that_java_cannot_set(
    config: dict[str, str], values: dict[str, Any], message: str
) -> None:
    with pytest.raises(TransformError) as caught:
        replaced(ROW, values, **config)
    assert str(caught.value) == message


def test_fields_without_schema_keep_their_values() -> None:
    assert replaced(None, {"b": 2}, renames="a:b") == {"b": 2}


def test_structs_of_another_schema() -> None:
    one, other = struct("s", ("x", INT32)), struct("s", ("x", STRING))
    schema = struct("row", ("a", one), ("b", other))
    values = {"a": {"x": 1}, "b": {"x": "y"}}
    with pytest.raises(TransformError, match="Struct schemas do not match"):
        replaced(schema, values, exclude="a", renames="a:b")


def test_bytes_fit_a_bit_column_as_in_java() -> None:
    row = struct("row", ("a", BYTES), ("b", bits(8)))
    assert replaced(row, {"a": b"x", "b": b"y"}, exclude="a", renames="a:b") == {"b": b"x"}
