"""Debezium's EnforceRecordSize: long columns of events that are too large are cut."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any, Final

from connector.config import REQUIRED, ConfigDef, ConfigKey, invalid
from connector.data.record import Record
from connector.data.schema import Schema
from connector.transforms.part import Values, value_or_default
from connector.transforms.record_size import record_size

_ROWS: Final = ("before", "after")


class EnforceRecordSize:
    """Cuts texts and binary columns, each in proportion to its length."""

    config_def = ConfigDef(
        [
            ConfigKey(
                "max.bytes", "INT", REQUIRED, "HIGH",
                "Estimated size in bytes that no event should exceed.",
            ),
            ConfigKey(
                "compression.ratio", "DOUBLE", 1.0, "MEDIUM",
                "Factor from the estimated size to that of the message.",
            ),
            ConfigKey(
                "min.field.size", "INT", 25000, "MEDIUM",
                "Columns up to this length are not cut.",
            ),
        ]
    )  # fmt: skip

    def __init__(self, config: Mapping[str, str]) -> None:
        options = self.config_def.parse(config)
        self._max: int = options["max.bytes"]
        self._ratio: float = options["compression.ratio"]
        self._min: int = options["min.field.size"]
        if self._max <= 0:
            raise invalid("max.bytes", self._max, "Must be a positive integer")
        if not self._ratio > 0:
            raise invalid("compression.ratio", self._ratio, "Must be a positive number")
        if self._min < 0:
            raise invalid("min.field.size", self._min, "Must be non-negative")

    def apply(self, record: Record) -> Record:
        """Cut the columns of the rows in an event that is too large."""
        schema = record.value_schema
        if record.value is None or schema is None or schema.type != "struct":
            return record
        excess = ceil(record_size(record) * self._ratio) - self._max
        if excess <= 0:
            return record
        long = {name: self._long(schema, record.value, name) for name in _ROWS}
        sums = {name: sum(map(_length, values.values())) for name, values in long.items()}
        total = sum(sums.values())
        if total == 0:
            return record
        rows = {
            name: record.value[name] | _cut(values, sums[name], ceil(sums[name] / total * excess))
            for name, values in long.items()
            if values
        }
        record.headers = record.headers.copy()
        record.value = {**record.value, **rows}
        return record

    def _long(self, envelope: Schema, value: Values, name: str) -> Values:
        """Return the columns of a row that are cut."""
        field, row = envelope.field(name), value.get(name)
        if field is None or field.schema.type != "struct" or row is None:
            return {}
        members = (
            (column.name, value_or_default(column.schema, row.get(column.name)))
            for column in field.schema.fields
            if _is_text_or_binary(column.schema)
        )
        return {
            column: member
            for column, member in members
            if member is not None and _length(member) > self._min
        }


def _is_text_or_binary(schema: Schema) -> bool:
    """Return whether values can be cut; named bytes are decimals and bit strings."""
    return schema.type == "string" or (schema.type == "bytes" and schema.name is None)


def _length(value: Any) -> int:
    """Return the length of a text as Java counts it, or that of bytes."""
    return len(value) if isinstance(value, bytes) else len(_units(value)) // 2


def _units(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")


def _cut(values: Values, length: int, excess: int) -> Values:
    """Return the columns without ``excess`` of their ``length``, at most all of it."""
    kept = {
        name: max(0, _length(value) - ceil(_length(value) / length * excess))
        for name, value in values.items()
    }
    return {name: _prefix(value, kept[name]) for name, value in values.items()}


def _prefix(value: Any, length: int) -> Any:
    if isinstance(value, bytes):
        return value[:length]
    # half of a character that is a pair in Java does not stay
    return _units(value)[: 2 * length].decode("utf-16-le", "ignore")
