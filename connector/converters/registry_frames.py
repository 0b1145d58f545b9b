"""What stands before values whose schemas are in a registry; each schema takes one request.

More schemas are known than are kept ready for use: with thousands of tables, one that comes again
is compiled again, but the registry is not asked again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from hashlib import blake2b
from typing import Final

from connector.data.schema import Schema
from connector.errors import ConversionError, SchemaRefusedError

_MAX_STARTS: Final = 50_000  # of 200 bytes each


class RegistryFrames(ABC):
    """Keeps what stands before the values of the schemas used last: ``kept`` of them."""

    def __init__(self, kept: int) -> None:
        self._kept = kept
        self._known: dict[tuple[int, str], tuple[Schema, bytes]] = {}
        self._starts: dict[bytes, bytes] = {}

    @abstractmethod
    def start_of(self, schema: Schema, topic: str) -> bytes:
        """Return what stands before values of a schema; asks the registry."""

    def frame(self, schema: Schema, topic: str) -> tuple[bytes, bytes]:
        """Return what stands before and behind a value; asks the registry once for a schema."""
        return self.known_start(schema, topic), b""

    def known_start(self, schema: Schema, topic: str) -> bytes:
        """Return the start of values of a schema, known by its content.

        :raises SchemaRefusedError: the schema cannot be used.
        """
        content = repr((topic, schema.parts())).encode("utf-8", "surrogatepass")
        key = blake2b(content, digest_size=16).digest()
        start = self._starts.get(key)
        if start is None:
            try:
                start = self.start_of(schema, topic)
            except ConversionError as error:
                raise SchemaRefusedError(str(error), error.remedy) from error
            if len(self._starts) >= _MAX_STARTS:
                del self._starts[next(iter(self._starts))]
            self._starts[key] = start
        return start

    def ready_start(self, schema: Schema, topic: str) -> bytes:
        """Return what stands before the values of a schema, known by its identity."""
        known = self._known.get((id(schema), topic))
        if known is None:
            start = self.known_start(schema, topic)
            if len(self._known) >= self._kept:
                del self._known[next(iter(self._known))]
            # The schema is kept, so that no other takes its identity.
            known = self._known[id(schema), topic] = schema, start
        return known[1]
