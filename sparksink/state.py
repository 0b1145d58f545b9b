"""The sink's own tables: what it must remember to converge, and what it tells of itself.

All of them only grow: a row once written is never changed, so that no crash can leave one half
written. What is true is the greatest or the last row.

=============== ==========================================================================
tombstones      which row was deleted where; a late change of it must not bring it back
watermarks      before which place all of a table was truncated, or is no longer there
boundaries      all such places of a table that keeps its versions
commits         one row a batch that is complete: offsets, of each table version and place, and
                whether the tables hold whole transactions only
dead_letter     messages that cannot be used, and why
parked          messages of tables that cannot go on
parkings        which table was parked, and why, and when it was taken up again
=============== ==========================================================================
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from sparksink.order import BEGINNING, Sequence
from sparksink.tables import Add, Lake, Table
from sparksink.transactions import Transactions, read_again

_MESSAGE: Final = {
    "source_table": "string",
    "topic": "string",
    "partition": "int",
    "offset": "bigint",
    "timestamp": "timestamp",
    "key": "binary",
    "value": "binary",
    "position": "string",
}
SCHEMAS: Final[Mapping[str, Mapping[str, str]]] = {
    "tombstones": {
        "source_table": "string",
        "key": "string",
        "seq_hi": "bigint",
        "seq_lo": "bigint",
        "at": "timestamp",
    },
    "watermarks": {
        "source_table": "string",
        "seq_hi": "bigint",
        "seq_lo": "bigint",
        "at": "timestamp",
    },
    "boundaries": {
        "source_table": "string",
        "seq_hi": "bigint",
        "seq_lo": "bigint",
        "source_micros": "bigint",
        "at": "timestamp",
    },
    "commits": {
        "app": "string",
        "batch": "bigint",
        "at": "timestamp",
        "offsets": "string",
        "consistent": "boolean",
        "transactions": "string",
        "tables": (
            "array<struct<source_table:string,version:string,changes:bigint,faults:bigint,"
            "seq_hi:bigint,seq_lo:bigint,source_ts:timestamp,seconds:double>>"
        ),
    },
    "dead_letter": {**_MESSAGE, "reason": "string", "batch": "bigint", "app": "string"},
    "parked": {**_MESSAGE, "batch": "bigint", "app": "string"},
    "parkings": {
        "source_table": "string",
        "at": "timestamp",
        "parked": "boolean",
        "reason": "string",
    },
}


class Boundary(NamedTuple):
    """Where all rows of a table ended; ``at`` is the source's time in microseconds."""

    hi: int
    lo: int
    at: int | None


@dataclass(frozen=True, slots=True)
class Applied:
    """What one batch did to one table; ``highest`` and ``source_ts`` are of its last change."""

    table: str
    version: str = ""
    changes: int = 0
    faults: int = 0
    highest: Sequence | None = None
    source_ts: datetime | None = None
    seconds: float = 0.0


