"""What was made of a schema, made once for each schema."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from connector.data.schema import Schema

_MAX_SCHEMAS = 2_000

T = TypeVar("T")


class SchemaCache(Generic[T]):
    """Results by schema. Schemas are known by identity, like everywhere."""

    def __init__(self, make: Callable[..., T]) -> None:
        self._make = make
        self._made: dict[int, tuple[Schema, T]] = {}

    def of(self, schema: Schema, *details: Any) -> T:
        """Return the result for a schema; ``details`` are those of the first call for it."""
        known = self._made.get(id(schema))
        if known is None:
            if len(self._made) >= _MAX_SCHEMAS:  # the oldest makes room
                del self._made[next(iter(self._made))]
            # The schema is kept with its result: no other one can take its identity.
            self._made[id(schema)] = known = (schema, self._make(schema, *details))
        return known[1]
