"""JSON Schemas that a registry holds, beside those of a table."""

from __future__ import annotations

import json
from typing import Any

import pytest

from connector.converters.json_schema.payload import JsonPayload
from connector.converters.json_schema.registered import same_shape
from connector.converters.json_schema.schemas import JsonSchemaWriter
from connector.data.schema import INT32, OPTIONAL_STRING, STRING, Schema, struct

ROW = struct("a", ("id", INT32), ("n", OPTIONAL_STRING))
INTEGER = {"type": "integer"}
NAME = {"oneOf": [{"type": "null"}, {"type": "string"}]}


def text(schema: Schema, *, additional: bool = True) -> str:
    payload = JsonPayload(numeric_decimals=False, defaults=True, kept=10)
    return JsonSchemaWriter(payload.default, additional_properties=additional).text(schema)


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def test_schemas_of_one_shape() -> None:
    assert same_shape(text(ROW), text(ROW.with_changes(name="b", doc="other")), {})
    assert same_shape(text(ROW), text(ROW)[:-1] + ',"additionalProperties":true}', {})
    assert not same_shape(text(ROW), text(ROW, additional=False), {})
    assert not same_shape(text(ROW), text(struct("a", ("id", INT32))), {})
    assert not same_shape(text(ROW), text(struct("a", ("id", STRING), ("n", OPTIONAL_STRING))), {})


def test_the_order_of_branches_does_not_matter() -> None:
    reversed_name = {"oneOf": list(reversed(NAME["oneOf"]))}
    registered = json.dumps(_object(id=INTEGER, n=reversed_name))
    assert same_shape(registered, text(ROW), {})
    other = json.dumps(_object(id=INTEGER, n={"oneOf": [{"type": "null"}, INTEGER]}))
    assert not same_shape(other, text(ROW), {})


@pytest.mark.parametrize(
    ("registered", "references"),
    [
        (_object(id=INTEGER, n={"$ref": "name"}), {"name": NAME}),
        (_object(id={"$ref": "id"}, n={"$ref": "name"}), {"id": INTEGER, "name": NAME}),
        (_object(id=INTEGER, n={"$ref": "#/definitions/n"}) | {"definitions": {"n": NAME}}, {}),
        ({"$ref": "row"}, {"row": _object(id=INTEGER, n={"$ref": "name"}), "name": NAME}),
        (
            {"$ref": "row"},
            {"row": _object(id=INTEGER, n={"$ref": "#/$defs/n"}) | {"$defs": {"n": NAME}}},
        ),
    ],
)
def test_parts_that_stand_elsewhere(registered: Any, references: dict[str, Any]) -> None:
    others = {name: json.dumps(schema) for name, schema in references.items()}
    assert same_shape(json.dumps(registered), text(ROW), others)
    wider = text(struct("a", ("id", INT32), ("n", OPTIONAL_STRING), ("x", INT32)))
    assert not same_shape(json.dumps(registered), wider, others)


@pytest.mark.parametrize("name", ["missing", "#/definitions/missing", "#", "self", "other"])
def test_references_that_lead_nowhere(name: str) -> None:
    registered = json.dumps(_object(id=INTEGER, n={"$ref": name}))
    references = {
        "self": json.dumps({"oneOf": [{"$ref": "self"}]}),
        "other": json.dumps({"items": {"$ref": "self"}}),
    }
    assert not same_shape(registered, text(ROW), references)
