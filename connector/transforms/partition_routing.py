"""Debezium's PartitionRouting: fields of an event choose the partition."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from connector.config import ConfigDef, ConfigKey, invalid
from connector.data.java import split, without_empty_end
from connector.data.java_hashes import hash_code, murmur
from connector.data.record import Record
from connector.data.schema import Schema
from connector.errors import ConfigError, TransformError
from connector.transforms.envelopes import is_envelope, require
from connector.transforms.part import value_or_default

_LARGEST = (1 << 31) - 1


class PartitionRouting:
    """Sends events whose fields are equal to one partition."""

    config_def = ConfigDef(
        [
            ConfigKey(
                "partition.payload.fields", "LIST", None, "HIGH",
                "Paths such as source.table or change.name: change is the row after the change, "
                "and the row before a delete.", "partitions", 1,
                display_name="List of payload fields to use for compute partition.",
            ),
            ConfigKey(
                "partition.topic.num", "INT", None, "HIGH", "How many partitions the topic has.",
                "partitions", 2, display_name="Number of partition configured for topic",
            ),
            ConfigKey(
                "partition.hash.function", "STRING", "java", "LOW", "java or murmur.",
                "partitions", 3, display_name="Hash function",
            ),
        ]
    )  # fmt: skip

    def __init__(self, config: Mapping[str, str]) -> None:
        options = self.config_def.parse(config)
        require(options, "partition.payload.fields", "partition.topic.num")
        paths = without_empty_end(options["partition.payload.fields"])
        self._paths = [[step.strip() for step in split(path, ".")] for path in paths]
        if any(path in ([], [""]) for path in self._paths):
            raise ConfigError("partition.payload.fields must not contain empty elements.")
        self._partitions: int = options["partition.topic.num"]
        if self._partitions <= 0:
            raise invalid("partition.topic.num", self._partitions, "A positive integer is expected")
        is_murmur = options["partition.hash.function"].strip().lower() == "murmur"
        self._hash: Callable[[Schema, Any], int] = murmur if is_murmur else hash_code

    def apply(self, record: Record) -> Record:
        """Set the partition; events without any of the fields keep theirs."""
        if record.value is None or not is_envelope(record) or record.value.get("op") in ("t", "m"):
            return record
        found = [self._find(record, path) for path in self._paths]
        hashes = [self._hashed(*place) for place in found if place is not None]
        if hashes:
            total = sum(hashes) & _LARGEST
            record.partition = (0 if total == _LARGEST else total) % self._partitions
        return record

    def _hashed(self, schema: Schema, value: Any) -> int:
        try:
            return self._hash(schema, value)
        except ValueError:
            raise TransformError(
                f"A {schema.type} cannot choose a partition; name a field within it."
            ) from None

    @staticmethod
    def _find(record: Record, path: list[str]) -> tuple[Schema, Any] | None:
        """Return the schema and value of a field, None if the event does not have it."""
        assert record.value_schema is not None
        schema, value = record.value_schema, record.value
        for index, step in enumerate(path):
            name = step
            if step == "change" and index < len(path) - 1:
                name = "before" if record.value.get("op") == "d" else "after"
            field = schema.field(name) if schema.type == "struct" else None
            if field is None:
                return None
            if value is None:
                raise TransformError(f"Unprocessable message: {'.'.join(path)} is within a null.")
            schema, value = field.schema, value_or_default(field.schema, value.get(name))
        return None if value is None else (schema, value)
