"""The table with every change: each message once, nothing is ever overwritten."""

from __future__ import annotations

from pyspark.sql import functions as f

from sparksink.apply.batch import Batch
from sparksink.evolve.fitting import Target
from sparksink.schemas.spark_types import quoted


class History:
    """Appends to one history table."""

    def __init__(self, target: Target) -> None:
        self.target = target

    def write(self, batch: Batch) -> None:
        """Append the changes of a batch that this table does not have yet."""
        rows = batch.into(self.target).where("__fault IS NULL")
        rows = rows.withColumn("__batch", f.lit(batch.number).cast("bigint"))
        columns = [f.col(quoted(name)) for name in self.target.columns]
        self.target.table.append(rows.select(*columns), f"{batch.app}:history", batch.number)
