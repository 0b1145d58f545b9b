"""Debezium's ExtractSchemaToNewRecord: events carry the columns of their table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from connector.config import ConfigDef
from connector.data.record import Record
from connector.data.schema import (
    OPTIONAL_INT32,
    OPTIONAL_STRING,
    STRING,
    Field,
    Schema,
    array,
    struct,
)
from connector.data.schema_cache import SchemaCache
from connector.errors import TransformError
from connector.names import SOURCE_COLUMN
from connector.transforms.envelopes import is_envelope
from connector.transforms.part import Values, struct_like

_COLUMN: Final = struct(
    "io.debezium.connector.source.schema.Column",
    ("name", STRING),
    ("typeName", STRING),
    ("length", OPTIONAL_INT32),
    ("scale", OPTIONAL_INT32),
    ("comment", OPTIONAL_STRING),
    version=1,
)
_TABLE: Final = struct(
    "io.debezium.connector.source.schema.Table", ("columns", array(_COLUMN)), version=1
)
_SOURCE_SCHEMA: Final = struct(
    "io.debezium.connector.source.Schema", ("id", STRING), ("table", _TABLE), version=1
)
_FIELD: Final = "sourceSchema"


class _WithColumns(NamedTuple):
    """The schema of envelopes with the columns, and the columns."""

    schema: Schema
    columns: Values


class ExtractSchemaToNewRecord:
    """Adds ``sourceSchema`` to row events; the columns come from the parameters of the schema."""

    config_def = ConfigDef()

    def __init__(self, config: Mapping[str, str]) -> None:
        self.config_def.parse(config)
        self._described = SchemaCache(_describe)

    def apply(self, record: Record) -> Record:
        """Add the columns to a row event; TRUNCATE events and others stay as they are."""
        value = record.value
        if value is None or not is_envelope(record):
            return record
        if value.get("after") is None and value.get("before") is None:
            return record
        assert record.value_schema is not None
        described = self._described.of(record.value_schema, value["source"]["table"])
        record.headers = record.headers.copy()
        record.value_schema = described.schema
        record.value = {**value, _FIELD: described.columns}
        return record


def _describe(envelope: Schema, table: str) -> _WithColumns:
    after = envelope.field("after")
    assert after is not None, "an envelope has a row after the change"
    columns = [_column(field.schema.parameters or {}) for field in after.schema.fields]
    schema = struct_like(envelope, [*envelope.fields, Field(_FIELD, _SOURCE_SCHEMA)])
    return _WithColumns(schema, {"id": table, "table": {"columns": columns}})


def _column(parameters: Mapping[str, str]) -> dict[str, Any]:
    found = {
        name: parameters.get(SOURCE_COLUMN + name)
        for name in ("name", "type", "length", "scale", "comment")
    }
    if found["name"] is None or found["type"] is None:
        raise TransformError(
            'Ensure that enable configurations "column.propagate.source.type" or '
            '"datatype.propagate.source.type" and the value is set to ".*"'
        )
    length, scale = found["length"], found["scale"]
    return {
        "name": found["name"],
        "typeName": found["type"],
        "length": None if length is None else int(length),
        "scale": None if scale is None else int(scale),
        "comment": found["comment"],
    }
