"""MySQL or MariaDB as a source: combines connection, snapshot, log and schema."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from typing import Any

from connector.capture.change import CaptureEvent, CaughtUp, Change, HeartbeatDue, Progress, Row
from connector.capture.progress import Recovered
from connector.capture.signals.signal import SnapshotRequest
from connector.capture.snapshot_plan import Plan
from connector.capture.tables import TableId
from connector.errors import PositionLostError
from connector.mysql.binlog.dump import DumpStart, end_dump
from connector.mysql.binlog.reader import BinlogReader
from connector.mysql.binlog.stream_start import start_at_file, start_behind_gtids
from connector.mysql.capture_rules import UnmatchedRules, check_table_count, warn_of_unrecorded
from connector.mysql.incremental.chunks import CapturedTables, ChunkOptions, MySqlChunks
from connector.mysql.incremental.gtid_marks import GtidChunks
from connector.mysql.position.binlog_position import BinlogPosition, file_number, position_of
from connector.mysql.position.coordinates import Coordinates
from connector.mysql.position.epoch import server_of, with_epoch
from connector.mysql.position.server_log import (
    can_resume,
    has_all_after,
    has_gtids,
    log_end,
    oldest_position,
)
from connector.mysql.schema.definitions import DefinitionReader
from connector.mysql.server_choice import ServerChoice, with_unfinished
from connector.mysql.session.connection import Connection
from connector.mysql.session.connection_settings import ConnectionSettings
from connector.mysql.snapshot.opening import blocking_snapshot, initial_snapshot
from connector.mysql.snapshot.snapshot_parts import SnapshotParts
from connector.mysql.source_parts import SourceParts
from connector.mysql.source_sessions import SourceSessions
from connector.mysql.stream_control import MySqlStreamControl
from connector.mysql.stream_translation import build_translator
from connector.mysql.writable_server import WritableServer

log = logging.getLogger(__name__)

_PURGED = (
    "The log begins with %s: the server has probably purged older files. Rows of tables that were "
    "created there are missing, and their definitions, too: use another snapshot.mode."
)


class MySqlSource:
    """A `connector.capture.source.Source` whose positions are those of a binary log."""

    def __init__(self, parts: SourceParts) -> None:
        self._parts = parts
        self._sessions = SourceSessions(parts)
        self._connection: Connection | None = None
        self._reader: BinlogReader | None = None
        self._last_known: BinlogPosition | None = None
        self._last_dump: tuple[str, int] | None = None
        self._coordinates: Coordinates | None = None
        self._rules = UnmatchedRules(parts.rules)
        self._choice: ServerChoice | None = None
        servers, captures = parts.settings.servers, parts.options.captures_gtid
        if servers is not None:
            self._choice = ServerChoice(servers, self._sessions.open_checked, captures)
        self.stream_control = MySqlStreamControl(parts)

    @property
    def settings(self) -> ConnectionSettings:
        """How sessions are opened to the captured server."""
        return self._parts.settings

    def open(self) -> None:
        """Connect, unless connected, and check the server."""
        if self._connection is not None:
            return
        choice = self._choice
        self._use(self._sessions.open_checked() if choice is None else choice.connect())

    def _use(self, session: Connection) -> None:
        self._connection = session
        self._rules.compare(session)
        check_table_count(self._parts.options, self.captured_tables)
        self._parts.tracker.open(session)

    def _follow(self, position: BinlogPosition) -> None:
        """Go over to another server of the list, if the present one does not continue a position.

        :raises MillraceError: none of them does.
        """
        if self._choice is None:
            return
        found = self._choice.follow(self._server, with_unfinished(position, self._coordinates))
        if found is not self._connection:
            self._use(found)

    def position(self, offset: Mapping[str, Any]) -> BinlogPosition:
        """Read a stored offset."""
        found = position_of(offset, is_mariadb=self._parts.is_mariadb)
        self._last_known = self._last_known or found
        return found

    def can_resume(self, position: BinlogPosition) -> bool:
        """Whether the server still has everything after a position; another one may have it."""
        try:
            self._follow(position)
        except PositionLostError:
            self._close_connection()
            self.open()  # a snapshot may follow
            raise
        return self._is_resumable(position, can_resume)

    def _is_resumable(self, position: BinlogPosition, check: Callable[..., bool]) -> bool:
        options = self._parts.options
        if options.ignores_gtids:
            position = position.without_gtids()
        return check(self._server, position, options.captures_gtid)

    def recover(self, position: BinlogPosition) -> Recovered:
        """Rebuild the tables from the schema history; return which of its records applied."""
        found = self._parts.tracker.recover(position, by_gtids=self._follows_gtids)
        warn_of_unrecorded(self.captured_tables())
        return found

    def begin_log(self) -> BinlogPosition:
        """Return the position of the oldest event of the log; no tables are known there."""
        self._parts.tracker.begin()
        found = oldest_position(self._server)
        if file_number(found.file) > 1:
            log.warning(_PURGED, found.file)
        return self._with_epoch(found)

    def captured_tables(self) -> dict[TableId, bool]:
        """Return the captured tables that the server has; whether their definitions are known."""
        tracked, captures = self._parts.tracker.tables, self._parts.selection.captures
        tables = self._definitions(self._server).tables()
        return {table: table in tracked for table in filter(captures, tables)}

    def known_tables(self) -> list[TableId]:
        """Return the captured tables that are tracked."""
        return list(filter(self._parts.selection.captures, self._parts.tracker.tables.names()))

    def snapshot(
        self, plan: Plan, stored: BinlogPosition | None
    ) -> Generator[Change, None, BinlogPosition]:
        """Read the present tables; return the position to stream from."""
        yield self._rules.notice()
        parts = self._snapshot_parts
        with closing(initial_snapshot(parts, in_chunks=plan.in_chunks)) as snapshot:
            return (yield from snapshot.changes(plan, self._log_end, stored))

    def read_again(
        self, request: SnapshotRequest, at: BinlogPosition, event: Row | None
    ) -> Generator[Change, None, None]:
        """Read tables by a blocking snapshot, of a server that has all that was streamed.

        :raises MillraceError: there is none.
        """
        self._follow(at)
        with closing(blocking_snapshot(self._snapshot_parts, request, event)) as snapshot:
            yield from snapshot.read_again(at)

    @property
    def _snapshot_parts(self) -> SnapshotParts:
        parts, server = self._parts, self._server
        return SnapshotParts(
            server,
            self._definitions(server),
            parts.tracker,
            parts.selection,
            parts.codec_of,
            parts.source_block,
            parts.snapshot,
            self._sessions.open,
        )

    def _log_end(self) -> BinlogPosition:
        """Return the end of the log; with its epoch, if position headers are configured."""
        return self._with_epoch(log_end(self._server))

    def _with_epoch(self, found: BinlogPosition) -> BinlogPosition:
        if self._parts.options.position_headers:
            server = server_of(self._server)
            self._last_known = found = with_epoch(found, self._last_known, found, server)
        return found

    def stream(self, start: BinlogPosition) -> Iterator[CaptureEvent | Progress[BinlogPosition]]:
        """Yield the changes of the log after a position.

        :raises PositionLostError: the server's log does not have all that follows it.
        """
        self._follow(start)
        self._check_log(start)
        self._parts.tracker.prepare_stream(start, by_gtids=self._follows_gtids)
        server = server_of(self._server)
        done = start if start.server in (None, server) else start.at_group_start()
        at = replace(done, server=server)
        if self._parts.options.position_headers:
            at = with_epoch(at, start, log_end(self._server), server)
        coordinates, dump = self._stream_start(at)
        if (at.epoch or 0) > (start.epoch or 0):
            coordinates.begin_epoch()
        self._coordinates = coordinates
        self.stream_control.follow(coordinates)
        translator = build_translator(self._parts, self._server, coordinates, done)
        if self._last_dump is not None and self._last_dump[0] == server:
            end_dump(self._server, self._last_dump[1])
        self._reader = BinlogReader(
            self._parts.settings,
            dump,
            self._parts.options.server_id,
            annotations=self._parts.options.queries,
        )
        self._last_dump = server, self._reader.id
        self._close_connection()
        log.info("Streaming from %s", dump)
        yield self._rules.notice()
        with closing(translator):
            for events in self._reader.batches():
                yield from translator.changes(events)
                yield from self._rules.report_matches(self._parts.tracker.tables)
                if events and self._reader.has_caught_up():
                    yield CaughtUp()
                yield HeartbeatDue()

    def _check_log(self, start: BinlogPosition) -> None:
        """Refuse a server whose log lacks events after a position; it may be another server.

        Without GTIDs a position is valid in the log of its own server only.
        """
        if not self._parts.options.checks_position:
            return
        if not self._is_resumable(start, has_all_after):
            raise PositionLostError(
                f"The server's log does not contain everything after the position {start.file}:"
                f"{start.pos} (GTIDs {start.gtids or 'none'}) any more."
            )
        if not self._follows_gtids and start.server not in (None, server_of(self._server)):
            raise PositionLostError(
                f"The position {start.file}:{start.pos} belongs to the log of server "
                f"{start.server}, but the server is {server_of(self._server)} now."
            )

    def chunks(self, signal_table: TableId | None, *, deletes_marks: bool) -> MySqlChunks:
        """Return what reads chunks of the tables that the stream has come to.

        :param deletes_marks: the end of a window is the deletion of its first mark.
        """
        parts = self._parts
        options = ChunkOptions(signal_table, deletes_marks, parts.options.captures_gtid)
        captured = CapturedTables(
            lambda: parts.tracker.tables,
            parts.selection.captures,
            parts.codec_of,
            parts.source_block,
        )
        if parts.options.gtid_marks:
            return GtidChunks(options, captured, self._sessions.open, lambda: self._coordinates)
        if self._choice is None:
            return MySqlChunks(options, captured, self._sessions.open)
        seek = WritableServer(self._choice, lambda: self._coordinates).seek
        return MySqlChunks(options, captured, self._sessions.open, seek)

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
        reads, selection = self._parts.reads_definition, self._parts.selection
        return DefinitionReader(connection, reads, selection.builtin)

    def _stream_start(self, at: BinlogPosition) -> tuple[Coordinates, DumpStart]:
        if not self._follows_gtids:
            return start_at_file(at)
        at = at.with_gtids(is_mariadb=self._parts.is_mariadb)
        return start_behind_gtids(self._server, at, self._parts.options.captures_gtid)

    @property
    def _server(self) -> Connection:
        assert self._connection is not None, "the source is not open"
        return self._connection

    @property
    def _follows_gtids(self) -> bool:
        return not self._parts.options.ignores_gtids and has_gtids(self._server)

    def _close_connection(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
