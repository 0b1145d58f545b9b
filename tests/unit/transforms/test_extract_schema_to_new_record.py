"""Events that carry the columns of their table."""

from __future__ import annotations

import pytest

from connector.data.record import Record
from connector.data.schema import INT32, OPTIONAL_STRING, STRING, Schema, struct
from connector.errors import TransformError
from connector.transforms.extract_schema_to_new_record import ExtractSchemaToNewRecord


def described(schema: Schema, **parameters: str) -> Schema:
    return schema.with_changes(
        parameters={f"__debezium.source.column.{name}": text for name, text in parameters.items()}
    )


def record(*fields: tuple[str, Schema], after: bool = True) -> Record:
    row = struct("t.Value", *fields, optional=True)
    source = struct("source", ("table", STRING))
    envelope = struct("t.Envelope", ("before", row), ("after", row), ("source", source), version=2)
    value = {
        "before": None,
        "after": {name: None for name, _ in fields} if after else None,
        "source": {"table": "customers"},
    }
    return Record("t", None, None, None, envelope, value)


ID = ("id", described(INT32, name="Id", type="INT"))
PRICE = (
    "price",
    described(OPTIONAL_STRING, name="price", type="DECIMAL", length="6", scale="2", comment="EUR"),
)


def test_the_columns_are_added() -> None:
    event = record(ID, PRICE)
    before = event.value
    changed = ExtractSchemaToNewRecord({}).apply(event)
    unknown = {"length": None, "scale": None, "comment": None}
    assert changed.value == before | {
        "sourceSchema": {
            "id": "customers",
            "table": {
                "columns": [
                    {"name": "Id", "typeName": "INT", **unknown},
                    {
                        "name": "price", "typeName": "DECIMAL", "length": 6, "scale": 2,
                        "comment": "EUR",
                    },
                ]
            },
        }
    }  # fmt: skip
    assert "sourceSchema" not in before, "other records share the value"
    assert changed.value_schema is not None
    assert (changed.value_schema.name, changed.value_schema.version) == ("t.Envelope", 2)
    assert [field.name for field in changed.value_schema.fields][-1] == "sourceSchema"


def test_truncates_tombstones_and_other_records_stay() -> None:
    transform = ExtractSchemaToNewRecord({})
    truncate, other = record(ID, after=False), Record("t", None, None, None, STRING, "text")
    tombstone = Record("t", None, None, None, None, None)
    assert "sourceSchema" not in transform.apply(truncate).value
    assert transform.apply(other).value == "text"
    assert transform.apply(tombstone).value is None


def test_columns_without_source_type_are_an_error() -> None:
    with pytest.raises(TransformError, match=r"column\.propagate\.source\.type"):
        ExtractSchemaToNewRecord({}).apply(record(ID, ("name", OPTIONAL_STRING)))