class State:
    """The sink's own tables; keeps what every batch asks for in memory."""

    def __init__(self, spark: SparkSession, lake: Lake, folder: str) -> None:
        self._spark = spark
        self._lake = lake
        self._folder = folder
        self._lock = threading.Lock()
        self._watermarks: dict[str, Sequence] = {}
        self._deleted: dict[str, Sequence] = {}
        self._boundaries: dict[str, set[Boundary]] = {}
        self._parked: dict[str, str] = {}
        self._last: dict[str, Applied] = {}
        self._transactions: Transactions | None = None

    def open(self) -> None:
        """Read what was remembered."""
        self._watermarks = self._highest("watermarks")
        self._deleted = self._highest("tombstones")
        self._boundaries = self._all_boundaries()
        self._parked = self._open_parkings()
        self._last = self._reached()
        self._transactions = None

    def table(self, name: str) -> Table:
        """Return one of the tables, which is made when it is missing."""
        table = self._lake.table(f"{self._folder}/{name}")
        with self._lock:
            present = table.columns()
            if present is None:
                table.create(SCHEMAS[name], {})
            elif added := {n: kind for n, kind in SCHEMAS[name].items() if n not in present}:
                table.alter([Add(added)], {})
        return table

    def _present(self, name: str) -> Table | None:
        table = self._lake.table(f"{self._folder}/{name}")
        return None if table.columns() is None else table

    def watermark(self, table: str) -> Sequence:
        """Return the place before which nothing of a table exists."""
        return self._watermarks.get(table, BEGINNING)

    def raise_watermark(self, table: str, place: Sequence) -> None:
        """Remember a later such place. The rows before it must be gone already."""
        self._add("watermarks", {"source_table": table, "seq_hi": place.hi, "seq_lo": place.lo})
        self._watermarks[table] = place

    def boundaries(self, table: str) -> Collection[Boundary]:
        """Return all places where the rows of a table ended at once."""
        return self._boundaries.get(table, set())

    def add_boundary(self, table: str, end: Boundary) -> None:
        """Remember such a place. The versions before it must have ended already."""
        place = {"seq_hi": end.hi, "seq_lo": end.lo, "source_micros": end.at}
        self._add("boundaries", {"source_table": table, **place})
        self._boundaries.setdefault(table, set()).add(end)

    def last_delete(self, table: str) -> Sequence:
        """Return the place of a table's last delete."""
        return self._deleted.get(table, BEGINNING)

    def bury(self, table: str, deletes: DataFrame, last: Sequence, writer: str, batch: int) -> None:
        """Remember deletes, rows of ``key, seq_hi, seq_lo``; ``last`` is their last place."""
        rows = deletes.withColumn("source_table", f.lit(table)).withColumn(
            "at", f.current_timestamp()
        )
        self.table("tombstones").append(_ordered("tombstones", rows), writer, batch)
        self._deleted[table] = max(last, self.last_delete(table))

    def last(self, table: str) -> Applied | None:
        """Return the last place and time that a complete batch has reached in a table."""
        return self._last.get(table)

    def reached(self) -> Mapping[str, Applied]:
        """Return for each table the last place and time that a complete batch has reached."""
        return dict(self._last)

    def topics(self) -> list[str]:
        """Return the topics that were read so far."""
        table = self._present("commits")
        if table is None:
            return []
        offsets = f.from_json("offsets", "map<string,map<string,bigint>>")
        names = table.read().select(f.explode(f.map_keys(offsets)).alias("topic")).distinct()
        return sorted(row["topic"] for row in names.collect())

    def forget_deletes(self, table: str, seconds: float) -> None:
        """Forget deletes that are older: no change of their rows can come any more."""
        found = self._present("tombstones")
        if found is not None:
            name = table.replace("\\", "\\\\").replace("'", "\\'")
            old = f"at < current_timestamp() - INTERVAL {int(seconds)} SECONDS"
            found.run(f"DELETE FROM {{table}} WHERE source_table = '{name}' AND {old}")  # noqa: S608 - escaped

    def tidy(self, hours: int) -> None:
        """Join the small files of these tables."""
        for name in SCHEMAS:
            if self._present(name) is not None:
                self._lake.tidy(f"{self._folder}/{name}", hours)

    def parked(self) -> Mapping[str, str]:
        """Return the tables that are parked, with the reasons."""
        return dict(self._parked)

    def park(self, table: str, reason: str) -> None:
        """Set a table aside."""
        self._add("parkings", {"source_table": table, "parked": True, "reason": reason})
        self._parked[table] = reason

    def unpark(self, table: str) -> None:
        """Take a table up again."""
        self._add("parkings", {"source_table": table, "parked": False, "reason": ""})
        self._parked.pop(table, None)

    @property
    def transactions(self) -> Transactions:
        """The transactions of the source as of the last batch that followed them."""
        if self._transactions is None:
            self._transactions = self._followed()
        return self._transactions

    def cut(self) -> tuple[datetime, Mapping[str, str]] | None:
        """Return the time of the last consistent cut, and the version of each table in it."""
        commits = self.table("commits").read()
        last = commits.where("consistent").agg(f.max("at").alias("at")).collect()[0]["at"]
        if last is None:
            return None
        done = commits.where(f.col("at") <= f.lit(last)).select(
            "at", f.explode("tables").alias("t")
        )
        versions = done.where("t.version <> ''").groupBy("t.source_table")
        newest = versions.agg(f.max_by("t.version", "at").alias("version")).collect()
        return last, {row["source_table"]: row["version"] for row in newest}

    def commit(
        self,
        app: str,
        batch: int,
        offsets: str,
        tables: Collection[Applied],
        transactions: Transactions | None = None,
    ) -> None:
        """Remember that a batch is complete."""
        done = [
            (
                one.table,
                one.version,
                one.changes,
                one.faults,
                *(one.highest or (None, None)),
                one.source_ts,
                one.seconds,
            )
            for one in tables
        ]
        values = {"app": app, "batch": batch, "offsets": offsets, "tables": done}
        if transactions is not None:
            values |= {"consistent": transactions.consistent, "transactions": transactions.text()}
        self._add("commits", values, f"{app}:commits", batch)
        self._transactions = transactions or self._transactions
        self._last |= {one.table: _further(self._last.get(one.table), one) for one in tables}

    def _add(
        self, name: str, values: Mapping[str, Any], writer: str | None = None, batch: int = 0
    ) -> None:
        columns = SCHEMAS[name]
        row = tuple({**values, "at": datetime.now(UTC)}.get(column) for column in columns)
        schema = ", ".join(f"{column} {kind}" for column, kind in columns.items())
        frame = self._spark.createDataFrame([row], schema).coalesce(1)
        self.table(name).append(frame, writer or f"{name}-{datetime.now(UTC).isoformat()}", batch)

    def _highest(self, name: str) -> dict[str, Sequence]:
        table = self._present(name)
        if table is None:
            return {}
        place = f.max(f.struct("seq_hi", "seq_lo")).alias("place")
        rows = table.read().groupBy("source_table").agg(place).collect()
        return {row["source_table"]: Sequence(*row["place"]) for row in rows}

    def _all_boundaries(self) -> dict[str, set[Boundary]]:
        table = self._present("boundaries")
        found: dict[str, set[Boundary]] = {}
        for row in table.read().collect() if table else ():
            end = Boundary(row["seq_hi"], row["seq_lo"], row["source_micros"])
            found.setdefault(row["source_table"], set()).add(end)
        return found

    def _reached(self) -> dict[str, Applied]:
        done = (
            self.table("commits").read().select(f.explode("tables").alias("done")).select("done.*")
        )
        place = f.max(f.struct("seq_hi", "seq_lo")).alias("place")
        rows = done.where("seq_hi IS NOT NULL").groupBy("source_table")
        return {
            row["source_table"]: Applied(
                row["source_table"], highest=Sequence(*row["place"]), source_ts=row["at"]
            )
            for row in rows.agg(place, f.max("source_ts").alias("at")).collect()
        }

    def _followed(self) -> Transactions:
        rows = self.table("commits").read().where("transactions IS NOT NULL")
        last = rows.agg(f.max_by("transactions", "at").alias("last")).collect()[0]["last"]
        return read_again(last)

    def _open_parkings(self) -> dict[str, str]:
        table = self._present("parkings")
        if table is None:
            return {}
        last = f.max_by(f.struct("parked", "reason"), "at").alias("last")
        rows = table.read().groupBy("source_table").agg(last).collect()
        return {row["source_table"]: row["last"]["reason"] for row in rows if row["last"]["parked"]}


def _ordered(name: str, rows: DataFrame) -> DataFrame:
    return rows.select(*SCHEMAS[name])


def _further(last: Applied | None, now: Applied) -> Applied:
    """Return how far a table is after a batch: batches may come again, so it never goes back."""
    if last is None or last.highest is None or now.highest is None:
        return now if last is None or now.highest else last
    times = [one.source_ts for one in (last, now) if one.source_ts]
    return replace(now, highest=max(last.highest, now.highest), source_ts=max(times, default=None))
