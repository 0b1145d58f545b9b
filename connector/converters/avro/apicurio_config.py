"""The settings of Apicurio Registry's AvroConverter."""

from __future__ import annotations

from typing import Final

from connector.config import ConfigDef, ConfigKey, one_of, only
from connector.converters.apicurio_keys import REGISTRY_KEYS, accept_keys_of
from connector.converters.registry_keys import (
    AVRO_ENUMERATIONS,
    CONNECT_PROPERTIES,
    SCHEMAS_KEPT,
    boolean,
)

_REGISTRY: Final = "apicurio.registry."
_SERDE: Final = "io.apicurio.registry.serde."
_HANDLER: Final = f"{_SERDE}headers.DefaultHeadersHandler"
_DATUMS: Final = f"{_SERDE}avro.DefaultAvroDatumProvider"
_SERIALIZERS: Final = (
    f"{_SERDE}avro.AvroKafkaSerializer",
    "io.apicurio.registry.utils.serde.AvroKafkaSerializer",  # of version 1
)
STRATEGIES: Final = {
    f"{_SERDE}strategy.TopicIdStrategy": "topic",
    f"{_SERDE}strategy.SimpleTopicIdStrategy": "simple topic",
    f"{_SERDE}avro.strategy.RecordIdStrategy": "record",
    f"{_SERDE}avro.strategy.TopicRecordIdStrategy": "topic record",
    f"{_SERDE}avro.strategy.QualifiedRecordIdStrategy": "qualified record",
}


def _header_names() -> list[ConfigKey]:
    return [
        ConfigKey(
            f"{_REGISTRY}headers.{part}.{kind}.name",
            default=f"apicurio.{part}.{kind}",
            doc=f"The header with the {kind} of the schema of a {part}.",
        )
        for part in ("key", "value")
        for kind in ("globalId", "contentId")
    ]


CONFIG: Final = ConfigDef(
    [
        *REGISTRY_KEYS,
        ConfigKey(
            f"{_REGISTRY}artifact-resolver-strategy", "CLASS", next(iter(STRATEGIES)), "MEDIUM",
            "How artifacts are named.", validator=accept_keys_of(STRATEGIES),
        ),
        boolean(
            f"{_REGISTRY}headers.enabled", default=True,
            doc="Write ids into headers of the message; with false, before the value.",
        ),
        *_header_names(),
        boolean(
            f"{_REGISTRY}as-confluent", default=False,
            doc="Write ids before the value in four bytes, as Confluent's converter does.",
        ),
        ConfigKey(
            f"{_REGISTRY}id-handler", "CLASS", f"{_SERDE}DefaultIdHandler", "MEDIUM",
            "Write ids before the value in eight bytes, or with Legacy4ByteIdHandler in four.",
            validator=accept_keys_of(
                {f"{_SERDE}DefaultIdHandler": "", f"{_SERDE}Legacy4ByteIdHandler": ""}
            ),
        ),
        ConfigKey(
            f"{_REGISTRY}use-id", default="globalId", doc="Which id is written.",
            validator=one_of("globalId", "contentId", case_sensitive=True),
        ),
        ConfigKey(
            f"{_REGISTRY}avro.encoding", default="BINARY", doc="The encoding of values.",
            validator=only("BINARY", because="use JsonConverter for JSON"),
        ),
        boolean(
            f"{_REGISTRY}dereference-schema", default=True,
            doc="Register each schema as a whole; with false, with references to the records "
            "inside.",
        ),
        ConfigKey(
            f"{_REGISTRY}headers.handler", "CLASS", _HANDLER, "LOW", "Which headers are written.",
            validator=only(_HANDLER, because="Java classes cannot be loaded"),
        ),
        ConfigKey(
            f"{_REGISTRY}avro-datum-provider", "CLASS", _DATUMS, "LOW", "How records are written.",
            validator=only(_DATUMS, because="Java classes cannot be loaded"),
        ),
        ConfigKey(
            f"{_REGISTRY}converter.serializer", "CLASS", None, "LOW", "How values are written.",
            validator=only(*_SERIALIZERS, because="values are written in Avro"),
        ),
        ConfigKey(
            f"{_REGISTRY}converter.deserializer", "CLASS", None, "LOW",
            "Kept for compatibility: it concerns messages that are read from Kafka.",
        ),
        SCHEMAS_KEPT,
        AVRO_ENUMERATIONS,
        CONNECT_PROPERTIES,
    ]
)  # fmt: skip
