"""A blocking snapshot: reads some tables again while the stream stands at a position."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from connector.capture.change import Change, Row, SchemaChange
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import Table, TableId
from connector.mysql.position.binlog_position import BinlogPosition
from connector.mysql.schema.definitions import Definition, DefinitionReader
from connector.mysql.snapshot.snapshot import Snapshot
from connector.mysql.snapshot.snapshot_parts import SnapshotParts
from connector.mysql.snapshot.table_choice import TableChoice
from connector.mysql.source_block import SourceBlock


@dataclass(frozen=True, slots=True)
class StandingSource(SourceBlock):
    """Source blocks with the coordinates of the event at which the stream stands, if known."""

    event: Row | None = None

    def for_snapshot(
        self, at: BinlogPosition, database: str, table: str | None, marker: str, micros: int
    ) -> Row:
        """Describe a row or statement that is read at the event."""
        if self.event is None:
            return SourceBlock.for_snapshot(self, at, database, table, marker, micros)
        return self.at_event(self.event, database, table, marker, micros)


class BlockingSnapshot(Snapshot):
    """Reads the present rows of some tables; the stream continues behind its position later.

    The stream repeats changes that the rows have already. It may also come to a statement that the
    definition of a table has already: such a table is read by its present definition, and the
    tracked one is kept.
    """

    marks_statements = False

    def __init__(self, parts: SnapshotParts, choice: TableChoice) -> None:
        super().__init__(parts, choice)
        self._present: dict[TableId, TableEventSchema] = {}

    def read_again(self, at: BinlogPosition) -> Iterator[Change]:
        """Yield the definitions and rows; the offset remains that of the stream."""
        yield from self._read_locked(self._lock(), at, data=True)

    def _read_statements(
        self, reader: DefinitionReader, tables: Sequence[TableId]
    ) -> Iterator[Definition]:
        captured = self._choice.captured(tables)
        return reader.read_tables(captured, in_hash_order=self._locks_nothing)

    def _define(
        self, statements: Sequence[Definition], at: BinlogPosition
    ) -> Iterator[SchemaChange]:
        """Record and emit the definitions again that the stream has come to."""
        defined = []
        for statement in statements:
            table = self._tracker.parse(statement.ddl, statement.database)
            if table is not None and self._is_tracked(table):
                defined.append((statement, table.id))
            elif table is not None:
                self._present[table.id] = self._codec_of(table)
        at = replace(at, snapshot="BLOCKING").recorded()
        drops = [
            Definition(name.database, f"DROP TABLE IF EXISTS {name.quoted('`')}")
            for _, name in defined
        ]
        with self._tracker.redefining():
            for definition in (*drops, *(statement for statement, _ in defined)):
                yield from self._tracker.apply_definition(definition, at, self._source)

    def _is_tracked(self, present: Table) -> bool:
        """Whether the tracked definition leads to the same events as the present one."""
        tracked = self._tracker.tables.get(present.id)
        if tracked is None or self._tracker.unresolved_reason(present.id) is not None:
            return False
        ours, theirs = self._codec_of(tracked), self._codec_of(present)
        return ours.envelope_schema.same_as(theirs.envelope_schema) and (
            ours.key_schema is theirs.key_schema
            or (ours.key_schema is not None and ours.key_schema.same_as(theirs.key_schema))
        )

    def _codec(self, name: TableId) -> TableEventSchema:
        found = self._present.get(name)
        return super()._codec(name) if found is None else found
