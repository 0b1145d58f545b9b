"""Which transactions of the source are complete in the tables: whether a batch is a cut.

With ``provide.transaction.metadata`` the connector tells of each transaction how many events of
each table it has, and marks its events with it. A batch after which all events of all transactions
that are told of have arrived is a consistent cut: its tables hold whole transactions only.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as f

from sparksink.config.source import Source

_END: Final = (
    "status:string,id:string,"
    "data_collections:array<struct<data_collection:string,event_count:bigint>>"
)
_LATEST: Final = 20
_MOST: Final = 10_000
"""How many transactions that are not complete are followed: more are not worth to be told."""


Ranges = tuple[tuple[int, int], ...]
"""Numbers as pairs of first and last."""


@dataclass(frozen=True, slots=True)
class Open:
    """A transaction that is not complete: which of its events came, and how many there are.

    The latter is None before its end was told.
    """

    seen: Ranges = ()
    wanted: int | None = None

    def joined(self, seen: Ranges, wanted: int | None) -> Open:
        """Return it with more events; those that came before count once."""
        return Open(union((*self.seen, *seen)), self.wanted if wanted is None else wanted)

    @property
    def whole(self) -> bool:
        """Whether all events came."""
        count = sum(last - first + 1 for first, last in self.seen)
        return self.wanted is not None and count >= self.wanted


@dataclass(frozen=True, slots=True)
class Transactions:
    """What is known after a batch.

    ``done`` are the last complete ones, of whose end the connector may tell again after a
    restart. ``lost``: there were too many to be followed.
    """

    open: Mapping[str, Open]
    done: tuple[str, ...] = ()
    lost: bool = False

    @property
    def consistent(self) -> bool:
        """Whether there are whole transactions only."""
        return not self.open and not self.lost

    def text(self) -> str:
        """Return all of it as JSON."""
        known = {name: [one.seen, one.wanted] for name, one in self.open.items()}
        return json.dumps({"open": known, "done": self.done, "lost": self.lost})


def read_again(text: str | None) -> Transactions:
    """Read what `Transactions.text` wrote; None is the beginning."""
    if text is None:
        return Transactions({})
    found = json.loads(text)
    known = {
        name: Open(tuple((first, last) for first, last in seen), wanted)
        for name, (seen, wanted) in found["open"].items()
    }
    return Transactions(known, tuple(found["done"]), found["lost"])


def union(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Return the same numbers in as few ranges as possible."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(last, joined[-1][1])
        else:
            joined.append((first, last))
    return tuple(joined)


def followed(
    before: Transactions, events: DataFrame, ends: DataFrame, source: Source
) -> Transactions:
    """Return what is known after a batch.

    :param events: ``id`` of the transaction and ``total_order`` in it of its events, each once.
    :param ends: the messages of the transaction topic.
    """
    events = events.localCheckpoint()
    counts = events.groupBy("id").agg(f.count("*").alias("seen"))
    each = counts.join(_told(ends, source), "id", "full_outer").localCheckpoint()
    whole = f.expr("coalesce(coalesce(seen, 0) >= wanted, false)")
    pending = each.where(~whole | f.col("id").isin(list(before.open))).limit(_MOST + 1).collect()
    if len(pending) > _MOST:
        return Transactions({}, before.done, lost=True)
    known = dict(before.open)
    seen = _ranges(events, [row["id"] for row in pending])
    for row in pending:
        again = row["id"] in before.done and not row["seen"]
        if not again:
            one = known.get(row["id"], Open())
            known[row["id"]] = one.joined(seen.get(row["id"], ()), row["wanted"])
    last = each.where(whole).orderBy(f.desc("place")).limit(_LATEST).collect()
    done = [row["id"] for row in last] + [name for name, one in known.items() if one.whole]
    open_ = {name: one for name, one in known.items() if not one.whole}
    return Transactions(open_, tuple(dict.fromkeys([*done, *before.done]))[:_LATEST], before.lost)


def _ranges(events: DataFrame, names: list[str]) -> dict[str, Ranges]:
    """Return the numbers of some transactions' events as ranges."""
    if not names:
        return {}
    window = Window.partitionBy("id").orderBy("total_order")
    island = f.col("total_order") - f.row_number().over(window)
    found = events.where(f.col("id").isin(names)).withColumn("island", island)
    ends = found.groupBy("id", "island").agg(
        f.min("total_order").alias("first"), f.max("total_order").alias("last")
    )
    ranges: dict[str, Ranges] = {}
    for row in ends.collect():
        ranges[row["id"]] = (*ranges.get(row["id"], ()), (row["first"], row["last"]))
    return ranges


def _told(ends: DataFrame, source: Source) -> DataFrame:
    """Read how many events there are of each transaction, in topics that the sink reads."""
    text = f.col("value").cast("string")
    schema = f"struct<{_END},payload:struct<{_END}>>"
    parsed = ends.where("value IS NOT NULL").select("offset", f.from_json(text, schema).alias("v"))
    plain = parsed.selectExpr(
        "offset",
        "coalesce(v.payload.status, v.status) AS status",
        "coalesce(v.payload.id, v.id) AS id",
        "coalesce(v.payload.data_collections, v.data_collections) AS tables",
    )
    topic = f"concat({_quoted(_prefix(source))}, t.data_collection)"
    ours = f"{topic} RLIKE {_quoted(f'^(?:{source.topics})$')}"
    if source.topics_exclude:
        ours += f" AND NOT {topic} RLIKE {_quoted(f'^(?:{source.topics_exclude})$')}"
    counts = f"transform(filter(tables, t -> {ours}), t -> t.event_count)"
    return (
        plain.where("status = 'END'")
        .selectExpr(
            "id",
            f"aggregate(coalesce({counts}, array()), 0L, (sum, n) -> sum + n) AS wanted",
            "offset AS place",
        )
        .groupBy("id")
        .agg(f.max("wanted").alias("wanted"), f.max("place").alias("place"))
    )


def _prefix(source: Source) -> str:
    """Return what stands before ``db.table`` in topics: all before the last word of this one."""
    assert source.transaction_topic is not None
    return source.transaction_topic.rpartition(".")[0] + "."


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
