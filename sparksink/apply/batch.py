"""One batch on its way into the tables of one topic."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Protocol

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from sparksink.apply.batch_measures import BatchMeasures
from sparksink.evolve.target_table import TargetTable
from sparksink.state.snapshots import ReadProgress
from sparksink.state.table_result import Boundary


@dataclass(frozen=True, slots=True)
class TopicBatch:
    """The messages of one topic in one batch: as they came, and ``marked`` without schemas.

    ``marks`` are those that occur, ``lasting`` those of the last messages of partitions, ``size``
    is how many messages came, None where these are chosen ones. ``app`` and ``number`` name the
    batch for good. Without ``history`` only the mirror is written. ``progress`` is how far the
    batch reads all topics.
    """

    messages: DataFrame
    marked: DataFrame
    marks: Sequence[str]
    lasting: Collection[str]
    app: str
    number: int
    history: bool
    size: int | None
    progress: ReadProgress

    def of_format(self, mark: str) -> DataFrame:
        """Return the messages of one mark."""
        return self.marked.where(f.col("mark") == mark)


@dataclass(frozen=True, slots=True)
class TableBatch:
    """One batch of one table: ``frames`` are its changes, a frame for each layout.

    ``app`` and ``number`` name the batch for good: what they have written is not written again.
    ``check`` looks at what was measured before anything is written. ``due`` returns those of some
    ends of snapshots before which rows may be removed now.
    """

    frames: Sequence[DataFrame]
    app: str
    number: int
    check: Callable[[BatchMeasures], None]
    due: Callable[[Iterable[Boundary]], list[Boundary]]

    def changes_for(self, target: TargetTable) -> DataFrame:
        """Return all changes with the columns of a target."""
        return reduce(DataFrame.unionByName, map(target.align, self.frames))


class TableWriter(Protocol):
    """Writes the changes of a table somewhere; again is as good as once."""

    @property
    def target(self) -> TargetTable:
        """The table that must fit before."""
        ...

    def write(self, batch: TableBatch) -> BatchMeasures | None:
        """Write a batch; return what was measured on the way, if anything was."""
        ...
