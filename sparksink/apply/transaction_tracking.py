"""Tracks the transactions and snapshots of the events that a batch applies."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from sparksink.apply.batch import MessageBatch
from sparksink.config.source import Source
from sparksink.decode.message_schemas import MessageSchemas
from sparksink.decode.transactions import events
from sparksink.state.sink_state import SinkState
from sparksink.state.snapshots import SnapshotRows
from sparksink.state.table_result import TableResult
from sparksink.state.transactions import Transactions, next_transactions, transaction_ends

_MESSAGE = ["topic", "partition", "offset"]


class TransactionTracker:
    """Follows transactions and snapshots of the source from batch to batch."""

    def __init__(self, source: Source, layouts: MessageSchemas, state: SinkState) -> None:
        self._source = source
        self._layouts = layouts
        self._state = state

    def follow(
        self, batch: MessageBatch, applied: Collection[str], done: Sequence[TableResult]
    ) -> Transactions | None:
        """Return the transactions after a batch; None if they are not followed.

        :param applied: the topics whose tables are not parked.
        :param done: the results of the tables.
        """
        if batch.ends is None:
            return None
        schemas = self._layouts.avro({(one.topic, one.mark) for one in batch.counts})
        found = events(batch.marked, schemas)
        finished = transaction_ends(batch.ends, self._source).localCheckpoint()
        before = self._state.transactions
        snapshot, partial = before.snapshot, False
        if batch.progress.streams:
            rows = _snapshot_rows(found, streams=not finished.isEmpty())
            snapshot, partial = snapshot.after(rows, batch.progress), rows.incremental > 0
        arrived = found.where(f.col("topic").isin(*applied) & f.col("id").isNotNull())
        if any(one.faults for one in done):
            letters = self._dead_letters(batch.app, batch.number)
            arrived = arrived.join(letters, _MESSAGE, "left_anti")
        known = next_transactions(
            before,
            self._state.open_transactions(),
            arrived.select("id", "total_order"),
            finished,
            snapshot,
            lambda rows: self._state.store_transactions(rows, batch.app, batch.number),
            self._state.open_limit,
        )
        return replace(known, partial=partial)

    def _dead_letters(self, app: str, batch: int) -> DataFrame:
        letters = self._state.table("dead_letter").read()
        here = (f.col("batch") == batch) & f.col("app").startswith(f"{app}:")
        return letters.where(here).select(*_MESSAGE)


def _snapshot_rows(found: DataFrame, *, streams: bool) -> SnapshotRows:
    incremental = f.expr("coalesce(snapshot, '') = 'incremental'")
    whole = (f.col("op") == "r") & ~incremental
    last = (f.col("op") == "r") & (f.col("snapshot") == "last")
    row = found.agg(
        f.count(f.when(whole, 1)),
        f.count(f.when((f.col("op") == "r") & incremental, 1)),
        f.count(f.when(last, 1)),
    ).collect()[0]
    return SnapshotRows(row[0], row[1], row[2] > 0, streams)
