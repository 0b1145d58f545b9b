"""Composition root: builds the parts of a sink."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from pyspark.sql import SparkSession

from sparksink.apply.batches import BatchProcessor
from sparksink.apply.late_definitions import DEFINITION_SECONDS
from sparksink.config.keys import SinkConfig
from sparksink.config.target import Target
from sparksink.files import Files
from sparksink.schemas.definitions import Definitions
from sparksink.schemas.registry import SchemaRegistryClient
from sparksink.session import max_tasks
from sparksink.source.messages import Messages
from sparksink.source.routed_tables import is_table
from sparksink.source.routes import Routes
from sparksink.state.lease import Lease
from sparksink.state.sink_state import SinkState
from sparksink.state.transactions import OPEN_LIMIT
from sparksink.tables import Lake
from sparksink.tables.delta import DeltaLake
from sparksink.tables.iceberg import IcebergLake
from sparksink.tables.jdbc import JdbcLake
from sparksink.tables.parquet import ParquetLake


@dataclass(frozen=True, slots=True)
class Sink:
    """One configured sink on a Spark session."""

    config: SinkConfig
    spark: SparkSession
    lake: Lake
    state: SinkState
    messages: Messages
    definitions: Definitions
    batches: BatchProcessor

    def lease(self) -> Lease:
        """Return the lease of the target; it is taken as a context."""
        folder = f"{self.config.target.path.rstrip('/')}/{self.config.state.schema_}"
        stop = self.spark.sparkContext.stop
        lease = Lease(Files(self.spark), f"{folder}/lease.json", stop=stop, fence=self._fence)
        self.batches.check_before_retries(lease.check)
        return lease

    def _fence(self, owner: str) -> None:
        """Make unfinished writes of another job fail."""
        for route in map(Routes(self.config).route, self._topics()):
            for name in (route.mirror, route.history):
                if self.lake.table(name).columns() is not None:
                    self.lake.fence(name, owner)
        self.state.fence(owner)

    def _topics(self) -> list[str]:
        """Return the topics that were read, and those that an unfinished first batch may read."""
        found, source = set(self.state.topics()), self.config.source
        if source.kind != "file" and source.route == "topic":
            found.update(filter(self.messages.is_table_topic, self.messages.offsets()))
        return sorted(filter(is_table, found))


def _delta(spark: SparkSession, target: Target) -> Lake:
    return DeltaLake(spark, target.path, target.table_properties)


def _iceberg(spark: SparkSession, target: Target) -> Lake:
    return IcebergLake(spark, target.catalog, target.table_properties)


def _jdbc(spark: SparkSession, target: Target) -> Lake:
    assert target.jdbc is not None  # the configuration was checked
    return JdbcLake(spark, target.jdbc, _delta(spark, target))


def _parquet(spark: SparkSession, target: Target) -> Lake:
    own = DeltaLake(spark, target.path, {})
    return ParquetLake(spark, target.path, target.table_properties, own)


_LAKES: Final[Mapping[str, Callable[[SparkSession, Target], Lake]]] = {
    "delta": _delta,
    "iceberg": _iceberg,
    "jdbc": _jdbc,
    "parquet": _parquet,
}


def build(
    config: SinkConfig,
    spark: SparkSession,
    lake: Lake | None = None,
    *,
    open_limit: int = OPEN_LIMIT,
    definition_seconds: float = DEFINITION_SECONDS,
) -> Sink:
    """Build a sink, perhaps with another ``lake`` than the configured one.

    ``open_limit`` is how many open transactions the row of a batch holds, ``definition_seconds``
    how long a batch waits for definitions of its tables.
    """
    lake = lake or _LAKES[config.target.format](spark, config.target)
    state = SinkState(
        spark, lake, config.state.schema_, {"dead_letter": config.dlq.table}, open_limit
    )
    messages = Messages(
        spark,
        config.source,
        headers=config.ordering.epoch == "header",
        partitions=max_tasks(spark, config),
    )
    definitions = Definitions(config, messages.schema_changes)
    registry = SchemaRegistryClient(config.source.schema_registry)
    batches = BatchProcessor(config, lake, state, definitions, registry.schema, definition_seconds)
    return Sink(config, spark, lake, state, messages, definitions, batches)
