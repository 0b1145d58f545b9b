"""Notifications: what a capture reports about its snapshots, in a topic or in the log.

They are Debezium's: the same types with the same data.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from connector.capture.snapshot_events import ChunkScan, Notification, TableScan
from connector.capture.tables import TableId
from connector.data.java import concurrent_hash_order, grown_hash_order, hash_set_order

log = logging.getLogger(__name__)

CHANNELS: Final = ("sink", "log")
Aggregate = Literal["Initial Snapshot", "Incremental Snapshot"]
_INITIAL: Final[Aggregate] = "Initial Snapshot"
_NAMED: Final = 10  # tables in a line of the log


def joined(tables: Iterable[object]) -> str:
    """Return the names of tables as notifications have them."""
    return ",".join(map(str, tables))


def short_list(tables: Sequence[object]) -> str:
    """Return the names of tables for a line of the log: the first of many."""
    more = f" and {len(tables) - _NAMED} others" if len(tables) > _NAMED else ""
    return joined(tables[:_NAMED]) + more


@dataclass(frozen=True, slots=True)
class Notifications:
    """Builds the notifications of one connector for the enabled channels.

    ``connector`` is the topic prefix. Those for the log are written at once, those for the sink
    are changes of the capture.
    """

    connector: str = ""
    channels: Collection[str] = ()
    now: Callable[[], int] = time.time_ns

    def publish(
        self,
        aggregate: Aggregate,
        type_: str,
        data: Mapping[str, str] | None = None,
        identity: str | None = None,
    ) -> Iterator[Notification]:
        """Log a notification, and yield it if it goes to the sink.

        :param identity: its id, a random one if there is none.
        """
        if not self.channels:
            return
        given = data or {}
        values = {**given, "connector_name": self.connector}
        found = Notification(
            identity if identity is not None else str(uuid.uuid4()),
            aggregate,
            type_,
            {name: values[name] for name in grown_hash_order(len(given), values)},
            self.now() // 1_000_000,
        )
        if "log" in self.channels:
            log.info("[Notification Service]  %s", found)
        if "sink" in self.channels:
            yield found

    def snapshot(self, type_: str) -> Iterator[Notification]:
        """Publish a step of a snapshot as a whole."""
        return self.publish(_INITIAL, type_)

    def failed_scan(self, table: TableId) -> Iterator[Notification]:
        """Publish that a table of a snapshot cannot be read."""
        data = {"scanned_collection": str(table), "status": "SQL_EXCEPTION"}
        return self.publish(_INITIAL, "TABLE_SCAN_COMPLETED", data)

    def scan(self, step: TableScan) -> Iterator[Notification]:
        """Publish that a table of a snapshot is being read, or is read."""
        if not self.channels:  # joining thousands of names for each table takes time
            return iter(())
        if step.rows is None:
            order = concurrent_hash_order if step.chunks else hash_set_order
            data = {
                "current_collection_in_progress": str(step.table),
                "data_collections": joined(order([str(table) for table in step.tables])),
            }
            return self.publish(_INITIAL, "IN_PROGRESS", data)
        data = {
            "scanned_collection": str(step.table),
            "data_collections": joined(step.tables),
            "total_rows_scanned": str(step.rows),
            "status": "SUCCEEDED",
        }
        return self.publish(_INITIAL, "TABLE_SCAN_COMPLETED", data)

    def chunk(self, step: ChunkScan) -> Iterator[Notification]:
        """Publish that a range of keys is being read, or is read."""
        if not self.channels:
            return iter(())
        numbers = {"chunk_index": str(step.number), "total_chunks": str(step.count)}
        if not step.is_complete:
            data = {
                "current_collection_in_progress": str(step.table),
                **numbers,
                "total_rows_scanned": str(step.rows),
            }
            return self.publish(_INITIAL, "TABLE_CHUNK_IN_PROGRESS", data)
        data = {
            "scanned_collection": str(step.table),
            "data_collections": joined(step.tables),
            **numbers,
            "status": "SUCCEEDED",
        }
        return self.publish(_INITIAL, "TABLE_CHUNK_COMPLETED", data)
