"""What is compiled for a table, kept for its newest version."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import TableId

_MAX_TABLES = 2_000  # of 10 kB each

T = TypeVar("T")


class TableVersions(Generic[T]):
    """Results by table version; ``compiled`` makes one."""

    def __init__(self, compiled: Callable[[TableEventSchema], T]) -> None:
        self._compiled = compiled
        self._known: dict[int, tuple[TableEventSchema, T]] = {}
        self._versions: dict[TableId, int] = {}

    def of(self, codec: TableEventSchema) -> T:
        """Return what is compiled for a version, in place of the version before."""
        known = self._known.get(id(codec))
        if known is None:
            self._known.pop(self._versions.pop(codec.table.id, 0), None)
            if len(self._versions) >= _MAX_TABLES:  # the oldest makes room
                self._known.pop(self._versions.pop(next(iter(self._versions))), None)
            known = (codec, self._compiled(codec))
            self._known[id(codec)] = known
            self._versions[codec.table.id] = id(codec)
        return known[1]

    def results(self) -> list[T]:
        """Return the results that are kept; any thread may ask."""
        return [result for _, result in list(self._known.values())]
