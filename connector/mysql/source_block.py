"""The source block of MySQL's and MariaDB's events."""

from __future__ import annotations

from dataclasses import dataclass

from connector.capture.change import Row
from connector.capture.source_block import source_block
from connector.data.schema import INT32, INT64, OPTIONAL_INT64, OPTIONAL_STRING, STRING, Schema
from connector.mysql.position.binlog_position import BinlogPosition
from connector.mysql.position.coordinates import Coordinates

ROW_SLOT = 14
COORDINATES = ("gtid", "file", "pos", "row")
"""The fields that say where in the log an event stands."""
GTID_SLOT = 11
_SERVER_SLOT, _THREAD_SLOT = 10, 15
_TIME_SLOT, _MARKER_SLOT, _DATABASE_SLOT, _MICROS_SLOT, _TABLE_SLOT = 3, 4, 5, 7, 9


def source_schema(connector: str) -> Schema:
    """Build the schema; ``connector`` is ``mysql`` or ``mariadb``."""
    return source_block(
        connector,
        ("table", OPTIONAL_STRING),
        ("server_id", INT64),
        ("gtid", OPTIONAL_STRING),
        ("file", STRING),
        ("pos", INT64),
        ("row", INT32),
        ("thread", OPTIONAL_INT64),
        ("query", OPTIONAL_STRING),
    )


@dataclass(frozen=True, slots=True)
class SourceBlock:
    """Builds the values of one connector's source blocks, in the order of the schema."""

    version: str
    connector: str
    name: str

    def for_stream(self, at: Coordinates, database: str, table: str | None, micros: int) -> Row:
        """Describe an event of the log; ``micros`` is the database's time of it.

        ``snapshot`` stays unset: its default means that the event is streamed.
        """
        return (
            self.version,
            self.connector,
            self.name,
            micros // 1000,
            None,
            database,
            None,
            micros,
            micros * 1000,
            table,
            at.server_id,
            at.gtid,
            at.file,
            at.pos,
            at.row,
            at.thread,
            at.query,
        )

    def with_marker(self, values: Row, marker: str) -> Row:
        """Return the values with another snapshot marker."""
        return (*values[:_MARKER_SLOT], marker, *values[_MARKER_SLOT + 1 :])

    def at_event(
        self, event: Row, database: str, table: str | None, marker: str, micros: int
    ) -> Row:
        """Describe rows that are read while the stream stands at an event, and emitted there."""
        values = list(event)
        values[_TIME_SLOT], values[_MARKER_SLOT] = micros // 1000, marker
        values[_DATABASE_SLOT], values[_TABLE_SLOT] = database, table
        values[_MICROS_SLOT], values[_MICROS_SLOT + 1] = micros, micros * 1000
        return tuple(values)

    def at_position(self, at: BinlogPosition, log: Coordinates) -> Row:
        """Describe the last transaction of a log, and the position behind it."""
        values = list(self.for_snapshot(at, "", None, "incremental", 0))
        values[_SERVER_SLOT], values[GTID_SLOT] = log.server_id, log.gtid
        values[_THREAD_SLOT] = log.last_thread if log.thread is None else log.thread
        return tuple(values)

    def without_query(self, values: Row) -> Row:
        """Return the values without the statement, which may contain values of masked columns."""
        return (*values[:-1], None)

    def for_snapshot(
        self, at: BinlogPosition, database: str, table: str | None, marker: str, micros: int
    ) -> Row:
        """Describe a row or statement of a snapshot taken at a position."""
        return (
            self.version,
            self.connector,
            self.name,
            micros // 1000,
            marker,
            database,
            None,
            micros,
            micros * 1000,
            table,
            0,
            None,
            at.file,
            at.pos,
            0,
            None,
            None,
        )
