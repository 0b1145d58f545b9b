"""The settings of Confluent's AvroConverter."""

from __future__ import annotations

from typing import Final

from connector.config import ConfigDef, only
from connector.converters.confluent_keys import CONVERTER_KEYS, REGISTRY_KEYS
from connector.converters.registry_keys import AVRO_ENUMERATIONS, CONNECT_PROPERTIES, boolean

CONFIG: Final = ConfigDef(
    [
        *REGISTRY_KEYS,
        *CONVERTER_KEYS,
        AVRO_ENUMERATIONS,
        CONNECT_PROPERTIES,
        boolean(
            "scrub.invalid.names", default=False,
            doc="Replace characters in names that Avro does not allow.",
        ),
        boolean(
            "allow.optional.map.keys", default=False, importance="LOW",
            doc="Write maps with optional string keys as maps.",
        ),
        boolean(
            "discard.type.doc.default", default=False, importance="LOW",
            doc="Leave the documentation of records and fields out.",
            validator=only(False, because="no schema of the connectors here has such texts"),
        ),
    ]
)  # fmt: skip
