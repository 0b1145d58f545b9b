"""Refuses changes of a row whose binlog positions contradict the order of their messages.

All events of a compressed transaction (``binlog_transaction_compression``) have one position, and
each numbers its rows from 0. So two changes of a row may have the same position, or the earlier one
the greater row number. Position headers number the rows of the transaction instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pyspark.sql import Column, DataFrame, Row, Window
from pyspark.sql import functions as f

from sparksink.apply.batch_measures import ObservedChanges
from sparksink.change_position import POSITION_COLUMNS, ChangePosition, before_sql
from sparksink.errors import TableError
from sparksink.sql import quote_name
from sparksink.state.table_result import PartitionEnd

NEWEST_FIRST: Final = ("__seq_hi", "__seq_lo", "__partition", "__offset")
"""The order, descending, in which the changes of a row are compared."""

_COMPARED: Final = "__streamed AND __op <> 'r'"
"""Changes of the binlog: rows of a snapshot have its position, and may repeat."""
_FOUND: Final = "min(CASE WHEN __ambiguous THEN struct(__partition, __offset) END)"
_UNHASHABLE: Final = ("map", "variant")
_BEFORE: Final = "__before_name"
"""What an update of a row without key replaced."""


class AmbiguousPositions:
    """Watches the changes of a batch for positions that do not order the changes of a row.

    A connector writes the changes of a row in their order. A change that is redelivered has the
    position and the content of an earlier message; ``ends``, the ends of the partitions after
    earlier batches, show whether that may be in an earlier batch.
    """

    def __init__(
        self, changes: DataFrame, keys: Sequence[str], ends: Mapping[int, PartitionEnd]
    ) -> None:
        marked = _mark(changes, keys, ends)
        self._observed = ObservedChanges(marked, [f.expr(_FOUND).alias("found")], ())
        self.frame = self._observed.frame.select(*map(quote_name, changes.columns))

    def check(self, table: str) -> None:
        """Refuse ambiguous positions; the frame must have been run.

        :raises TableError: there are some.
        """
        _refuse(table, self._observed.values()["found"])


def check_persisted(
    table: str, changes: DataFrame, keys: Sequence[str], ends: Mapping[int, PartitionEnd]
) -> None:
    """Refuse ambiguous positions of persisted changes.

    Without a key only changes with the same position are compared: a row that is redelivered may
    be in another partition, behind later rows of its event.

    :raises TableError: there are some.
    """
    _refuse(table, _mark(changes, keys, ends).agg(f.expr(_FOUND)).collect()[0][0])


def _refuse(table: str, found: Row | None) -> None:
    if found is None:
        return
    raise TableError(
        f"{table}: the binlog position of a change, in partition {found[0]} at offset {found[1]},"
        " does not say whether it is later than another change of the row: the source compresses"
        " transactions (binlog_transaction_compression=ON), whose events have one position.",
        "Set millrace.position.headers=true in the connector and ordering.epoch=header, or do not"
        " compress transactions. Then take a new snapshot, and read the topic from there with a"
        " new target.path and checkpoint (source.starting.offsets).",
    )


def _mark(changes: DataFrame, keys: Sequence[str], ends: Mapping[int, PartitionEnd]) -> DataFrame:
    """Return the changes of rows, with the column ``__ambiguous``."""
    parts = [*map(quote_name, keys)] or [*POSITION_COLUMNS]
    line = Window.partitionBy(*parts).orderBy(*map(f.desc, NEWEST_FIRST))
    place = [*map(f.col, NEWEST_FIRST)]
    rows = changes.where("__fault IS NULL AND __op <> 't'")
    if not keys:  # all rows of a snapshot have one position, and would be one group
        rows = rows.where(_COMPARED)
    rows = rows.withColumn("__content", f.when(f.expr(_COMPARED), _content(changes, keys)))
    rows = rows.withColumn("__older", f.lead(f.struct(*place, "__content")).over(line))
    # Of the messages with one position the first one counts: the others are redelivered.
    repeats = _same("__older", "__seq_lo") if keys else f.col("__older").isNotNull()
    rows = rows.withColumn("__repeats", repeats)
    first = f.when(f.expr(f"NOT __repeats AND {_COMPARED}"), f.struct(*place))
    before = line.rowsBetween(Window.unboundedPreceding, -1)
    rows = rows.withColumn("__newer", f.last(first, ignorenulls=True).over(before))
    unlike = f.col("__repeats") & f.expr("__older.__content <> __content")
    inverted = ~f.col("__repeats") & _same("__newer", "shiftright(__seq_lo, 22)")
    inverted &= f.expr(f"{_COMPARED} AND __newer.__offset < __offset") & ~_is_read(ends)
    return rows.withColumn("__ambiguous", f.coalesce(unlike | inverted, f.lit(False)))


def _content(changes: DataFrame, keys: Sequence[str]) -> Column:
    """Return a hash of a change; that of a delete, which may be a tombstone, has only the key."""
    columns = [f.col("__op")] + [
        f.col(quote_name(name))
        for name, kind in sorted(changes.dtypes)
        if not name.startswith("__") and not kind.startswith(_UNHASHABLE)
    ]
    named = [f.col(quote_name(key)) for key in keys] or columns
    if _BEFORE in changes.columns:
        columns = [*columns, f.col(_BEFORE)]
    return f.when(f.col("__op") == "d", f.xxhash64(*named)).otherwise(f.xxhash64(*columns))


def _same(other: str, low: str) -> Column:
    """Return the condition that another change has the partition and position of a row."""
    return f.expr(
        f"coalesce({other}.__partition = __partition AND {other}.__seq_hi = __seq_hi"
        f" AND {low.replace('__seq_lo', f'{other}.__seq_lo')} = {low}, false)"
    )


def _is_read(ends: Mapping[int, PartitionEnd]) -> Column:
    """Return the condition that an earlier batch may have read a change."""
    known = [
        f"(__partition = {partition} AND {before_sql(_behind(end.highest))})"
        for partition, end in ends.items()
    ]
    return f.expr(" OR ".join(known) or "false")


def _behind(position: ChangePosition) -> ChangePosition:
    return position._replace(lo=position.lo + 1)
