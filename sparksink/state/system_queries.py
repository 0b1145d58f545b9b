"""Queries of the system tables, which read the state at the start of a job."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from pyspark.sql import functions as f

from sparksink.change_position import ChangePosition, newer_sql
from sparksink.schemas.unlogged_changes import LastStatement
from sparksink.state.history_positions import HistoryPositions
from sparksink.state.system_tables import SystemTables
from sparksink.state.table_result import Boundary, PartitionEnd, PendingSweep, TableResult
from sparksink.state.transactions import Transactions, parse_transactions
from sparksink.tables import Table


def highest_positions(own: SystemTables, name: str) -> dict[str, ChangePosition]:
    """Return the last position in ``tombstones`` or ``watermarks`` of each table."""
    table = own.present(name)
    if table is None:
        return {}
    position = f.max(f.struct("seq_hi", "seq_lo")).alias("position")
    rows = table.read().groupBy("source_table").agg(position).collect()
    return {row["source_table"]: ChangePosition(*row["position"]) for row in rows}


def boundaries(own: SystemTables) -> dict[str, set[Boundary]]:
    """Return all positions where all rows of a table ended."""
    table = own.present("boundaries")
    found: dict[str, set[Boundary]] = {}
    for row in table.read().collect() if table else ():
        end = Boundary(row["seq_hi"], row["seq_lo"], row["source_micros"])
        found.setdefault(row["source_table"], set()).add(end)
    return found


def sweeps(own: SystemTables) -> list[PendingSweep]:
    """Return all deferred sweeps, including finished ones."""
    table = own.present("sweeps")
    return [
        PendingSweep(
            row["source_table"],
            row["topic"],
            Boundary(row["seq_hi"], row["seq_lo"], row["source_micros"]),
            row["until"],
        )
        for row in (table.read().collect() if table else ())
    ]


def last_results(own: SystemTables) -> dict[str, TableResult]:
    """Return the last position and time of each table in a complete batch."""
    table = own.present("commits")
    if table is None:
        return {}
    each = table.read().select("batch", "at", f.explode("tables").alias("done"))
    done = each.select("batch", "at", "done.*")
    position = f.max(f.struct("seq_hi", "seq_lo")).alias("position")
    batch = f.max_by("batch", "at").alias("batch")
    rows = done.where("seq_hi IS NOT NULL").groupBy("source_table")
    ends = _partition_ends(table)
    return {
        row["source_table"]: TableResult(
            row["source_table"],
            highest=ChangePosition(*row["position"]),
            source_ts=row["source_ts"],
            batch=row["batch"],
            partitions=ends.get(row["source_table"], {}),
        )
        for row in rows.agg(position, batch, f.max("source_ts").alias("source_ts")).collect()
    }


def _partition_ends(commits: Table) -> Mapping[str, Mapping[int, PartitionEnd]]:
    """Return the ends of the partitions of each table."""
    if "partitions" not in (commits.columns() or {}):
        return {}
    each = commits.read().select(f.explode("partitions").alias("end")).select("end.*")
    position = f.max(f.struct("seq_hi", "seq_lo")).alias("position")
    rows = each.groupBy("source_table", "partition").agg(position, f.max("source_micros"))
    found: dict[str, dict[int, PartitionEnd]] = {}
    for table, partition, highest, micros in rows.collect():
        found.setdefault(table, {})[partition] = PartitionEnd(ChangePosition(*highest), micros)
    return found


def parked_tables(own: SystemTables) -> dict[str, str]:
    """Return the parked tables with the reasons."""
    table = own.present("parkings")
    if table is None:
        return {}
    last = f.max_by(f.struct("parked", "reason"), "at").alias("last")
    rows = table.read().groupBy("source_table").agg(last).collect()
    return {row["source_table"]: row["last"]["reason"] for row in rows if row["last"]["parked"]}


def transactions(own: SystemTables) -> Transactions:
    """Return the transactions of the source after the last batch that followed them."""
    return parse_transactions(_last_value(own, "transactions"))


def history_positions(own: SystemTables) -> HistoryPositions:
    """Return the positions of histories after the last batch that stored them."""
    return HistoryPositions(_last_value(own, "heads"))


def stream_ends(own: SystemTables) -> Mapping[str, Mapping[str, int]]:
    """Return the end offsets of the last batch of a stream: topic → partition → offset."""
    found: Mapping[str, Mapping[str, int]] = json.loads(_last_value(own, "reached") or "{}")
    return found


def _last_value(own: SystemTables, column: str) -> str | None:
    """Return the last value of a column of ``commits``."""
    table = own.present("commits")
    if table is None or column not in (table.columns() or {}):
        return None
    rows = table.read().where(f.col(column).isNotNull())
    last: str | None = rows.agg(f.max_by(column, "at").alias("last")).collect()[0]["last"]
    return last


def streams(own: SystemTables) -> set[str]:
    """Return the names of streams with committed batches; each checkpoint has one name."""
    table = own.present("commits")
    names = table.read().select("app").distinct().collect() if table else ()
    return {row["app"] for row in names if ":" not in row["app"]}


def topics(own: SystemTables) -> list[str]:
    """Return the topics that were read so far."""
    table = own.present("commits")
    if table is None:
        return []
    offsets = f.from_json("offsets", "map<string,map<string,bigint>>")
    names = table.read().select(f.explode(f.map_keys(offsets)).alias("topic")).distinct()
    return sorted(row["topic"] for row in names.collect())


def last_statement(own: SystemTables) -> int:
    """Return the offset of the last stored statement, or -1."""
    table = own.present("ddl")
    last = table.read().agg(f.max("offset").alias("last")).collect()[0]["last"] if table else None
    return -1 if last is None else int(last)


def last_statements(own: SystemTables) -> dict[str, LastStatement]:
    """Return the last statement of each table."""
    table = own.present("ddl")
    if table is None:
        return {}
    last = f.max_by(f.struct("kind", "file", "pos"), "offset").alias("last")
    rows = table.read().where("source_table IS NOT NULL").groupBy("source_table").agg(last)
    return {row["source_table"]: tuple(row["last"]) for row in rows.collect()}


def dropped_tables(own: SystemTables) -> set[str]:
    """Return the tables whose last statement was DROP TABLE."""
    return {name for name, (kind, *_) in last_statements(own).items() if kind == "DROP"}


LACKS_MESSAGES: Final = "lacks messages: take a new snapshot"
DIVERGED: Final = "diverged: "
_A_STATEMENT: Final = "a statement"


def diverged_reason(statement: str | None) -> str:
    """Return the reason why a table differs from the source after a statement."""
    changed = f"{statement or _A_STATEMENT} changed rows without events"
    return f"{DIVERGED}{changed}, take a new snapshot"


def tables_with_gaps(own: SystemTables) -> dict[str, str]:
    """Return the tables that differ from the source until a new snapshot, with the reason."""
    stored = own.present("gaps")
    if stored is None:
        return {}
    table = stored.read()
    if "reason" not in table.columns:  # as an earlier version has created it
        table = table.withColumn("reason", f.lit(None).cast("string"))
    ends = {name: own.present(name) for name in ("watermarks", "boundaries")}
    for ended in filter(None, ends.values()):
        end = ended.read().alias("e")
        # A snapshot that began before the gap lacks the rows, however late it is complete.
        # Without positions only the times are known.
        later = f.when(f.col("g.seq_hi").isNull(), f.col("e.at") > f.col("g.at")).otherwise(
            f.expr(newer_sql("e", "g", "seq_hi", "seq_lo"))
        )
        same = f.col("e.source_table") == f.col("g.source_table")
        table = table.alias("g").join(end, same & later, "left_anti")
    rows = table.select("source_table", "topic", "reason").distinct().collect()
    reasons = [
        (row["source_table"], LACKS_MESSAGES if row["topic"] else diverged_reason(row["reason"]))
        for row in rows
    ]
    return dict(sorted(reasons))


def has_dead_letters(own: SystemTables) -> bool:
    """Return whether there are dead letters."""
    table = own.present("dead_letter")
    return table is not None and not table.read().isEmpty()


def last_cut(own: SystemTables) -> tuple[datetime, Mapping[str, str]] | None:
    """Return the time of the last transactional cut, and the version of each table in it."""
    table = own.present("commits")
    if table is None:
        return None
    commits = table.read()
    last = commits.where("consistent").agg(f.max("at").alias("at")).collect()[0]["at"]
    if last is None:
        return None
    done = commits.where(f.col("at") <= f.lit(last)).select("at", f.explode("tables").alias("t"))
    versions = done.where("t.version <> ''").groupBy("t.source_table")
    newest = versions.agg(f.max_by("t.version", "at").alias("version")).collect()
    return last, {row["source_table"]: row["version"] for row in newest}
