"""Confluent's ProtobufConverter: a zero byte, the id of the schema, the message's position, bytes.

The position is that of the message in its file: a single zero for the first one.
"""

from __future__ import annotations

from collections.abc import Mapping

from connector.converters.confluent_keys import PASSED_ON, options_of
from connector.converters.confluent_registry import ConfluentRegistry
from connector.converters.protobuf.config import CONFIG
from connector.converters.protobuf.encoder import MessageEncoder
from connector.converters.protobuf.fragments import ProtobufFragments
from connector.converters.protobuf.references import References
from connector.converters.protobuf.registered import message_index, same_messages
from connector.converters.protobuf.schemas import ProtobufDialect, proto_file
from connector.converters.subjects import subject_of
from connector.converters.varints import varint
from connector.data.schema import Schema


class ProtobufConverter(ProtobufFragments):
    """Writes values with the schemas of a registry. Schemas are compiled once."""

    config_def = CONFIG
    passed_on = PASSED_ON

    def __init__(self, config: Mapping[str, str]) -> None:
        options = options_of(CONFIG, config)
        is_key = config.get("converter.type") == "key"
        dialect = ProtobufDialect(
            optional=options["optional.for.nullables"],
            wrappers=options["wrapper.for.nullables"],
            scrub=options["scrub.invalid.names"],
        )
        encoder = MessageEncoder(dialect, defaults=not options["ignore.default.for.nullables"])
        super().__init__(encoder, options["schemas.cache.config"])
        self._dialect = dialect
        strategy = options[f"{'key' if is_key else 'value'}.subject.name.strategy"]
        self._subject = subject_of(
            strategy, lambda schema: proto_file(schema, dialect).name, is_key=is_key
        )
        self._registry = ConfluentRegistry(options, same_messages, kind="PROTOBUF")
        self._references = References(self._registry, options)

    def start_of(self, schema: Schema, topic: str) -> bytes:
        """Return what stands before messages; the schema is registered if so configured."""
        file = proto_file(schema, self._dialect)
        start, registered = self._registry.find(
            self._subject(topic, schema), file.text, lambda: self._references.of(file)
        )
        return start + _position(message_index(registered, file.name))


def _position(index: int) -> bytes:
    """Return the list of one index; the first message has a short form."""
    return b"\x02" + varint(index << 1) if index else b"\x00"
