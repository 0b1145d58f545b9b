"""Headers that are written as keys and values are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from connector.data.schema import Schema


class HeaderValues(ABC):
    """A converter that writes the value of a header as that of a message."""

    @abstractmethod
    def from_connect(self, topic: str, schema: Schema | None, value: Any) -> bytes | None:
        """Return the bytes of a key or value, None for null."""

    def from_header(self, name: str, schema: Schema | None, value: Any) -> bytes | None:
        """Return the bytes of a header's value, None for null."""
        return self.from_connect(name, schema, value)
