"""Messages that cannot be used: kept as they came, with the reason."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from sparksink.apply.batch import Batch
from sparksink.errors import SinkError
from sparksink.state.own import SCHEMAS
from sparksink.state.state import State

_PLACE = ("topic", "partition", "offset")


class DeadLetters:
    """Writes the table of dead letters; ``limit`` is how many a batch of a table may have."""

    def __init__(self, state: State, limit: int) -> None:
        self._state = state
        self._limit = limit

    def add(self, messages: DataFrame, batch: Batch, table: str) -> int:
        """Keep the messages whose changes have a fault; return how many these are.

        :raises SinkError: there are more than the limit; nothing is kept then.
        """
        faults = _faults(batch.frames)
        found = faults.count()
        if found > self._limit:
            raise SinkError(
                f"{table}: {found} messages of one batch cannot be used.",
                "See why with the command plan; errors.max.per.batch sets the limit.",
            )
        if found:
            rows = self.rows(messages.join(faults, [*_PLACE]), batch, table)
            writer = f"{batch.app}:dead_letter"
            self._state.table("dead_letter").append(rows, writer, batch.number)
        return found

    def rows(self, messages: DataFrame, batch: Batch, table: str) -> DataFrame:
        """Return messages with a ``reason`` as rows of the table."""
        return messages.select(
            *_given(messages),
            f.lit(table).alias("source_table"),
            f.lit(batch.number).cast("bigint").alias("batch"),
            f.lit(batch.app).alias("app"),
        ).select(*SCHEMAS["dead_letter"])


def _given(messages: DataFrame) -> list[str]:
    made = {"source_table", "batch", "app"}
    return [
        name for name in SCHEMAS["dead_letter"] if name not in made and name in messages.columns
    ]


def _faults(frames: Sequence[DataFrame]) -> DataFrame:
    bad = [
        frame.where("__fault IS NOT NULL").selectExpr(
            "__topic AS topic", "__partition AS partition", "__offset AS offset",
            "__fault AS reason",
        )
        for frame in frames
    ]  # fmt: skip
    return reduce(DataFrame.unionByName, bad)
