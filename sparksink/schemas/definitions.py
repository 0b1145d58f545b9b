"""Table definitions from the schema-change topic or from the configuration."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from sparksink.change_position import BEGINNING
from sparksink.config.keys import SinkConfig
from sparksink.errors import TableError
from sparksink.schemas.field_names import ADJUSTMENTS
from sparksink.schemas.mysql_types import column_of
from sparksink.schemas.routed_names import RoutedNames
from sparksink.schemas.row_schema import RowSchema, filter_names
from sparksink.schemas.schema_changes import Definition, parse_definitions
from sparksink.schemas.value_changes import ValueChanges
from sparksink.schemas.versions import SchemaVersion, SchemaVersions, first_version

Message = tuple[int, bytes, str | None]
"""Offset, value, and the position header, if any."""
Read = Callable[[int], list[Message]]
"""Returns the messages of the schema-change topic from an offset on."""


class Definitions:
    """The schema versions of all tables, by the names that their messages are routed by.

    ``value_changes`` are the statements with new values.
    """

    def __init__(self, config: SinkConfig, read: Read) -> None:
        self._config = config
        self._read = read
        self._next = 0
        self._known: dict[str, SchemaVersions] = {}
        self._dropped: set[str] = set()
        self._field_name = ADJUSTMENTS[config.source.modes.field_name_adjustment]
        self._names = RoutedNames(config.source.table_name)
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
        """Return the versions of ``db.table``; the types of the configuration take precedence.

        Those of tables that share a name are unknown.
        """
        types = self._config.table(table).columns.types
        if not types:
            return None if self._names.sharing(table) else self._known.get(table)
        modes = self._config.source.modes
        columns = tuple(column_of(name, kind, modes) for name, kind in types.items())
        return SchemaVersions(
            (SchemaVersion(BEGINNING, Definition(table, RowSchema(columns), (), {})),)
        )

    def all_versions(self) -> Mapping[str, SchemaVersions]:
        """Return the versions of every table of the schema-change topic."""
        return {name: one for name, one in self._known.items() if not self._names.sharing(name)}

    def error(self, table: str) -> TableError | None:
        """Return why the messages of ``db.table`` must not be read with its definition, if so."""
        if sharing := self._names.sharing(table):
            return TableError(
                f"{table}: messages of {' and '.join(sharing)} have the same name.",
                "Set source.route if the messages name their tables, or let the connector capture"
                " only one of them; then run park replay.",
            )
        if not self._known or table in self._known or not self._hides_renamed(table):
            return None
        return TableError(
            f"{table}: no definition in source.ddl.topic has its name, so that renames of masked or"
            " excluded columns are unknown.",
            "Run park replay when the definition has arrived, or name all columns to keep with"
            " columns.include.",
        )

    def source_name(self, table: str) -> str:
        """Return the name of a table at the source, for the name that its messages have."""
        return self._names.source_name(table)

    def _hides_renamed(self, table: str) -> bool:
        """Return whether a renamed column of a table may be one that the settings hide."""
        rules = self._config.table(table).columns
        names_all = rules.include is not None or bool(rules.types)
        return bool(rules.mask or rules.exclude) and not names_all

    def _add(self, found: Definition) -> None:
        found = self._names.follow(found)
        selects = partial(self._selects, found.table)
        self.value_changes.add(self._known.get(found.table), found, selects)
        if self._config.evolution.rename != "ddl":  # a renamed column then is a new column
            found = replace(found, renamed={})
        found = found.with_names(self._field_name)
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
        return bool(filter_names([self._field_name(column)], rules.include, rules.exclude))
