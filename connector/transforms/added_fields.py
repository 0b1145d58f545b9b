"""The settings add.fields and add.headers of ExtractNewRecordState: metadata by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from connector.data.java import split
from connector.data.record import Record
from connector.data.schema import Field, Schema
from connector.data.schema_cache import SchemaCache
from connector.data.symbolic import require_known
from connector.errors import ConfigError, TransformError
from connector.transforms.part import Values, struct_like

_TRANSACTION: Final = ("id", "total_order", "data_collection_order")
_ENVELOPE: Final = ("op", "ts_ms", "ts_us", "ts_ns")


class AddedField(NamedTuple):
    """One requested field: the struct of the envelope that holds it, its name, its new name."""

    struct: str | None
    field: str
    name: str


class Found(NamedTuple):
    """Where a requested field is, and the schema of what is added."""

    struct: str | None
    field: str
    schema: Schema

    def value(self, envelope: Values) -> Any:
        """Return the value; null if the event has no such struct, such as a transaction."""
        parent = envelope if self.struct is None else envelope.get(self.struct)
        return None if parent is None else parent.get(self.field)


class AddedFields:
    """Adds fields of the envelopes of one schema to their rows."""

    def __init__(self, found: Sequence[tuple[str, Found]]) -> None:
        self._found = found
        self._schemas = SchemaCache(self._schema)

    def add(self, record: Record, envelope: Values) -> Record:
        """Add them to the row in the record's value."""
        assert record.value_schema is not None
        record.value_schema = self._schemas.of(record.value_schema)
        if self._found:
            added = {name: _field_value(found, envelope) for name, found in self._found}
            record.value = {**record.value, **added}
        return record

    def _schema(self, row: Schema) -> Schema:
        # As in Debezium the schema of a struct loses its fields, so that no struct fits it.
        added = (Field(name, found.schema.with_changes(fields=())) for name, found in self._found)
        return struct_like(row, [*row.fields, *added])


def _field_value(found: Found, envelope: Values) -> Any:
    value = found.value(envelope)
    if found.schema.type == "struct" and require_known(value) is not None:
        raise TransformError("Struct schemas do not match.")
    return value


def parse_added(prefix: str, fields: Sequence[str]) -> list[AddedField]:
    """Read names such as ``op``, ``source.ts_ms`` and ``table:from``.

    :raises ConfigError: one has another form.
    """
    return [_parse(prefix, text) for text in fields]


def _parse(prefix: str, text: str) -> AddedField:
    """Read one name; a part of it may be empty, which names no field."""
    parts = split(text, ":")
    steps = split(parts[0], ".") if parts else []
    if not steps or len(parts) > 2:
        raise ConfigError(f"Unexpected field name: {text}")
    field = steps[-1] if len(steps) == 1 else steps[1]
    struct = _struct_of(field) if len(steps) == 1 else steps[0]
    name = parts[1] if len(parts) > 1 else "_".join(steps[:2])
    return AddedField(struct, field, prefix + name)


def _struct_of(field: str) -> str | None:
    if field in _TRANSACTION:
        return "transaction"
    return None if field in _ENVELOPE else "source"


def find_all(fields: Sequence[AddedField], envelope: Schema) -> list[tuple[str, Found]]:
    """Return the new names of the fields that envelopes of a schema have, and where they are."""
    found = ((added.name, _find(added, envelope)) for added in fields)
    return [(name, place) for name, place in found if place is not None]


def _find(added: AddedField, envelope: Schema) -> Found | None:
    parent = envelope
    if added.struct is not None:
        field = envelope.field(added.struct)
        if field is None:
            raise TransformError(f"{added.struct} is not a field of the event.")
        parent = field.schema
        if parent.type != "struct":
            raise TransformError(f"{added.struct} is not a struct of the event.")
    inner = parent.field(added.field)
    if inner is not None:
        return Found(added.struct, added.field, _optional(inner.schema))
    outer = envelope.field(added.field)
    return None if outer is None else Found(None, added.field, _optional(outer.schema))


def _optional(schema: Schema) -> Schema:
    return schema.with_changes(optional=True, default=None)
