"""Debezium's HeaderToValue: headers become fields of the value."""

from __future__ import annotations

from collections.abc import Mapping

from connector.config import ConfigDef, ConfigKey
from connector.data.java import without_empty_end
from connector.data.record import Record
from connector.data.schema_cache import SchemaCache
from connector.errors import ConfigError, TransformError
from connector.transforms.envelopes import enum_of, require
from connector.transforms.nested_fields import NestedValue, schema_with, values_with
from connector.transforms.part import require_struct


def _names(key: str, values: list[str]) -> list[str]:
    names = without_empty_end(values)
    if "" in names:
        raise ConfigError(f"The '{key}' value is invalid: Empty string element(s) not permitted")
    return names


class HeaderToValue:
    """Copies or moves headers."""

    config_def = ConfigDef(
        [
            ConfigKey(
                "headers", "LIST", None, "HIGH", "Names of headers.", order=1,
                display_name="Header names list",
            ),
            ConfigKey(
                "fields", "LIST", None, "HIGH",
                "The field of each header, in their order; a dot leads into a struct.", order=1,
                display_name="Field names list",
            ),
            ConfigKey(
                "operation", "STRING", None, "HIGH", "move removes the header, copy keeps it.",
                order=1, display_name="Operation: mover or copy",
                validator=enum_of("move", "copy"),
            ),
        ]
    )  # fmt: skip

    def __init__(self, config: Mapping[str, str]) -> None:
        options = self.config_def.parse(config)
        require(options, "headers", "fields", "operation")
        headers, fields = (_names(key, options[key]) for key in ("headers", "fields"))
        if len(headers) != len(fields):
            raise ConfigError(
                "'fields' config must have the same number of elements as 'headers' config."
            )
        self._fields = dict(reversed(list(zip(headers, fields, strict=True))))
        self._moves = options["operation"].strip().lower() == "move"
        self._schemas = SchemaCache(schema_with)

    def apply(self, record: Record) -> Record:
        """Add the headers that the record has."""
        if record.value is None:
            return record
        entries = [
            NestedValue(self._fields[header.name], header.schema, header.value)
            for header in record.headers
            if header.name in self._fields
        ]
        schema = record.value_schema
        if schema is None:
            raise TransformError("Only Struct objects supported for [Header field insertion]")
        require_struct(schema, record.value, "Header field insertion")
        if not entries:
            return record
        # As in Debezium, the first record of a schema decides which fields its schema gets.
        new = self._schemas.of(schema, entries)
        record.value = values_with(schema, record.value, new, entries)
        record.value_schema = new
        if self._moves:
            record.headers = [
                header for header in record.headers if header.name not in self._fields
            ]
        return record
