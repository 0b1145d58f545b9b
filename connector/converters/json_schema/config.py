"""The settings of Confluent's JsonSchemaConverter."""

from __future__ import annotations

from typing import Final

from connector.config import ConfigDef, ConfigKey, one_of, only
from connector.converters.confluent_keys import CONVERTER_KEYS, REGISTRY_KEYS
from connector.converters.registry_keys import boolean

_READ: Final = "Kept for compatibility: it concerns messages that are read from Kafka."
_CLASSES: Final = "Kept for compatibility: it concerns schemas of Java classes."

CONFIG: Final = ConfigDef(
    [
        *REGISTRY_KEYS,
        *CONVERTER_KEYS,
        ConfigKey(
            "decimal.format", "STRING", "BASE64", "LOW",
            "BASE64 writes the bytes of a decimal, NUMERIC a JSON number.",
            validator=one_of("BASE64", "NUMERIC"),
        ),
        boolean(
            "object.additional.properties", default=True,
            doc="Allow properties that a schema does not name; false writes "
            "additionalProperties=false into schemas.",
        ),
        boolean(
            "json.fail.invalid.schema", default=False,
            doc="Kept for compatibility: values are always written by their schema.",
        ),
        boolean(
            "json.indent.output", default=False, importance="LOW",
            doc="Write line breaks and spaces between members.",
            validator=only(False, because="messages are written without spaces"),
        ),
        boolean(
            "json.write.dates.iso8601", default=False,
            doc="Kept for compatibility: a connector's dates are numbers or texts.",
        ),
        boolean("use.optional.for.nonrequired", default=False, doc=_READ),
        boolean("ignore.modern.dialects", default=False, importance="LOW", doc=_READ),
        boolean("preserve.additional.properties", default=False, doc=_READ),
        boolean("json.fail.unknown.properties", default=True, importance="LOW", doc=_READ),
        boolean("json.envelope.detection", default=True, importance="LOW", doc=_CLASSES),
        boolean("json.oneof.for.nullables", default=True, doc=_CLASSES),
        ConfigKey("json.schema.spec.version", default="draft_7", doc=_CLASSES),
        ConfigKey("json.schema.scan.packages", "LIST", [], "LOW", _CLASSES),
        ConfigKey("json.default.property.inclusion", doc=_CLASSES),
    ]
)  # fmt: skip
