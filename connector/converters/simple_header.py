"""Kafka Connect's SimpleHeaderConverter: strings as they are, the rest like JSON."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from connector.config import ConfigDef
from connector.data.java import connect_date_text, decimal_text, double_text, float_text
from connector.data.schema import Field, Schema
from connector.data.semantic import JAVA_DATES
from connector.names import CONNECT_DECIMAL


class SimpleHeaderConverter:
    """Writes the value of a record header."""

    config_def = ConfigDef()

    def __init__(self, config: Mapping[str, str] | None = None) -> None:
        self.config_def.parse(config or {})

    def from_header(self, name: str, schema: Schema | None, value: Any) -> bytes | None:  # noqa: ARG002 - other converters need the name
        """Return the bytes of a header's value, None for null."""
        if value is None:
            return None
        if isinstance(value, str):
            return value.encode()
        return b64encode(value) if isinstance(value, bytes) else _text(schema, value).encode()


def _text(schema: Schema | None, value: Any) -> str:
    """Write a value; strings and bytes stand in quotes, as they do inside others."""
    if value is None:
        return "null"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return f'"{b64encode(value).decode("ascii")}"'
    if isinstance(value, float):
        return float_text(value) if schema and schema.type == "float32" else double_text(value)
    if isinstance(value, int):
        return _number(schema, value)
    if schema is not None and schema.type == "struct":
        members = (
            f"{_text(None, field.name)}:{_member(field, value.get(field.name))}"
            for field in schema.fields
        )
        return "{" + ",".join(members) + "}"
    if isinstance(value, Mapping):
        keys, items = (schema.keys, schema.items) if schema else (None, None)
        pairs = (f"{_text(keys, key)}:{_text(items, item)}" for key, item in value.items())
        return "{" + ",".join(pairs) + "}"
    items = schema.items if schema else None
    return "[" + ",".join(_text(items, item) for item in value) + "]"


def _member(field: Field, value: Any) -> str:
    """Write a member of a struct; Connect's structs give a default where there is a null."""
    return _text(field.schema, field.schema.default if value is None else value)


def _number(schema: Schema | None, value: int) -> str:
    if schema is not None and schema.name == CONNECT_DECIMAL:
        return decimal_text(value, int((schema.parameters or {}).get("scale", "0")))
    if schema is not None and schema.name in JAVA_DATES:
        return connect_date_text(value * JAVA_DATES[schema.name])
    return str(value)
