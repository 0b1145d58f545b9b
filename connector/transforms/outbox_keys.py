"""The settings of Debezium's EventRouter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from connector.config import ConfigKey, ConfigType, Importance, invalid
from connector.data.java import without_empty_end
from connector.errors import ConfigError
from connector.transforms.envelopes import enum_of
from connector.transforms.validators import java_regex

PLACEMENT: Final = "table.fields.additional.placement"
TRACE_COLUMN: Final = "tracing.span.context.field"
_RENAMED: Final = {
    "table.op.invalid.behavior": "debezium.op.invalid.behavior",
    "table.field.event.key": "table.field.event.payload.id",
}
_PLACES: Final = ("header", "envelope", "partition")


class Placed(NamedTuple):
    """A column that goes elsewhere than into the payload."""

    place: str
    column: str
    name: str


def _placements(name: str, value: Any) -> str | None:
    for text in without_empty_end(value or ()):
        if len(text.split(":")) not in (2, 3):
            reason = "A comma-separated list of valid String pairs or trios is expected but got: "
            return str(invalid(name, f"[{', '.join(value)}]", f"{reason}[{', '.join(value)}]"))
    return None


def parse_placements(texts: Sequence[str]) -> list[Placed]:
    """Read ``column:header`` and ``column:envelope:alias``.

    :raises ConfigError: a place is unknown.
    """
    found = []
    for text in without_empty_end(texts):
        column, place, *alias = (part.strip() for part in text.split(":"))
        if place.lower() not in _PLACES:
            raise ConfigError(f"Invalid value {text} for {PLACEMENT}: use {', '.join(_PLACES)}")
        found.append(Placed(place.lower(), column, alias[0] if alias else column))
    return found


def with_new_names(config: Mapping[str, str], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings with those of Debezium 1.2 where today's names are not set."""
    return {
        **options,
        **{
            new: options[old]
            for new, old in _RENAMED.items()
            if new not in config and options[old] is not None
        },
    }


class _KeyGroup:
    """Numbers the keys of a group."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._count = 0

    def key(
        self,
        name: str,
        display_name: str,
        doc: str,
        default: Any = None,
        importance: Importance = "MEDIUM",
        kind: ConfigType = "STRING",
        validator: Any = None,
    ) -> ConfigKey:
        """Return the next key."""
        self._count += 1
        return ConfigKey(
            name, kind, default, importance, doc, self._name, self._count, "MEDIUM", display_name,
            validator,
        )  # fmt: skip


def _table() -> list[ConfigKey]:
    group = _KeyGroup("Table")
    return [*_event_columns(group), *_row_handling(group)]


def _event_columns(group: _KeyGroup) -> list[ConfigKey]:
    """Return the keys that name the columns of an event."""
    key = group.key
    return [
        key("table.field.event.id", "Event ID Field", "Column of the event's id.", "id", "LOW"),
        key(
            "table.field.event.key", "Event Key Field", "Column of the message's key.",
            "aggregateid", "LOW",
        ),
        key(
            "table.field.event.type", "Event Type Field", "Kept for compatibility.", "type", "LOW"
        ),
        key(
            "table.field.event.payload", "Event Payload Field", "Column of the message's value.",
            "payload", "LOW",
        ),
        key(
            "table.field.event.timestamp", "Event Timestamp Field",
            "Column of the message's timestamp; without it the time of the event counts.",
        ),
        key(
            PLACEMENT, "Settings for each additional column in the outbox table",
            "Other columns: column:header, column:envelope or column:partition, and :alias.",
            None, "HIGH", "LIST", _placements,
        ),
        key(
            "table.field.additional.missing",
            "Behavior when an additional field is missing in the change data",
            "error or ignore.", "error", validator=enum_of("error", "ignore"),
        ),
        key(
            "table.field.event.schema.version", "Event Schema Version Field",
            "Column of the version of the value's schema.", None, "LOW",
        ),
    ]  # fmt: skip


def _row_handling(group: _KeyGroup) -> list[ConfigKey]:
    """Return the keys for unexpected changes of rows, and for payloads of JSON."""
    key = group.key
    return [
        key(
            "table.op.invalid.behavior", "Behavior when capturing an unexpected outbox event",
            "What an UPDATE of the table does: warn or error skip it, fatal fails the task.",
            "warn", validator=enum_of("warn", "error", "fatal"),
        ),
        key(
            "table.expand.json.payload", "Expand Payload escaped string as real JSON",
            "Whether a payload that is JSON becomes a struct.", False, kind="BOOLEAN",
        ),
        key(
            "table.json.payload.null.behavior", "Behavior when json payload including null value",
            "ignore leaves null members out, optional_bytes keeps them.", "ignore",
            validator=enum_of("ignore", "optional_bytes"),
        ),
    ]  # fmt: skip


def _router() -> list[ConfigKey]:
    key = _KeyGroup("Router").key
    return [
        key(
            "route.by.field", "Field to route events by", "Column that decides on the topic.",
            "aggregatetype", "HIGH",
        ),
        key(
            "route.topic.regex", "The name of the routed topic",
            "Expression that the column's value matches.", "(?<routedByValue>.*)", "LOW",
            validator=java_regex,
        ),
        key(
            "route.topic.replacement", "The name of the routed topic", "The topic.",
            "outbox.event.${routedByValue}", "HIGH",
        ),
        key(
            "route.tombstone.on.empty.payload", "Empty payloads cause a tombstone message",
            "Whether an empty payload becomes a tombstone.", False, "HIGH", "BOOLEAN",
        ),
    ]  # fmt: skip


def _tracing() -> list[ConfigKey]:
    key = _KeyGroup("Tracing").key
    return [
        key(
            TRACE_COLUMN, "Serialized tracing span context field",
            "Column of the application's trace context, which becomes headers.",
            "tracingspancontext", "HIGH",
        ),
        key(
            "tracing.operation.name", "Tracing operation name",
            "Kept for compatibility: Millrace adds no spans of its own to a trace.",
            "debezium-read", "HIGH",
        ),
        key(
            "tracing.with.context.field.only", "Trace only events with context field present",
            "Kept for compatibility: there are no other traces than the application's.",
            False, "HIGH", "BOOLEAN",
        ),
    ]  # fmt: skip


def _old_names() -> list[ConfigKey]:
    """Return the names that keys had in Debezium 1; today's names come first."""
    return [
        ConfigKey(
            _RENAMED["table.op.invalid.behavior"], internal=True,
            doc="Name of table.op.invalid.behavior in Debezium 1.2.",
            validator=enum_of("warn", "error", "fatal"),
        ),
        ConfigKey(
            _RENAMED["table.field.event.key"], internal=True,
            doc="Column of the key in Debezium 1.2, where table.field.event.key is not set.",
        ),
    ]  # fmt: skip


OUTBOX_KEYS: Final = (*_table(), *_router(), *_tracing(), *_old_names())
TRACING_KEYS: Final = tuple(replace(key, group=None, order=1) for key in _tracing())
