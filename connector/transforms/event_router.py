"""Debezium's outbox EventRouter: rows of an outbox table become messages of their own topics."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from connector import names
from connector.config import ConfigDef
from connector.data.record import Header, Record
from connector.data.schema import STRING, Field, Schema
from connector.errors import TransformError
from connector.transforms.envelopes import is_envelope
from connector.transforms.field_checks import check_of
from connector.transforms.outbox_keys import (
    OUTBOX_KEYS,
    PLACEMENT,
    parse_placements,
    with_new_names,
)
from connector.transforms.outbox_values import EnvelopeSchemas, PayloadExpansion
from connector.transforms.part import Values, require_struct, value_or_default
from connector.transforms.regex_router import RegexRouter
from connector.transforms.trace_context import TraceContext

log = logging.getLogger(__name__)

_PER_MILLISECOND: Final = {
    names.TIMESTAMP: 1,
    names.MICRO_TIMESTAMP: 1_000,
    names.NANO_TIMESTAMP: 1_000_000,
}


class OutboxRow(NamedTuple):
    """A row of the outbox table."""

    schema: Schema
    values: Values

    def get(self, name: str) -> Any:
        """Return the value of a column, or its default."""
        return value_or_default(self.field(name).schema, self.values.get(name))

    def field(self, name: str) -> Field:
        """Return a column; one that does not exist raises."""
        field = self.schema.field(name)
        if field is None:
            raise TransformError(f"{name} is not a valid field name")
        return field

    def typed(self, name: str, kind: str) -> Any:
        """Return the value of a column that has to be of a type."""
        if self.field(name).schema.type != kind:
            raise TransformError(f"Field '{name}' is not of type {kind.upper()}")
        return self.values.get(name)


class EventRouter:
    """Routes inserted rows; deletes and tombstones are dropped, updates are not expected."""

    config_def = ConfigDef(OUTBOX_KEYS)

    def __init__(self, config: Mapping[str, str]) -> None:
        options = with_new_names(config, self.config_def.parse(config))
        self._trace = TraceContext(options)
        self._id: str = options["table.field.event.id"]
        self._key: str = options["table.field.event.key"]
        self._payload: str = options["table.field.event.payload"]
        self._timestamp: str | None = options["table.field.event.timestamp"]
        self._version: str | None = options["table.field.event.schema.version"]
        self._route: str = options["route.by.field"]
        self._tombstones: bool = options["route.tombstone.on.empty.payload"]
        self._on_update: str = options["table.op.invalid.behavior"].strip().lower()
        self._ignores = options["table.field.additional.missing"].strip().lower() == "ignore"
        self._placed = parse_placements(options[PLACEMENT] or [])
        envelope = [placed for placed in self._placed if placed.place == "envelope"]
        self._schemas = EnvelopeSchemas(envelope, ignores_missing=self._ignores)
        self._wraps = bool(envelope)
        self._expansion = PayloadExpansion(self._payload, options)
        self._router = RegexRouter(
            {
                "regex": options["route.topic.regex"],
                "replacement": options["route.topic.replacement"],
            }
        )

    def apply(self, record: Record) -> Record | None:
        """Route an insert; what is no event of a row passes."""
        if record.value is None:
            return None
        if not is_envelope(record):
            return record
        op = record.value.get("op")
        if op == "d":
            return None
        if op == "u":
            self._refuse_update()
            return None
        return self._routed(record, self._row(record))

    def _refuse_update(self) -> None:
        text = "Unexpected update message received"
        if self._on_update == "fatal":
            raise TransformError(f"{text} while table.op.invalid.behavior is fatal.")
        log.log(
            logging.WARNING if self._on_update == "warn" else logging.ERROR, "%s and ignored", text
        )

    def _row(self, record: Record) -> OutboxRow:
        assert record.value_schema is not None
        after = record.value_schema.field("after")
        if after is None:
            raise TransformError("Unknown field: after")
        values = record.value.get("after")
        require_struct(after.schema, values, "Read Outbox Event")
        return OutboxRow(after.schema, values)

    def _routed(self, record: Record, row: OutboxRow) -> Record:
        payload_field = row.schema.field(self._payload)
        if payload_field is None:
            raise TransformError(f"Unable to find payload field {self._payload} in event")
        self._trace.add_headers(record)
        record.timestamp = self._time(record.value, row)
        event_id, payload = row.get(self._id), row.get(self._payload)
        record.headers.append(Header("id", row.field(self._id).schema, event_id))
        schema, payload = self._expansion.expand(payload_field.schema, payload)
        value_schema, value = (
            self._wrapped(schema, payload, row) if self._wraps else (schema, payload)
        )
        record.partition = self._place(record, row)
        if self._tombstones and _is_empty(payload):
            value_schema = value = None
        record.topic = self._topic(row)
        key = row.schema.field(self._key)
        record.key_schema, record.key = STRING if key is None else key.schema, row.get(self._key)
        record.value_schema, record.value = value_schema, value
        return self._router.apply(record)

    def _topic(self, row: OutboxRow) -> str:
        topic: str | None = row.typed(self._route, "string")
        if topic is None:
            raise TransformError(f"The column {self._route} is null: there is no topic.")
        return topic

    def _time(self, envelope: Values, row: OutboxRow) -> int | None:
        now: int | None = envelope.get("ts_ms")
        if self._timestamp is None:
            return now
        field = row.schema.field(self._timestamp)
        if field is None:
            raise TransformError(f"Unable to find timestamp field {self._timestamp} in event")
        time: int | None = row.typed(self._timestamp, "int64")
        if time is None:
            return now
        if field.schema.name is None:
            raise TransformError(
                f"Unsupported field type {field.schema.type.upper()} (without logical schema name) "
                "for event timestamp"
            )
        divisor = _PER_MILLISECOND.get(field.schema.name)
        if divisor is None:
            raise TransformError(f"Unsupported field type {field.schema.name} for event timestamp")
        return time // divisor if time >= 0 else -(-time // divisor)

    def _wrapped(
        self, payload_schema: Schema | None, payload: Any, row: OutboxRow
    ) -> tuple[Schema, Values]:
        """Return the schema and value of an envelope around the payload."""
        version = None if self._version is None else row.typed(self._version, "int32")
        routed = row.typed(self._route, "string")
        if payload_schema is None:
            raise TransformError("The payload has no schema, so no envelope can hold it.")
        if self._version is None:
            schema = self._schemas.of(payload_schema, row.schema, routed)
        else:
            schema = self._schemas.versioned(payload_schema, row.schema, routed, version)
        values = {"payload": _fitting(payload, payload_schema, schema, "payload")}
        for placed in self._placed:
            if placed.place == "envelope" and schema.field(placed.name) is not None:
                value, source = row.get(placed.column), row.field(placed.column).schema
                values[placed.name] = _fitting(value, source, schema, placed.name)
        return schema, values

    def _place(self, record: Record, row: OutboxRow) -> int | None:
        """Put columns into headers; return the partition that a column holds."""
        partition: int | None = None
        for place, column, name in self._placed:
            if self._ignores and row.schema.field(column) is None:
                continue
            if place == "header":
                record.headers.append(Header(name, row.field(column).schema, row.get(column)))
            elif place == "partition":
                partition = row.typed(column, "int32")
        return partition


def _fitting(value: Any, source: Schema, envelope: Schema, name: str) -> Any:
    """Return a value; the envelope may have the schema of another event, which it has to fit."""
    field = envelope.field(name)
    assert field is not None, "the envelope has the field"
    return value if field.schema is source else check_of(source, field)(value)


def _is_empty(payload: Any) -> bool:
    return payload is None or (isinstance(payload, str) and not payload.strip())
