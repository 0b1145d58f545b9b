"""What incremental snapshots report of their progress: notifications in Debezium's form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from connector.capture.incremental.state import SnapshotState, key_text
from connector.capture.incremental.table_state import TableState
from connector.capture.notifications import Notifications, joined
from connector.capture.snapshot_events import Notification


class SnapshotReports:
    """Publishes the steps of a snapshot.

    Nothing is built unless a channel is enabled: each step names all tables that are left.
    """

    def __init__(self, notifications: Notifications) -> None:
        self._notifications = notifications

    def step(self, state: SnapshotState, type_: str) -> Iterator[Notification]:
        """Publish a step of the snapshot as a whole."""
        if self._notifications.channels:
            yield from self._publish(state, type_, _collections(state))

    def chunk(self, state: SnapshotState, one: TableState) -> Iterator[Notification]:
        """Publish that a chunk is read."""
        if self._notifications.channels:
            data = {
                **_collections(state),
                "current_collection_in_progress": str(one.table),
                "maximum_key": key_text(one.maximum),
                "last_processed_key": key_text(one.chunk_end),
            }
            yield from self._publish(state, "IN_PROGRESS", data)

    def table(self, state: SnapshotState, one: TableState, status: str) -> Iterator[Notification]:
        """Publish how a table ended."""
        if self._notifications.channels:
            data = {
                **_collections(state),
                "scanned_collection": str(one.table),
                "total_rows_scanned": str(one.rows),
                "status": status,
            }
            yield from self._publish(state, "TABLE_SCAN_COMPLETED", data)

    def publish_completed(self, state: SnapshotState) -> Iterator[Notification]:
        """Publish the end of the snapshot."""
        return self._publish(state, "COMPLETED", {})

    def publish_aborted(
        self, state: SnapshotState, tables: Iterable[object]
    ) -> Iterator[Notification]:
        """Publish which tables were stopped."""
        return self._publish(state, "ABORTED", {"data_collections": joined(tables)})

    def _publish(
        self, state: SnapshotState, type_: str, data: Mapping[str, str]
    ) -> Iterator[Notification]:
        return self._notifications.publish("Incremental Snapshot", type_, data, state.identity)


def _collections(state: SnapshotState) -> dict[str, str]:
    return {"data_collections": joined(state.names)}
