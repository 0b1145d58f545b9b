"""Kafka Connect's HeaderFrom: fields of the key or value become headers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from connector.config import REQUIRED, ConfigDef, ConfigKey, one_of
from connector.data.record import Header, Record
from connector.data.schema import Field, Schema
from connector.errors import ConfigError, TransformError
from connector.transforms.part import (
    KEY,
    REPLACE_NULLS,
    VALUE,
    Rewrite,
    StructTransform,
    Values,
    struct_like,
    value_or_default,
)
from connector.transforms.validators import empty_list


class HeaderFrom(StructTransform):
    """Copies or moves fields into headers."""

    config_def = ConfigDef(
        [
            ConfigKey("fields", "LIST", REQUIRED, "HIGH", "The fields.", validator=empty_list),
            ConfigKey(
                "headers", "LIST", REQUIRED, "HIGH", "The header of each field, in their order.",
                validator=empty_list,
            ),
            ConfigKey(
                "operation", "STRING", REQUIRED, "HIGH",
                "move takes the fields out of the key or value, copy leaves them there.",
                validator=one_of("move", "copy", case_sensitive=True),
            ),
            REPLACE_NULLS,
        ]
    )  # fmt: skip
    passes_null = False

    def configure(self, options: Mapping[str, Any]) -> None:
        """Take the settings."""
        fields, headers = options["fields"], options["headers"]
        if len(fields) != len(headers):
            raise ConfigError(
                "'fields' config must have the same number of elements as 'headers' config."
            )
        self._pairs = list(zip(fields, headers, strict=True))
        self._moves: bool = options["operation"] == "move"
        self._defaults: bool = options["replace.null.with.default"]
        self.purpose = f"header {options['operation']}"  # type: ignore[misc]  # it depends

    def rewrite(self, schema: Schema) -> Rewrite:
        """Decide which fields stay."""
        chosen = [(self._field(schema, name), header) for name, header in self._pairs]
        names = {name for name, _ in self._pairs} if self._moves else set()
        kept = [field for field in schema.fields if field.name not in names]

        def values(struct: Values, record: Record) -> Values:
            record.headers = [
                *record.headers,
                *(Header(name, field.schema, self._value(field, struct)) for field, name in chosen),
            ]
            return {f.name: self._value(f, struct) for f in kept} if self._moves else struct

        return Rewrite(struct_like(schema, kept) if self._moves else schema, values)

    def _value(self, field: Field, struct: Values) -> Any:
        return value_or_default(field.schema, struct.get(field.name), defaults=self._defaults)

    def rewrite_map(self, values: Values, record: Record) -> Values:
        """Do the same to the members of a map."""
        record.headers = [
            *record.headers,
            *(Header(header, None, values.get(name)) for name, header in self._pairs),
        ]
        moved = {name for name, _ in self._pairs} if self._moves else set()
        return {name: value for name, value in values.items() if name not in moved}

    @staticmethod
    def _field(schema: Schema, name: str) -> Field:
        field = schema.field(name)
        if field is None:
            raise TransformError(f"Field does not exist: {name}")
        return field


class HeaderFromKey(HeaderFrom):
    """For keys."""

    part = KEY


class HeaderFromValue(HeaderFrom):
    """For values."""

    part = VALUE
