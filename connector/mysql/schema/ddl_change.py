"""The changes of the schema that a DDL statement makes."""

from __future__ import annotations

from collections.abc import Mapping
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
    ``recorded``: it goes into the schema history. Every change goes to the schema change topic,
    except ``TRUNCATE``, which is an event of ``table`` instead.
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
