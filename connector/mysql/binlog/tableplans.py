"""Decides for each table in the log whether its rows are skipped or how they are decoded."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Literal, Protocol

from connector.capture.change import SchemaChange
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import Table, TableId, Tables
from connector.errors import DdlError, SchemaMismatchError, StopError, UnknownTableError
from connector.mysql.binlog.fitting import difference
from connector.mysql.binlog.row_decoding import TablePlan
from connector.mysql.binlog.tablemap import TableMap

log = logging.getLogger(__name__)

_MAX_PLANS = 20_000

OnInconsistency = Literal["fail", "warn", "skip"]


class Definitions(Protocol):
    """Resolves definitions that are missing, wrong or unresolved."""

    def unresolved_reason(self, table: TableId) -> str | None:
        """Return why the schema of a table is unresolved, None if it is not."""

    def mark_resolved(self, table: TableId) -> None:
        """Confirm the tracked definition."""

    def resolve(self, table_map: TableMap) -> list[SchemaChange]:
        """Find the definition that fits; return the changes that define it."""


class TablePlans:
    """The plans of all tables met since the last DDL statement.

    ``hidden_columns``: a table may end in columns that are in no definition (MariaDB).
    ``resolved`` are the changes of definitions that proved wrong, until the caller clears them.
    """

    def __init__(
        self,
        tables: Tables,
        codec_of: Callable[[Table], TableEventSchema],
        captures: Callable[[TableId], bool],
        on_inconsistency: OnInconsistency,
        definitions: Definitions | None = None,
        *,
        hidden_columns: bool = False,
    ) -> None:
        self.resolved: list[SchemaChange] = []
        self._tables = tables
        self._codec_of = codec_of
        self._captures = captures
        self._on_inconsistency = on_inconsistency
        self._definitions = definitions
        self._hides_columns = hidden_columns
        self._plans: dict[TableMap, TablePlan | None] = {}
        self._version = tables.version
        self._generation = 0

    def generation(self) -> int:
        """Return a number that is another one when plans were discarded."""
        if self._tables.version != self._version:
            self.clear()
        return self._generation

    def has(self, table_map: TableMap) -> bool:
        """Whether the plan of a table is made."""
        return table_map in self._plans

    def plan(self, table_map: TableMap | None) -> TablePlan | None:
        """Return how to decode a table's rows; None if they are skipped.

        :raises UnknownTableError: the definition of a captured table is unknown.
        :raises SchemaMismatchError: the definition does not fit the log.
        :raises DdlError: a statement that could not be parsed may have changed the table.
        """
        if table_map is None:
            return None
        if self._tables.version != self._version:
            self.clear()
        if table_map in self._plans:
            return self._plans[table_map]
        if len(self._plans) >= _MAX_PLANS:  # a table that is reopened has another description
            self.clear()
        self._plans[table_map] = plan = self._make(table_map)
        return plan

    def clear(self) -> None:
        """Discard the plans: a definition has changed."""
        self._plans.clear()
        self._generation += 1
        self._version = self._tables.version

    def _make(self, table_map: TableMap) -> TablePlan | None:
        name = table_map.table
        if not self._captures(name):
            return None
        if name not in self._tables and table_map.looks_like_sequence():
            return None
        fault = self._fault(table_map)
        # Debezium skips rows of unknown tables if configured so: such tables stay unknown
        resolves = name in self._tables or self._on_inconsistency == "fail"
        if self._definitions is not None and resolves:
            fault = self._resolve(table_map, fault, self._definitions)
        table = self._tables.get(name)
        if fault is not None or table is None:
            self._inconsistent(fault or _unknown(name))
            return None
        return TablePlan(self._codec_of(table), table_map)

    def _fault(self, table_map: TableMap) -> StopError | None:
        """Return why the tracked definition cannot decode the rows, None if it can."""
        name = table_map.table
        table = self._tables.get(name)
        if table is None:
            return _unknown(name)
        fault = difference(table, table_map, self._hidden(table_map), strict=False)
        if fault is None:
            return None
        return SchemaMismatchError(
            f"The definition of table {name} does not match its rows in the binlog: {fault}."
        )

    def _resolve(
        self, table_map: TableMap, fault: StopError | None, definitions: Definitions
    ) -> StopError | None:
        """Replace a definition that is wrong or unresolved; return the error that remains."""
        name = table_map.table
        if (
            fault is None
            and definitions.unresolved_reason(name) is None
            and not self._may_hide(table_map)
        ):
            return None
        changes = definitions.resolve(table_map)
        if changes:
            self.resolved += changes
            self.clear()
            return self._fault(table_map)
        reason = definitions.unresolved_reason(name)
        if reason is None:
            return fault
        if fault is None and table_map.names:  # the names confirm it
            definitions.mark_resolved(name)
            return None
        return DdlError(f"The schema of table {name} is unresolved: {reason}", _REMEDY)

    def _hidden(self, table_map: TableMap) -> int:
        return table_map.hidden_columns() if self._hides_columns else 0

    def _may_hide(self, table_map: TableMap) -> bool:
        """Whether the log has more columns than the definition, and no names of them.

        They may be hidden ones, or were added by a statement that is not in the log.
        """
        table = self._tables.get(table_map.table)
        more = table is not None and len(table_map.wires) > len(table.columns)
        return more and not table_map.names

    def _inconsistent(self, error: StopError) -> None:
        if self._on_inconsistency == "fail":
            raise error
        level = logging.WARNING if self._on_inconsistency == "warn" else logging.DEBUG
        log.log(level, "%s Its events are skipped.", error)


_REMEDY = (
    "Restart the connector with snapshot.mode=recovery if no table has changed since, set "
    "binlog_row_metadata=FULL before such statements, or set "
    "schema.history.internal.skip.unparseable.ddl=true to continue with the tracked definition."
)


def _unknown(name: TableId) -> UnknownTableError:
    return UnknownTableError(
        f"Encountered change event for table {name} whose schema isn't known to this connector."
    )
