"""The state of a sink: stored in its system tables, and cached in memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from sparksink.change_position import BEGINNING, ChangePosition
from sparksink.sql import string_literal
from sparksink.state import system_queries
from sparksink.state.gaps import Gaps
from sparksink.state.history_positions import HistoryPositions
from sparksink.state.snapshots import Offsets
from sparksink.state.system_tables import SCHEMAS, SystemTables
from sparksink.state.table_result import Boundary, PendingSweep, TableResult, latest_result
from sparksink.state.transactions import (
    OPEN_COLUMNS,
    OPEN_LIMIT,
    StoredBatch,
    Transactions,
    give_up,
)
from sparksink.tables import Lake, Table


class SinkState:
    """Reads and writes the system tables; caches what every batch needs.

    ``open_limit`` is how many open transactions a row of ``commits`` holds.
    """

    def __init__(
        self,
        spark: SparkSession,
        lake: Lake,
        folder: str,
        names: Mapping[str, str] | None = None,
        open_limit: int = OPEN_LIMIT,
    ) -> None:
        self.open_limit = open_limit
        self._spark = spark
        self._own = SystemTables(spark, lake, folder, names or {})
        self._watermarks: dict[str, ChangePosition] = {}
        self._deleted: dict[str, ChangePosition] = {}
        self._boundaries: dict[str, set[Boundary]] = {}
        self._sweeps: list[PendingSweep] = []
        self._parked: dict[str, str] = {}
        self._last: dict[str, TableResult] = {}
        self._transactions: Transactions | None = None
        self._dead_letters = False
        self._gaps = Gaps(self._own)
        self._heads: HistoryPositions | None = None
        self._streams: set[str] | None = None

    def open(self) -> None:
        """Read the stored state."""
        self._watermarks = system_queries.highest_positions(self._own, "watermarks")
        self._deleted = system_queries.highest_positions(self._own, "tombstones")
        self._boundaries = system_queries.boundaries(self._own)
        self._sweeps = system_queries.sweeps(self._own)
        self._parked = system_queries.parked_tables(self._own)
        self._last = system_queries.last_results(self._own)
        self._transactions = None
        self._dead_letters = system_queries.has_dead_letters(self._own)
        self._gaps.open()
        self._heads = None
        self._streams = None

    def table(self, name: str) -> Table:
        """Return a system table, which is created if it is missing."""
        return self._own.table(name)

    def watermark(self, table: str) -> ChangePosition:
        """Return the position before which a table has no rows."""
        return self._watermarks.get(table, BEGINNING)

    def raise_watermark(self, table: str, position: ChangePosition) -> None:
        """Store a higher watermark. The rows before it must be removed already."""
        values = {"source_table": table, "seq_hi": position.hi, "seq_lo": position.lo}
        self._own.add("watermarks", values)
        self._watermarks[table] = position
        self._gaps.reread()

    def boundaries(self, table: str) -> Collection[Boundary]:
        """Return all positions where all rows of a table ended."""
        return self._boundaries.get(table, set())

    def add_boundary(self, table: str, end: Boundary) -> None:
        """Store a boundary. The versions before it must have ended already."""
        position = {"seq_hi": end.hi, "seq_lo": end.lo, "source_micros": end.at}
        self._own.add("boundaries", {"source_table": table, **position})
        self._boundaries.setdefault(table, set()).add(end)
        self._gaps.reread()

    def pending_sweeps(self) -> list[PendingSweep]:
        """Return the ends of snapshots whose sweep is pending."""
        self._sweeps = [
            one
            for one in self._sweeps
            if not self.is_swept(one.table, ChangePosition(*one.end[:2]))
        ]
        return list(self._sweeps)

    def defer_sweep(self, sweep: PendingSweep) -> None:
        """Store a sweep that must wait until more messages are read."""
        if any(one[:3] == sweep[:3] for one in self._sweeps):
            return
        end = {"seq_hi": sweep.end.hi, "seq_lo": sweep.end.lo, "source_micros": sweep.end.at}
        named = {"source_table": sweep.table, "topic": sweep.topic, "until": dict(sweep.until)}
        self._own.add("sweeps", {**named, **end})
        self._sweeps.append(sweep)

    def is_swept(self, table: str, position: ChangePosition) -> bool:
        """Return whether all rows of a table from before a position are removed."""
        ended = any(one[:2] == position for one in self.boundaries(table))
        return ended or self.watermark(table) >= position

    def last_delete(self, table: str) -> ChangePosition:
        """Return the position of a table's last delete."""
        return self._deleted.get(table, BEGINNING)

    def record_deletes(
        self, table: str, deletes: DataFrame, last: ChangePosition, writer: str, batch: int
    ) -> None:
        """Store deletes, rows of ``key, seq_hi, seq_lo``; ``last`` is their last position."""
        rows = deletes.withColumn("source_table", f.lit(table)).withColumn(
            "at", f.current_timestamp()
        )
        self.table("tombstones").append(rows.select(*SCHEMAS["tombstones"]), writer, batch)
        self._deleted[table] = max(last, self.last_delete(table))

    def last(self, table: str) -> TableResult | None:
        """Return the last position and time of a table in a complete batch."""
        return self._last.get(table)

    def table_results(self) -> Mapping[str, TableResult]:
        """Return the last position and time of each table in a complete batch."""
        return dict(self._last)

    def dropped_tables(self) -> Collection[str]:
        """Return the tables that the source has dropped, according to the schema-change topic."""
        return system_queries.dropped_tables(self._own)

    def note_statements(self, found: Iterable[Mapping[str, Any]]) -> None:
        """Store new statements of the schema-change topic as rows of ``ddl``."""
        self._gaps.note_statements(found, self._last)

    def add_gaps(self, gaps: list[Mapping[str, Any]]) -> None:
        """Store gaps: messages that were gone before they were read, or rows without events."""
        self._gaps.add(gaps)

    def gaps(self) -> Mapping[str, str]:
        """Return the tables that differ from the source until a new snapshot, with the reason."""
        return self._gaps.tables(self._last)

    def stream_ends(self) -> Offsets:
        """Return the end offsets of the last batch of a stream."""
        return system_queries.stream_ends(self._own)

    def topics(self) -> list[str]:
        """Return the topics that were read so far."""
        return system_queries.topics(self._own)

    def forget_deletes(self, table: str, seconds: float) -> None:
        """Remove older tombstones, whose rows can no longer change."""
        found = self._own.present("tombstones")
        if found is not None:
            old = f"at < current_timestamp() - INTERVAL {int(seconds)} SECONDS"
            where = f"source_table = {string_literal(table)} AND {old}"
            found.run(f"DELETE FROM {{table}} WHERE {where}")  # noqa: S608 - escaped

    def compact(self, hours: int, snapshots: float | None) -> None:
        """Compact these tables, as in `Lake.compact`."""
        if (stored := self._own.present("transactions")) is not None:
            now = self.transactions.stored or StoredBatch("", -1)
            here = f"app = {string_literal(now.app)} AND batch = {now.batch}"
            stored.run(f"DELETE FROM {{table}} WHERE NOT ({here})")  # noqa: S608 - escaped
        self._own.compact(hours, snapshots)

    def fence(self, owner: str) -> None:
        """Make unfinished writes of other processes to these tables fail, as in `Lake.fence`."""
        self._own.fence(owner)

    def parked_tables(self) -> Mapping[str, str]:
        """Return the tables that are parked, with the reasons."""
        return dict(self._parked)

    def park(self, table: str, reason: str) -> None:
        """Park a table."""
        self._own.add("parkings", {"source_table": table, "parked": True, "reason": reason})
        self._parked[table] = reason

    def unpark(self, table: str) -> None:
        """Resume a table."""
        self._own.add("parkings", {"source_table": table, "parked": False, "reason": ""})
        self._parked.pop(table, None)

    @property
    def transactions(self) -> Transactions:
        """The transactions of the source after the last batch that followed them."""
        if self._transactions is None:
            self._transactions = system_queries.transactions(self._own)
        return self._transactions

    def open_transactions(self) -> DataFrame:
        """Return the open transactions after the last batch, as rows of `OPEN_COLUMNS`."""
        stored = self.transactions.stored
        if stored is None:
            return self.transactions.rows(self._spark)
        found = self.table("transactions").read()
        here = (f.col("app") == stored.app) & (f.col("batch") == stored.batch)
        return found.where(here).select(*OPEN_COLUMNS)

    def store_transactions(self, rows: DataFrame, app: str, batch: int) -> StoredBatch:
        """Store open transactions that are too many for the row of a batch."""
        named = rows.withColumn("app", f.lit(app)).withColumn("batch", f.lit(batch).cast("bigint"))
        table = self.table("transactions")
        table.append(named.select(*SCHEMAS["transactions"]), f"{app}:transactions", batch)
        return StoredBatch(app, batch)

    def give_up_transactions(self, app: str, present: Callable[[], Offsets]) -> None:
        """Stop waiting for removed events of open transactions; ``app`` is a new name."""
        before = self.transactions
        if before.open or before.stored:
            after = give_up(
                before,
                self.open_transactions(),
                present,
                lambda rows: self.store_transactions(rows, app, 0),
            )
            self.commit(app, 0, "{}", [], after)

    @property
    def lacks_messages(self) -> bool:
        """Whether tables lack messages: parked ones, dead letters, or lost ones."""
        return bool(self._parked) or self._dead_letters or bool(self.gaps())

    @property
    def heads(self) -> HistoryPositions:
        """The positions of histories; read when a history needs them."""
        if self._heads is None:
            self._heads = system_queries.history_positions(self._own)
        return self._heads

    def streams(self) -> Collection[str]:
        """Return the names of the streams with complete batches from before this job."""
        if self._streams is None:
            self._streams = system_queries.streams(self._own)
        return self._streams

    def cut(self) -> tuple[datetime, Mapping[str, str]] | None:
        """Return the time of the last transactional cut, and the version of each table in it."""
        return system_queries.last_cut(self._own)

    def commit(
        self,
        app: str,
        batch: int,
        offsets: str,
        tables: Collection[TableResult],
        transactions: Transactions | None = None,
        reached: Offsets | None = None,
    ) -> None:
        """Store that a batch is complete; ``reached`` is how far its stream has read then."""
        done = [one.commit_entry() for one in tables]
        self._dead_letters |= any(one.faults for one in tables)
        values = {"app": app, "batch": batch, "offsets": offsets, "tables": done}
        values["partitions"] = [end for one in tables for end in one.partition_entries()]
        values["reached"] = json.dumps(reached, sort_keys=True) if reached else None
        if transactions is not None:
            whole = not (self.lacks_messages or self.pending_sweeps())
            consistent = transactions.consistent and whole
            values |= {"consistent": consistent, "transactions": transactions.text()}
        if self._heads is not None:
            values["heads"] = self._heads.text()
        self._own.add("commits", values, f"{app}:commits", batch)
        self._transactions = transactions or self._transactions
        self._last |= {one.table: latest_result(self._last.get(one.table), one) for one in tables}
