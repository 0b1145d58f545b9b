"""Debezium's TimezoneConverter: times of rows in another time zone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from connector import names
from connector.config import ConfigDef, ConfigKey
from connector.data.java import without_empty_end
from connector.data.record import Record
from connector.data.schema import Schema
from connector.data.schema_cache import SchemaCache
from connector.data.zones import Zone
from connector.errors import ConfigError, TransformError
from connector.transforms.envelopes import is_envelope, require
from connector.transforms.part import Convert, Values, value_or_default
from connector.transforms.timezone_rules import Fields, TimezoneRules

_UNITS: Final = {
    names.TIMESTAMP: 1_000,
    names.MICRO_TIMESTAMP: 1_000_000,
    names.NANO_TIMESTAMP: 1_000_000_000,
    names.CONNECT_TIMESTAMP: 1_000,
}
_SOURCE_UNITS: Final = {"ts_ms": 1_000, "ts_us": 1_000_000, "ts_ns": 1_000_000_000}


class _FieldConversion(NamedTuple):
    """A field to convert."""

    name: str
    schema: Schema
    convert: Convert


class TimezoneConverter:
    """Converts timestamps in ``before``, ``after`` and ``source``."""

    config_def = ConfigDef(
        [
            ConfigKey(
                "converted.timezone", "STRING", None, "HIGH",
                "The zone, such as Europe/Berlin, or an offset such as +08:00.", order=1,
                width="MEDIUM", display_name="Converted Timezone",
            ),
            ConfigKey(
                "include.list", "LIST", None, "HIGH",
                "Rules for what is converted: source:table, source:table:field, topic:name, "
                "topic:name:field or name:field; without rules everything is.",
                order=1, width="MEDIUM", display_name="Include List",
            ),
            ConfigKey(
                "exclude.list", "LIST", None, "HIGH", "Rules for what is not converted.",
                order=1, width="MEDIUM", display_name="Exclude List",
            ),
        ]
    )  # fmt: skip

    def __init__(self, config: Mapping[str, str]) -> None:
        options = self.config_def.parse(config)
        require(options, "converted.timezone")
        try:
            self._zone = Zone(options["converted.timezone"])
        except ValueError:
            raise ConfigError(
                "Invalid timezone format. Please specify either a geographic timezone (e.g. "
                "America/Los_Angeles) or a UTC offset in the format of +/-hh:mm, (e.g. +08:00)."
            ) from None
        self._rules = TimezoneRules(
            without_empty_end(options["include.list"] or []),
            without_empty_end(options["exclude.list"] or []),
        )
        self._known: dict[tuple[str, str | None], _Structs | None] = {}

    def apply(self, record: Record) -> Record:
        """Convert the times of an event."""
        if record.value is None or not is_envelope(record):
            return record
        assert record.value_schema is not None
        source = record.value.get("source")
        place = (record.topic, None if source is None else source.get("table"))
        if place not in self._known:
            fields = self._rules.of(*place)
            self._known[place] = None if fields is None else _Structs(fields, self._zone)
        structs = self._known[place]
        if structs is not None:
            record.value = structs.convert(record.value_schema, record.value)
        return record


class _Structs:
    """What is converted in the events of one table."""

    def __init__(self, fields: Fields, zone: Zone) -> None:
        self._fields = fields
        self._zone = zone
        self._changes = SchemaCache(self._of_envelope)

    def convert(self, schema: Schema, envelope: Values) -> Values:
        """Return the event with converted times."""
        new = dict(envelope)
        for part, changes in self._changes.of(schema):
            values = envelope.get(part)
            if values is None:
                continue
            # As in Debezium both records of a changed primary key share the source block, whose
            # times the second one finds converted already.
            new[part] = values = values if part == "source" else dict(values)
            for change in changes:
                value = value_or_default(change.schema, values.get(change.name))
                if value is not None:
                    values[change.name] = change.convert(value)
        return new

    def _of_envelope(self, schema: Schema) -> list[tuple[str, list[_FieldConversion]]]:
        found = []
        for part in ("before", "after", "source"):
            field = schema.field(part)
            listed = self._fields.of(part)
            if field is not None and field.schema.type == "struct" and listed is not None:
                found.append((part, list(self._of_struct(part, field.schema))))
        return [(part, changes) for part, changes in found if changes]

    def _of_struct(self, part: str, schema: Schema) -> list[_FieldConversion]:
        changes = []
        for field in schema.fields:
            convert = self._conversion(part, field.name, field.schema)
            if convert is not None and self._fields.includes(part, field.name):
                changes.append(_FieldConversion(field.name, field.schema, convert))
        return changes

    def _conversion(self, part: str, name: str, schema: Schema) -> Convert | None:
        """Return how a type is converted, None if it is no timestamp."""
        zone = self._zone
        if schema.name == names.ZONED_TIMESTAMP:
            return self._text
        if schema.name in _UNITS:
            unit = _UNITS[schema.name]
            return lambda value: value - zone.offset_of_clock(value // unit) * unit
        if part == "source" and schema.name is None and name in _SOURCE_UNITS:
            unit = _SOURCE_UNITS[name]
            return lambda value: value + zone.offset_at(value // unit) * unit
        return None

    def _text(self, text: str) -> str:
        try:
            return self._zone.convert(text)
        except ValueError:
            raise TransformError("A text could not be parsed as a time") from None
