"""The changes of the schema that a DDL statement makes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from connector.capture.change import (
    Row,
    SchemaChange,
    SchemaChangeCause,
    SchemaChangeKind,
    TableChange,
)
from connector.capture.history import HistoryRecord
from connector.capture.tables import TableId


@dataclass(frozen=True, slots=True)
class DdlChange:
    """One schema change of a statement, without its position.

    ``source_database`` and ``source_table`` are ``db`` and ``table`` of the source block: the
    names of all tables that the statement touched in this database, joined by commas.
    ``ddl`` is None if a signal requested it, ``schema`` what the signal says.
    ``recorded``: it goes into the schema history. ``published``: it goes to the schema change
    topic; ``TRUNCATE`` is an event of ``table`` instead.
    """

    kind: SchemaChangeKind
    database: str
    ddl: str | None
    changes: tuple[TableChange, ...]
    table: TableId | None
    source_database: str
    source_table: str | None
    recorded: bool
    cause: SchemaChangeCause = "parsed"
    schema: str | None = None
    published: bool = True

    def to_event(self, source: Row) -> SchemaChange:
        """Return the change as it is emitted, with its source block."""
        return SchemaChange(
            self.kind, self.database, self.ddl, self.changes, source, self.cause, self.schema
        )

    def to_record(
        self, partition: Mapping[str, str], offset: Mapping[str, Any], ts_ms: int
    ) -> HistoryRecord:
        """Return the change as the schema history keeps it, at its position."""
        return HistoryRecord.of(
            partition,
            offset,
            self.database,
            self.ddl,
            self.changes,
            ts_ms,
            is_read=self.cause != "unparsed",
            schema=self.schema,
        )


def unrecorded_removals(
    gone: Iterable[TableId],
    statement: str,
    changes: Iterable[DdlChange],
    key: Callable[[TableId], TableId],
) -> list[DdlChange]:
    """Return the changes that record the end of tables, if no other change does.

    A captured table may get a name that is not captured, or its database may be dropped. Debezium
    does not record that if it stores captured tables only, and has the table again after a restart.

    :param gone: the captured tables that a statement removed.
    :param changes: the changes of the statement.
    :param key: returns the name under which a table is kept; see `Tables.key`.
    """
    recorded = [change for change in changes if change.recorded]
    if any(not change.changes for change in recorded):
        return []  # a recovery applies the statement
    tables = [table for change in recorded for table in change.changes]
    names = [name for table in tables for name in (table.id, table.previous_id, table.origin)]
    named = {key(name) for name in names if name is not None}
    return [
        DdlChange(
            "DROP",
            name.database,
            statement,
            (TableChange("DROP", name),),
            name,
            name.database,
            name.table,
            recorded=True,
            published=False,
        )
        for name in gone
        if key(name) not in named
    ]
