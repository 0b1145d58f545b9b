"""Kafka Connect's InsertField: adds fields with metadata of the record or a fixed text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from connector.config import ConfigDef, ConfigKey
from connector.data.record import Record
from connector.data.schema import INT32, STRING, Field, Schema
from connector.data.semantic import CONNECT_TIMESTAMP
from connector.errors import ConfigError
from connector.transforms.part import (
    KEY,
    REPLACE_NULLS,
    VALUE,
    Rewrite,
    StructTransform,
    Values,
    copying,
    struct_like,
)

_OPTIONAL = "A name with ! at its end makes the field required, with ? (the default) optional."


class _Insertion(NamedTuple):
    """A field to insert; ``read`` returns its value, None to leave it out."""

    name: str
    schema: Schema
    read: Callable[[Record], Any]


class InsertField(StructTransform):
    """Inserts the topic, partition or timestamp of the record, or a fixed text."""

    config_def = ConfigDef(
        [
            ConfigKey("topic.field", "STRING", None, "MEDIUM", f"Field for the topic. {_OPTIONAL}"),
            ConfigKey(
                "partition.field", "STRING", None, "MEDIUM", f"Field for the partition. {_OPTIONAL}"
            ),
            ConfigKey(
                "offset.field", "STRING", None, "MEDIUM", "Sink connectors only: refused here."
            ),
            ConfigKey(
                "timestamp.field", "STRING", None, "MEDIUM", f"Field for the timestamp. {_OPTIONAL}"
            ),
            ConfigKey(
                "static.field", "STRING", None, "MEDIUM", f"Field for a fixed text. {_OPTIONAL}"
            ),
            ConfigKey("static.value", "STRING", None, "MEDIUM", "The text of static.field."),
            REPLACE_NULLS,
        ]
    )
    purpose = "field insertion"

    def configure(self, options: Mapping[str, Any]) -> None:
        """Take the settings."""
        text = options["static.value"]
        if options["static.field"] is not None and text is None:
            raise ConfigError("No value specified for static field: set static.value.")
        if options["offset.field"] is not None:
            raise ConfigError("offset.field works in sink connectors only.")
        self._insertions = [
            _insertion(options[key], schema, read)
            for key, schema, read in (
                ("topic.field", STRING, lambda record: record.topic),
                ("partition.field", INT32, lambda record: record.partition),
                ("timestamp.field", CONNECT_TIMESTAMP, lambda record: record.timestamp),
                ("static.field", STRING, lambda _: text),
            )
            if options[key] is not None
        ]
        if not self._insertions:
            raise ConfigError("No field insertion configured")
        self._defaults: bool = options["replace.null.with.default"]

    def rewrite(self, schema: Schema) -> Rewrite:
        """Add the fields at the end."""
        added = (Field(insertion.name, insertion.schema) for insertion in self._insertions)
        copy = copying(schema, defaults=self._defaults)
        return Rewrite(
            struct_like(schema, [*schema.fields, *added]),
            lambda values, record: self._insert(copy(values), record),
        )

    def rewrite_map(self, values: Values, record: Record) -> Values:
        """Add the members."""
        return self._insert(dict(values), record)

    def _insert(self, values: Values, record: Record) -> Values:
        for name, _, read in self._insertions:
            value = read(record)
            if value is not None:
                values[name] = value
        return values


def _insertion(spec: str, schema: Schema, read: Callable[[Record], Any]) -> _Insertion:
    if spec.endswith("!"):
        return _Insertion(spec[:-1], schema, read)
    return _Insertion(spec.removesuffix("?"), schema.as_optional(), read)


class InsertFieldKey(InsertField):
    """For keys."""

    part = KEY


class InsertFieldValue(InsertField):
    """For values."""

    part = VALUE
