"""Table definitions from the schema-change topic or from the configuration."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from sparksink.change_position import BEGINNING
from sparksink.config.keys import SinkConfig
from sparksink.schemas.mysql_types import column_of
from sparksink.schemas.row_schema import RowSchema, filter_names
from sparksink.schemas.schema_changes import Definition, parse_definitions
from sparksink.schemas.value_changes import ValueChanges
from sparksink.schemas.versions import SchemaVersion, SchemaVersions, first_version

Message = tuple[int, bytes, str | None]
"""Offset, value, and the position header, if any."""
Read = Callable[[int], list[Message]]
"""Returns the messages of the schema-change topic from an offset on."""


class Definitions:
    """The schema versions of all tables; ``value_changes`` are the statements with new values."""

    def __init__(self, config: SinkConfig, read: Read) -> None:
        self._config = config
        self._read = read
        self._next = 0
        self._known: dict[str, SchemaVersions] = {}
        self._dropped: set[str] = set()
        self.value_changes = ValueChanges()
        self._lock = threading.Lock()

    def refresh(self) -> list[Message]:
        """Read the new messages since the last call, and return them."""
        with self._lock:
            found = self._read(self._next)
            values = ((value, position) for _, value, position in found)
            for one in parse_definitions(values, self._config.source.modes, self._config.ordering):
                self._add(one)
            if found:
                self._next = found[-1][0] + 1
            return found

    def versions(self, table: str) -> SchemaVersions | None:
        """Return the versions of ``db.table``; the types of the configuration take precedence."""
        types = self._config.table(table).columns.types
        if not types:
            return self._known.get(table)
        modes = self._config.source.modes
        columns = tuple(column_of(name, kind, modes) for name, kind in types.items())
        return SchemaVersions(
            (SchemaVersion(BEGINNING, Definition(table, RowSchema(columns), (), {})),)
        )

    def all_versions(self) -> Mapping[str, SchemaVersions]:
        """Return the versions of every table of the schema-change topic."""
        return dict(self._known)

    def _add(self, found: Definition) -> None:
        selects = partial(self._selects, found.table)
        self.value_changes.add(self._known.get(found.table), found, selects)
        if self._config.evolution.rename != "ddl":  # a renamed column then is a new column
            found = replace(found, renamed={})
        if found.previous:
            self._follow(replace(found, table=found.previous, kind="DROP"))
        self._follow(found)

    def _follow(self, found: Definition) -> None:
        """Follow a statement of one table; its first one may drop a table of which rows exist."""
        before = self._known.get(found.table)
        if before is not None:
            self._known[found.table] = before.then(found)
        elif found.kind != "DROP":
            replaces = found.table in self._dropped
            self._known[found.table] = first_version(found, replaces=replaces)
        elif not found.snapshot:
            self._dropped.add(found.table)

    def _selects(self, table: str, column: str) -> bool:
        rules = self._config.table(table).columns
        return bool(filter_names([column], rules.include, rules.exclude))
