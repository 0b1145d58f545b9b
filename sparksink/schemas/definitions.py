"""What is told of tables outside of their messages: by the schema-change topic, or by the file."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

from sparksink.config.keys import SinkConfig
from sparksink.schemas.ddl import Definition, definitions
from sparksink.schemas.mysql_types import column_of
from sparksink.schemas.shapes import Shape

Read = Callable[[int], list[tuple[int, bytes]]]
"""Returns offsets and values of the schema-change topic from an offset on."""


class Definitions:
    """The newest definition of each table, with all that its columns were called, and lost ones."""

    def __init__(self, config: SinkConfig, read: Read) -> None:
        self._config = config
        self._read = read
        self._next = 0
        self._known: dict[str, Definition] = {}
        self._lock = threading.Lock()

    def refresh(self) -> list[tuple[int, bytes]]:
        """Read what came since the last time, and return it: offsets and values."""
        with self._lock:
            found = self._read(self._next)
            if found:
                self._next = found[-1][0] + 1
            values = (value for _, value in found)
            for one in definitions(values, self._config.source.modes):
                before = self._known.get(one.table)
                renamed = {**(before.renamed if before else {}), **one.renamed}
                lost = before.dropped | one.dropped if before else one.dropped
                dropped = lost.difference(one.shape.names)
                self._known[one.table] = replace(one, renamed=renamed, dropped=dropped)
            return found

    def of(self, table: str) -> Definition | None:
        """Return the definition of ``db.table``; what the configuration tells wins."""
        types = self._config.table(table).columns.types
        if not types:
            return self._known.get(table)
        modes = self._config.source.modes
        columns = tuple(column_of(name, kind, modes) for name, kind in types.items())
        return Definition(table, Shape(columns), (), {})
