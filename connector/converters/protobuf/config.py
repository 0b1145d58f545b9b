"""The settings of Confluent's ProtobufConverter."""

from __future__ import annotations

from typing import Final

from connector.config import ConfigDef, ConfigKey
from connector.converters.confluent_keys import CONVERTER_KEYS, REGISTRY_KEYS
from connector.converters.protobuf.references import BY_NAME, known_strategy
from connector.converters.registry_keys import boolean

_READ: Final = "Kept for compatibility: it concerns messages that are read from Kafka."

CONFIG: Final = ConfigDef(
    [
        *REGISTRY_KEYS,
        *CONVERTER_KEYS,
        boolean(
            "optional.for.nullables", default=False,
            doc="Label fields that allow null as optional: readers distinguish null from zero.",
        ),
        boolean(
            "wrapper.for.nullables", default=False,
            doc="Write single values that allow null as wrapper messages of Google's.",
        ),
        boolean(
            "scrub.invalid.names", default=False,
            doc="Replace characters in names that Protobuf does not allow.",
        ),
        boolean(
            "skip.known.types", default=True, importance="LOW",
            doc="Do not register the files of decimals, dates and wrappers, which registries know.",
        ),
        boolean(
            "reference.lookup.only", default=False,
            doc="With skip.known.types=false: find these files, never register them.",
        ),
        ConfigKey(
            "reference.subject.name.strategy", "CLASS", BY_NAME, "LOW",
            "With skip.known.types=false: how the subjects of these files are named.",
            validator=known_strategy,
        ),
        boolean("enhanced.protobuf.schema.support", default=False, doc=_READ),
        boolean("int.for.enums", default=False, doc=_READ),
        boolean("optional.for.proto2", default=True, doc=_READ),
        boolean("wrapper.for.raw.primitives", default=True, doc=_READ),
        boolean("generate.struct.for.nulls", default=False, doc=_READ),
        boolean("generate.index.for.unions", default=True, importance="LOW", doc=_READ),
        boolean("flatten.unions", default=False, importance="LOW", doc=_READ),
        boolean("derive.type", default=False, doc=_READ),
    ]
)  # fmt: skip
