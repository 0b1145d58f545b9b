"""Tracks which transactions of the source are complete in the tables.

With ``provide.transaction.metadata`` the connector reports for each transaction how many events of
each table it has, and marks its events with it. A transaction is complete once all of its events
were applied.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as f

from sparksink.config.source import Source
from sparksink.sql import string_literal
from sparksink.state.snapshots import NO_SNAPSHOT, Offsets, SnapshotProgress

OPEN_COLUMNS: Final = {
    "id": "string",
    "ranges": "array<struct<first:bigint,last:bigint>>",
    "expected": "bigint",
    "given_up": "boolean",
}
"""A transaction that is not complete; see `OpenTransaction`."""

_END: Final = (
    "status:string,id:string,"
    "data_collections:array<struct<data_collection:string,event_count:bigint>>"
)
_LATEST: Final = 20
OPEN_LIMIT: Final = 10_000
"""How many incomplete transactions the row in ``commits`` holds; more are kept in a table."""


class OpenTransaction(NamedTuple):
    """A transaction that is not complete.

    ``ranges`` are the first and last numbers of applied events, ``expected`` is the number of
    events, None before the end was read. With ``given_up`` missing events will never arrive.
    """

    ranges: Sequence[tuple[int, int]] = ()
    expected: int | None = None
    given_up: bool = False


class StoredBatch(NamedTuple):
    """The batch with which open transactions are stored that are too many for a row."""

    app: str
    batch: int


@dataclass(frozen=True, slots=True)
class Transactions:
    """The open transactions after a batch: in ``open``, or ``stored`` in a table.

    ``done`` are the last complete ones, whose end the connector may repeat after a restart.
    ``partial``: the batch has rows of an incremental snapshot, whose end nothing reports.
    """

    open: Mapping[str, OpenTransaction] = field(default_factory=dict)
    done: tuple[str, ...] = ()
    stored: StoredBatch | None = None
    snapshot: SnapshotProgress = NO_SNAPSHOT
    partial: bool = False

    @property
    def consistent(self) -> bool:
        """Whether the tables hold whole transactions and whole snapshots only."""
        waits = self.partial or self.snapshot.phase != "none"
        return not self.open and self.stored is None and not waits

    def text(self) -> str:
        """Return it as JSON."""
        known = {name: list(one) for name, one in self.open.items()}
        snapshot = self.snapshot.as_json()
        return json.dumps(
            {"open": known, "done": self.done, "stored": self.stored, "snapshot": snapshot}
        )

    def rows(self, spark: SparkSession) -> DataFrame:
        """Return the transactions of ``open`` as rows of `OPEN_COLUMNS`."""
        found = [
            {
                "id": name,
                "ranges": [{"first": first, "last": last} for first, last in one.ranges],
                "expected": one.expected,
                "given_up": one.given_up,
            }
            for name, one in self.open.items()
        ]
        kinds = ", ".join(f"{column}: {kind}" for column, kind in OPEN_COLUMNS.items())
        given = string_literal(json.dumps(found))
        return spark.sql(f"SELECT inline(from_json({given}, 'array<struct<{kinds}>>'))")


def parse_transactions(text: str | None) -> Transactions:
    """Parse the result of `Transactions.text`; None is the initial state."""
    if text is None:
        return Transactions()
    found = json.loads(text)
    known = {
        name: OpenTransaction([(first, last) for first, last in ranges], *rest)
        for name, (ranges, *rest) in found["open"].items()
    }
    stored = found.get("stored")
    # Older versions dropped too many open transactions; wait as for the end of a snapshot.
    lost = ["running", None] if found.get("lost") else None
    snapshot = SnapshotProgress.from_json(found.get("snapshot", lost))
    return Transactions(known, tuple(found["done"]), stored and StoredBatch(*stored), snapshot)


def next_transactions(
    before: Transactions,
    known: DataFrame,
    events: DataFrame,
    ends: DataFrame,
    snapshot: SnapshotProgress,
    store: Callable[[DataFrame], StoredBatch],
    limit: int = OPEN_LIMIT,
) -> Transactions:
    """Return the transactions after a batch.

    :param known: the open transactions before it, rows of `OPEN_COLUMNS`.
    :param events: ``id`` of the transaction and ``total_order`` in it of events that were applied.
    :param ends: ``id, expected, position``, as `transaction_ends` returns.
    :param snapshot: the progress of snapshots after the batch.
    :param store: keeps open transactions for the next batch where these are more than ``limit``.
    """
    events = events.distinct().localCheckpoint()
    counts = events.groupBy("id").agg(f.count("*").alias("seen"))
    each = counts.join(ends, "id", "full_outer").where(~f.col("id").isin(*before.done))
    each = each.localCheckpoint()
    whole = f.expr("coalesce(coalesce(seen, 0) >= expected, false)")
    found = _still_open(known, each.where(~whole), each, events)
    found = _without_lost(found, before.snapshot, snapshot).localCheckpoint()
    rows = found.limit(limit + 1).collect()
    last = each.where(whole).orderBy(f.desc("position")).limit(_LATEST).collect()
    done = [row["id"] for row in last]
    if len(rows) > limit:
        return Transactions({}, _recently_done(done, before), store(found), snapshot)
    open_ = {row["id"]: _open_transaction(row) for row in rows}
    done += [name for name in before.open if name not in open_]
    return Transactions(open_, _recently_done(done, before), None, snapshot)


def give_up(
    before: Transactions,
    known: DataFrame,
    present: Callable[[], Offsets],
    store: Callable[[DataFrame], StoredBatch],
) -> Transactions:
    """Stop waiting for removed events, once the topics are read up to their present ends.

    While a snapshot is incomplete, its end does the same.
    """
    snapshot = before.snapshot.with_end(present)
    if snapshot is before.snapshot:
        return before
    if before.stored is not None:
        rows = known.withColumn("given_up", f.col("expected").isNotNull()).localCheckpoint()
        return replace(before, stored=store(rows), snapshot=snapshot)
    open_ = {
        name: one._replace(given_up=one.expected is not None) for name, one in before.open.items()
    }
    return replace(before, open=open_, snapshot=snapshot)


def _without_lost(found: DataFrame, before: SnapshotProgress, after: SnapshotProgress) -> DataFrame:
    """Drop transactions that stay incomplete although everything was read.

    Their changes are in the rows of a snapshot, or their events were dead letters that an operator
    has purged. Those that were open with a known end when the wait started are dropped at its end.
    """
    waited = "ended" in {before.phase, after.phase}
    if after.phase == "ended" and before.phase != "ended":
        found = found.withColumn("given_up", f.col("expected").isNotNull())
    return found.where("NOT given_up") if waited and after.phase == "none" else found


def _recently_done(done: Sequence[str], before: Transactions) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*done, *before.done]))[:_LATEST]


def _open_transaction(row: Any) -> OpenTransaction:
    ranges = [(one["first"], one["last"]) for one in row["ranges"] or ()]
    return OpenTransaction(ranges, row["expected"], row["given_up"])


def _still_open(
    known: DataFrame, partial: DataFrame, each: DataFrame, events: DataFrame
) -> DataFrame:
    """Return the incomplete transactions, joined from known ones and those of a batch.

    :param partial: the rows of ``each`` that this batch alone does not complete.
    """
    names = partial.select("id").union(known.select("id")).distinct()
    facts = (
        each.join(names, "id", "left_semi")
        .selectExpr("id", "expected", "false AS given_up")
        .union(known.select("id", "expected", "given_up"))
        .groupBy("id")
        .agg(f.max("expected").alias("expected"), f.max("given_up").alias("given_up"))
    )
    fresh = events.join(names, "id", "left_semi")
    fresh = fresh.selectExpr("id", "total_order AS first", "total_order AS last")
    ranges = _merge_ranges(fresh.union(known.selectExpr("id", "inline(ranges)")))
    found = facts.join(ranges, "id", "left")
    return found.where("expected IS NULL OR coalesce(seen, 0) < expected").select(*OPEN_COLUMNS)


def _merge_ranges(ranges: DataFrame) -> DataFrame:
    """Merge the ranges of each transaction, and count their numbers."""
    order = Window.partitionBy("id").orderBy("first", "last")
    reach = f.max("last").over(order.rowsBetween(Window.unboundedPreceding, -1))
    begins = f.when(f.col("first") <= reach + 1, 0).otherwise(1)
    islands = ranges.withColumn("begins", begins).withColumn("island", f.sum("begins").over(order))
    merged = islands.groupBy("id", "island").agg(
        f.min("first").alias("first"), f.max("last").alias("last")
    )
    return merged.groupBy("id").agg(
        f.sort_array(f.collect_list(f.struct("first", "last"))).alias("ranges"),
        f.sum(f.expr("last - first + 1")).alias("seen"),
    )


def transaction_ends(messages: DataFrame, source: Source) -> DataFrame:
    """Return ``id, expected, position`` of transactions that end in the transaction topic.

    ``expected`` counts the events in topics that the sink reads, ``position`` orders the ends.
    """
    text = f.col("value").cast("string")
    schema = f"struct<{_END},payload:struct<{_END}>>"
    parsed = messages.where("value IS NOT NULL")
    plain = parsed.select("offset", f.from_json(text, schema).alias("v")).selectExpr(
        "offset",
        "coalesce(v.payload.status, v.status) AS status",
        "coalesce(v.payload.id, v.id) AS id",
        "coalesce(v.payload.data_collections, v.data_collections) AS tables",
    )
    topic = f"concat({string_literal(_prefix(source))}, t.data_collection)"
    ours = f"{topic} RLIKE {string_literal(f'^(?:{source.topics})$')}"
    if source.topics_exclude:
        ours += f" AND NOT {topic} RLIKE {string_literal(f'^(?:{source.topics_exclude})$')}"
    counts = f"transform(filter(tables, t -> {ours}), t -> t.event_count)"
    return (
        plain.where("status = 'END'")
        .selectExpr(
            "id",
            f"aggregate(coalesce({counts}, array()), 0L, (sum, n) -> sum + n) AS expected",
            "offset AS position",
        )
        .groupBy("id")
        .agg(f.max("expected").alias("expected"), f.max("position").alias("position"))
    )


def _prefix(source: Source) -> str:
    """Return the prefix of ``db.table`` in topics: that of the transaction topic."""
    assert source.transaction_topic is not None
    return source.transaction_topic.rpartition(".")[0] + "."
