"""The parts of rows in Protobuf."""

from __future__ import annotations

from functools import partial
from typing import Any

from connector.converters.binary_fragments import BinaryFragments
from connector.converters.protobuf.encoder import MessageEncoder
from connector.converters.protobuf.wire import sized, tag
from connector.data.fragments import Wrap
from connector.data.schema import Schema


class ProtobufFragments(BinaryFragments[MessageEncoder]):
    """Writes values in Protobuf behind the start that a registry needs."""

    format_name = "Protobuf"

    def from_connect(self, topic: str, schema: Schema | None, value: Any) -> bytes | None:
        """Return the bytes of a key or value, None for a null.

        :raises RegistryUnavailableError: the registry does not answer.
        """
        if value is None:
            return None
        ready = self.compiled(schema, topic)
        return ready.start + ready.encode(value)

    def null(self, schema: Schema) -> bytes:  # noqa: ARG002 - other converters write nulls
        """Return nothing: a null is not written."""
        return b""

    def present(self, schema: Schema) -> bytes:  # noqa: ARG002 - other converters mark presence
        """Return nothing: what is written is present."""
        return b""

    def nested(self, schema: Schema, index: int) -> Wrap:  # noqa: ARG002 - other converters write names
        """Return a function that writes tag and length of a message in another one."""
        return partial(sized, tag(index + 1, "struct"))
