"""Changes as Debezium's records: the generic path, for any transforms and converters.

One row change makes one record, a delete also a tombstone, and a change of the key a delete of
the old and a creation of the new one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

from connector.capture.change import (
    Change,
    HeartbeatDue,
    Row,
    RowChanges,
    SchemaChange,
    TransactionBoundary,
    Truncated,
)
from connector.capture.snapshot_events import Notification
from connector.capture.table_schema import TableEventSchema
from connector.data.record import Header, Record
from connector.data.schema import STRING, Schema
from connector.debezium.schema_events import SchemaEvents
from connector.debezium.schemas import (
    HEARTBEAT_KEY,
    HEARTBEAT_VALUE,
    NOTIFICATION_KEY,
    NOTIFICATION_VALUE,
)
from connector.debezium.topics import TopicNaming
from connector.debezium.transactions import Transaction, mark_record

NEW_KEY, OLD_KEY = "__debezium.newkey", "__debezium.oldkey"
_CONTEXT = "__debezium.context."


@dataclass(frozen=True, slots=True)
class EventOptions:
    """How one connector's events look.

    ``row_slot``: where a source block holds the row number. ``notifications`` is the topic of
    notifications.
    """

    connector: str
    naming: TopicNaming
    source: Schema
    row_slot: int
    tombstones: bool = True
    transactions: bool = False
    resumes_transactions: bool = True
    schema_changes: bool = True
    heartbeats: bool = False
    skips_unchanged: bool = False
    context_headers: tuple[Header, ...] = ()
    notifications: str | None = None
    now: Callable[[], int] = time.time_ns


def context_headers(connector: str, logical_name: str, task: int, run: str) -> tuple[Header, ...]:
    """Build the headers that name the connector, task and run of a record."""
    values = {
        "connectorLogicalName": logical_name,
        "taskId": str(task),
        "connectorName": connector,
        "runId": run,
    }
    return tuple(Header(_CONTEXT + name, STRING, value) for name, value in values.items())


class EventRecords:
    """Makes the records of one connector, in order."""

    def __init__(self, options: EventOptions, transaction: Transaction) -> None:
        self._options = options
        self._transaction = transaction
        self._schema_events = SchemaEvents(
            options.connector, options.source, options.naming.schema_change()
        )
        self._source_names = tuple(field.name for field in options.source.fields)
        self._row_name = self._source_names[options.row_slot]

    def records(self, change: Change) -> Iterator[Record]:
        """Yield the records of a change."""
        if isinstance(change, RowChanges):
            yield from self._row_records(change)
        elif isinstance(change, SchemaChange):
            if self._options.schema_changes:
                record = self._schema_events.record(change, self._options.now() // 1_000_000)
                yield self._with_context(record)
        elif isinstance(change, TransactionBoundary):
            if self._options.transactions:
                mark = mark_record(change, self._transaction, self._options.naming.transactions())
                if mark is not None:
                    yield mark
        elif isinstance(change, Truncated):
            value = self._envelope(change.codec, "t", None, None, self._source(change.source))
            yield self._with_context(_record(change.codec, None, value))
        elif isinstance(change, HeartbeatDue) and self._options.heartbeats:
            yield self._heartbeat()
        elif isinstance(change, Notification) and self._options.notifications:
            yield _notification(change, self._options.notifications)

    def _row_records(self, change: RowChanges) -> Iterator[Record]:
        codec = change.codec
        moved = moving(codec)
        for number, (before, after) in numbered_rows(change, self._options):
            source = self._source(change.source)
            source[self._row_name] = 0 if change.first_row is None else number
            moves = before is not None and after is not None and moved(before, after)
            yield from self.row(codec, change.op, before, after, source, moves=moves)

    def row(
        self,
        codec: TableEventSchema,
        op: str,
        before: Row | None,
        after: Row | None,
        source: dict[str, Any],
        *,
        moves: bool,
    ) -> Iterator[Record]:
        """Yield the records of one row; ``moves``: an update changed its key."""
        if before is not None and after is not None and moves:
            yield from self._move(codec, before, after, source)
            return
        row = after if after is not None else before
        assert row is not None
        value = self._envelope(codec, op, before, after, source)
        record = self._with_context(_record(codec, codec.key_struct(row), value))
        headers = record.headers  # a transform may put another list into the record
        yield record
        if after is None and self._options.tombstones:
            yield _tombstone(codec, codec.key_struct(row), headers)

    def _move(
        self, codec: TableEventSchema, before: Row, after: Row, source: dict[str, Any]
    ) -> Iterator[Record]:
        old, new = codec.key_struct(before), codec.key_struct(after)
        to_new = [Header(NEW_KEY, codec.key_schema, new)]
        deleted = self._envelope(codec, "d", before, None, source)
        record = self._with_context(_record(codec, old, deleted, to_new))
        headers = record.headers
        yield record
        if self._options.tombstones:
            yield _tombstone(codec, old, headers)
        created = self._envelope(codec, "c", None, after, source)
        to_old = [Header(OLD_KEY, codec.key_schema, old)]
        yield self._with_context(_record(codec, new, created, to_old))

    def _envelope(
        self,
        codec: TableEventSchema,
        op: str,
        before: Row | None,
        after: Row | None,
        source: dict[str, Any],
    ) -> dict[str, Any]:
        ts_ms, ts_us, ts_ns = self.times()
        return {
            "before": codec.value_struct(before),
            "after": codec.value_struct(after),
            "source": source,
            "transaction": self.transaction_block(codec, op),
            "op": op,
            "ts_ms": ts_ms,
            "ts_us": ts_us,
            "ts_ns": ts_ns,
        }

    def times(self) -> tuple[Any, Any, Any]:
        """Return the time now in milliseconds, microseconds and nanoseconds."""
        now = self._options.now()
        return now // 1_000_000, now // 1000, now

    def transaction_block(self, codec: TableEventSchema, op: str) -> dict[str, Any] | None:
        """Count one more event of the transaction in progress, if it is counted."""
        if not self._options.transactions or self._transaction.id is None or op == "r":
            return None
        return self._transaction.event(codec.table.id)

    def _source(self, values: Row) -> dict[str, Any]:
        return dict(zip(self._source_names, values, strict=True))

    def _heartbeat(self) -> Record:
        naming = self._options.naming
        value = {"ts_ms": self._options.now() // 1_000_000}
        key = {"serverName": naming.prefix}
        return Record(naming.heartbeat(), 0, HEARTBEAT_KEY, key, HEARTBEAT_VALUE, value)

    def _with_context(self, record: Record) -> Record:
        return replace(record, headers=[*record.headers, *self._options.context_headers])


def numbered_rows(
    change: RowChanges, options: EventOptions
) -> Iterator[tuple[int, tuple[Row | None, Row | None]]]:
    """Yield the rows of a change with their numbers; unchanged updates may be skipped."""
    numbered = enumerate(change.rows, change.first_row or 0)
    if not options.skips_unchanged or change.op != "u":
        return numbered
    width = len(change.codec.value_schema.fields)
    return (
        (number, (before, after))
        for number, (before, after) in numbered
        if before is None or after is None or before[:width] != after[:width]
    )


def moving(codec: TableEventSchema) -> Callable[[Row, Row], bool]:
    """Return the test whether an update changes the key of a row."""
    if not codec.key_slots:
        return lambda _before, _after: False
    key = itemgetter(*codec.key_slots)
    return lambda before, after: key(before) != key(after)


def _record(
    codec: TableEventSchema,
    key: dict[str, Any] | None,
    value: dict[str, Any],
    headers: Sequence[Header] = (),
) -> Record:
    schema = None if key is None else codec.key_schema
    return Record(codec.topic, None, schema, key, codec.envelope_schema, value, list(headers))


def _notification(change: Notification, topic: str) -> Record:
    value = {
        "id": change.id,
        "type": change.type,
        "aggregate_type": change.aggregate_type,
        "additional_data": dict(change.additional_data),
        "timestamp": change.timestamp,
    }
    return Record(topic, None, NOTIFICATION_KEY, {"id": change.id}, NOTIFICATION_VALUE, value)


def _tombstone(
    codec: TableEventSchema, key: dict[str, Any] | None, headers: list[Header]
) -> Record:
    """Build the tombstone of a delete.

    Both have one list of headers, as in Debezium: what a transform adds to it is in both.
    """
    return Record(codec.topic, None, codec.key_schema, key, None, None, headers)
