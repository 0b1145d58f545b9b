"""MySQL or MariaDB as a source: joins connection, snapshot, log and schema."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from connector.capture.change import Change, HeartbeatDue, Position
from connector.capture.rowcodec import RowCodec
from connector.capture.selection import Selection
from connector.capture.snapshot_plan import Plan
from connector.capture.tables import Table, TableId
from connector.errors import StopError
from connector.mysql.binlog.reader import BinlogReader, DumpStart
from connector.mysql.binlog.tableplans import TablePlans
from connector.mysql.binlog.translate import TranslateOptions, Translator
from connector.mysql.checks import can_resume, check_privileges, check_server
from connector.mysql.connection import Connection, ConnectionSettings
from connector.mysql.definitions import (
    DefinitionReader,
    executed_before,
    gtid_mode,
    head,
    purged,
)
from connector.mysql.epoch import numbered, server_of
from connector.mysql.gtid import GtidSet, MariaDbGtidSet
from connector.mysql.options import CaptureOptions, Flavour
from connector.mysql.position import BinlogPosition, Coordinates, position_of
from connector.mysql.repair import TableRepair
from connector.mysql.reselection import Reselection
from connector.mysql.schema_tracker import SchemaTracker
from connector.mysql.snapshot import Snapshot, SnapshotOptions
from connector.mysql.source_block import SourceBlock

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Parts:
    """What a source is made of besides its connections."""

    settings: ConnectionSettings
    flavour: Flavour
    selection: Selection
    options: CaptureOptions
    snapshot: SnapshotOptions
    source_block: SourceBlock
    tracker: SchemaTracker
    codec_of: Callable[[Table], RowCodec]
    reads_definition: Callable[[TableId], bool]
    reselection: Reselection | None = None


class MySqlSource:
    """A `connector.capture.source.Source`."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._connection: Connection | None = None
        self._reader: BinlogReader | None = None
        self._known: BinlogPosition | None = None

    def open(self) -> None:
        """Connect, unless connected, and check the server."""
        if self._connection is not None:
            return
        self._connection = self._session()
        check_server(self._connection, is_mariadb=self._is_mariadb)
        check_privileges(self._connection)
        self._check_table_count(self._connection)
        self._parts.tracker.open(self._connection)

    def position(self, offset: Mapping[str, Any]) -> Position:
        """Read a stored offset."""
        found = position_of(offset, is_mariadb=self._is_mariadb)
        self._known = self._known or found
        return found

    def can_resume(self, position: Position) -> bool:
        """Whether the server still has everything after a position."""
        assert isinstance(position, BinlogPosition)
        if self._parts.options.ignores_gtids:
            position = position.without_gtids()
        return can_resume(self._server, position, self._parts.options.captures_gtid)

    def recover(self, position: Position) -> None:
        """Rebuild the tables from the schema history."""
        assert isinstance(position, BinlogPosition)
        self._parts.tracker.recover(position)

    def snapshot(self, plan: Plan, stored: Position | None) -> Generator[Change, None, Position]:
        """Read the tables as they are; return the position to stream from."""
        assert stored is None or isinstance(stored, BinlogPosition)
        parts = self._parts
        snapshot = Snapshot(
            self._server,
            self._definitions(self._server),
            parts.tracker,
            parts.selection,
            parts.codec_of,
            parts.source_block,
            parts.snapshot,
            self._session,
        )
        with closing(snapshot):
            return (yield from snapshot.changes(plan, self._head, stored))

    def _head(self) -> BinlogPosition:
        """Return the end of the log; with its epoch, if places are told."""
        found = head(self._server)
        if self._parts.options.places:
            self._known = found = numbered(found, self._known, found, server_of(self._server))
        return found

    def stream(self, start: Position) -> Iterator[Change]:
        """Yield the changes of the log after a position."""
        assert isinstance(start, BinlogPosition)
        if self._parts.tracker.unsure:
            self._parts.tracker.recover(start)
        at = start
        if self._parts.options.places:
            at = numbered(start, start, head(self._server), server_of(self._server))
        coordinates, dump = self._start(at)
        if at.epoch > start.epoch:
            coordinates.begin_epoch()
        translator = self._translator(coordinates)
        self._reader = BinlogReader(
            self._parts.settings,
            dump,
            self._parts.options.server_id,
            is_mariadb=self._is_mariadb,
            annotations=self._parts.options.queries,
        )
        self._close_connection()
        log.info("Streaming from %s", dump)
        for events in self._reader.batches():
            yield from translator.changes(events)
            yield HeartbeatDue()

    def close(self) -> None:
        """Release the connections."""
        self._parts.tracker.close()
        if self._parts.reselection is not None:
            self._parts.reselection.close()
        self._close_connection()
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def _definitions(self, connection: Connection) -> DefinitionReader:
        parts = self._parts
        return DefinitionReader(connection, parts.reads_definition, parts.selection.builtin)

    def _check_table_count(self, connection: Connection) -> None:
        """Tell of more captured tables than the user allows, or refuse them."""
        options, captures = self._parts.options, self._parts.selection.captures
        if not options.most_tables:
            return
        tables = self._definitions(connection).tables()
        count = sum(map(captures, tables))
        if count <= options.most_tables:
            return
        message = f"{count} tables are captured, {options.most_tables} are allowed."
        if options.fails_with_more_tables:
            raise StopError(message, "Capture less or raise guardrail.collections.max.")
        log.warning(message)

    def _start(self, start: BinlogPosition) -> tuple[Coordinates, DumpStart]:
        """Decide between GTIDs and file; with GTIDs any server that has them will do."""
        if self._parts.options.ignores_gtids or not gtid_mode(self._server):
            return Coordinates(start.without_gtids()), DumpStart(start.file, start.pos)
        at = start.with_gtids(is_mariadb=self._is_mariadb)
        captures = self._parts.options.captures_gtid
        if captures is not None:
            assert isinstance(at.gtids, (GtidSet, MariaDbGtidSet))
            at = replace(at, gtids=at.gtids.only(captures))
        if isinstance(at.gtids, MariaDbGtidSet):
            by_gtid = bool(at.gtids)
            gtids = at.gtids if by_gtid else None
            return Coordinates(at), DumpStart(at.file, at.pos, gtids)
        assert isinstance(at.gtids, GtidSet)
        if not at.gtids:
            return self._start_of_gtids(at)
        done = at.gtids.union(self._unknown(at.gtids))
        return Coordinates(replace(at, gtids=done)), DumpStart(gtids=done)

    def _start_of_gtids(self, at: BinlogPosition) -> tuple[Coordinates, DumpStart]:
        """Begin to follow GTIDs at a place of the log: those before it must not come again."""
        done, begun = executed_before(self._server, at.file, at.pos)
        coordinates = Coordinates(replace(at, gtids=done))
        if begun is not None:
            coordinates.start_gtid(begun)
        return coordinates, DumpStart(at.file, at.pos)

    def _unknown(self, done: GtidSet) -> GtidSet:
        """Return what the server has purged of sources that the position does not know.

        It cannot be had any more and was never asked for; without it the server would refuse.
        """
        gone = purged(self._server)
        return gone.of_sources(gone.sources() - done.sources())

    def _translator(self, coordinates: Coordinates) -> Translator:
        parts = self._parts
        plans = TablePlans(
            parts.tracker.tables,
            parts.codec_of,
            parts.selection.captures,
            parts.options.inconsistent_schema,
            TableRepair(parts.settings, parts.tracker, coordinates, is_mariadb=self._is_mariadb),
            hidden_columns=self._is_mariadb,
        )
        options = TranslateOptions(
            skipped=parts.options.skipped,
            queries=parts.options.queries,
            gtid_times=not self._is_mariadb and gtid_mode(self._server),
            captures_gtid=parts.options.captures_rows_of,
            on_failure=parts.options.on_failure,
            marks=parts.options.marks,
            places=parts.options.places,
            reselection=parts.reselection,
        )
        return Translator(coordinates, plans, parts.source_block, parts.tracker.streamed, options)

    def _session(self) -> Connection:
        session = Connection(self._parts.settings)
        if self._is_mariadb:  # so does Debezium: it shows in the defaults of TIMESTAMP columns
            session.execute("SET time_zone='+00:00'")
        return session

    @property
    def _server(self) -> Connection:
        assert self._connection is not None, "the source is not open"
        return self._connection

    @property
    def _is_mariadb(self) -> bool:
        return self._parts.flavour == "mariadb"

    def _close_connection(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
