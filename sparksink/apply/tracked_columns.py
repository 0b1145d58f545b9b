"""Versions that start only when a tracked column changes; other changes update the version.

A version is a run of changes that are equal in these columns. Of a run two changes are stored: the
first, where the version starts, and the last, whose values it has. A late change or a boundary may
split it in between.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as f

from sparksink.change_position import POSITION_COLUMNS, ChangePosition, before_sql
from sparksink.evolve.target_table import TargetTable
from sparksink.sql import quote_name
from sparksink.tables import Merge

LAST: Final = ("__last_hi", "__last_lo", "__last_at")
TRACKED_COLUMNS: Final = dict(zip(LAST, ("bigint", "bigint", "timestamp"), strict=True))
"""Position and time of the last change of a version."""

_BEGINS: Final = """NOT __fresh OR __op = 'd' OR __prior IS NULL OR __prior.op = 'd'
    OR coalesce(__prior.cut.hi < __seq_hi
                OR (__prior.cut.hi = __seq_hi AND __prior.cut.lo <= __seq_lo), false)
    OR NOT (__tracked <=> __prior.tracked)"""
_HAS_SEVERAL_CHANGES: Final = (
    "__last_hi > __seq_hi OR (__last_hi = __seq_hi AND __last_lo > __seq_lo)"
)


def known_positions(stored: DataFrame, keys: Iterable[str]) -> DataFrame:
    """Return keys and positions of the known changes of stored versions."""
    names = [f.col(quote_name(key)) for key in keys]
    last = [f.col(old).alias(new) for old, new in zip(LAST, POSITION_COLUMNS, strict=False)]
    return stored.select(*names, *POSITION_COLUMNS).union(stored.select(*names, *last)).distinct()


def as_versions(fresh: DataFrame) -> DataFrame:
    """Return each change as a version that consists of it."""
    return fresh.withColumns(
        dict(zip(LAST, map(f.col, (*POSITION_COLUMNS, "__start_at")), strict=True))
    )


def merge_versions(
    line: DataFrame, keys: Iterable[str], tracked: Sequence[str], cut: Column
) -> DataFrame:
    """Merge changes and versions into versions.

    :param line: changes, which are ``__fresh``, and stored versions with their ends.
    :param cut: the next boundary after the position of a row.
    """
    names = [f.col(quote_name(key)) for key in keys]
    order = Window.partitionBy(*names).orderBy(*POSITION_COLUMNS)
    every = line.unionByName(_last_changes(line)).withColumn("__cut", cut)
    every = every.withColumn("__tracked", f.struct(*(f.col(quote_name(one)) for one in tracked)))
    here = f.struct(
        f.col("__op").alias("op"), f.col("__cut").alias("cut"), f.col("__tracked").alias("tracked")
    )
    every = every.withColumn("__prior", f.lag(here).over(order))
    every = every.withColumn("__run", f.sum(f.expr(_BEGINS).cast("int")).over(order))
    run = Window.partitionBy(*names, "__run").orderBy(*POSITION_COLUMNS)
    whole = run.rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)
    of_first = [
        *POSITION_COLUMNS,
        "__start_at",
        "__op",
        "__end_hi",
        "__end_lo",
        "__end_at",
        "__fresh",
    ]
    first = {name: f.first(name).over(whole) for name in of_first}
    moved = f.expr("NOT (__was.hi <=> __last_hi AND __was.lo <=> __last_lo)")
    was = f.struct(f.col("__last_hi").alias("hi"), f.col("__last_lo").alias("lo"))
    own = dict(zip(LAST, map(f.col, (*POSITION_COLUMNS, "__start_at")), strict=True))
    behind = Window.partitionBy(*names, "__run").orderBy(
        *(f.desc(name) for name in POSITION_COLUMNS)
    )
    last = {"__was": f.first(was).over(whole), "__n": f.row_number().over(behind), **own}
    found = every.withColumns({**last, **first}).where("__n = 1")
    found = found.withColumn("__fresh", f.col("__fresh") | moved)
    return found.drop("__n", "__was", "__run", "__prior", "__tracked", "__cut")


def _last_changes(line: DataFrame) -> DataFrame:
    """Return the last changes of stored versions as separate changes."""
    ended = line.where(f"NOT __fresh AND ({_HAS_SEVERAL_CHANGES})")
    ends = {name: f.lit(None).cast(kind) for name, kind in line.dtypes if name.startswith("__end")}
    moved = dict(zip((*POSITION_COLUMNS, "__start_at"), map(f.col, LAST), strict=True))
    return ended.withColumns({**moved, **ends, "__fresh": f.lit(True), "__op": f.lit("u")})


def split_versions(target: TargetTable, position: ChangePosition) -> None:
    """Split versions at a boundary."""
    behind = f"NOT {before_sql(position, '__last_hi', '__last_lo')}"
    ended = f"__end_hi IS NULL OR NOT {before_sql(position, '__end_hi', '__end_lo')}"
    found = target.table.read().where(f"{before_sql(position)} AND {behind} AND ({ended})")
    whole = found.localCheckpoint()
    first = dict(zip(LAST, map(f.col, (*POSITION_COLUMNS, "__start_at")), strict=True))
    last = dict(zip((*POSITION_COLUMNS, "__start_at"), map(f.col, LAST), strict=True))
    rows = whole.withColumns(first).unionByName(whole.withColumns({**last, "__op": f.lit("u")}))
    columns = tuple(target.columns)
    how = Merge((*target.keys(), *POSITION_COLUMNS), columns, deletes=False, ordered=False)
    # In one commit: only the position of its last change shows that a version was split.
    target.table.merge(rows.select(*(f.col(quote_name(name)) for name in columns)), how)
