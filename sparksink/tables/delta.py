"""Delta tables by path on Hadoop file systems, without a catalog."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from pyspark.sql import DataFrame, SparkSession

from sparksink.config.partitioning import NONE, Partitioning
from sparksink.config.target import ILLEGAL
from sparksink.files import Files
from sparksink.sql import quote_name
from sparksink.tables import (
    Add,
    Alteration,
    Drop,
    Merge,
    Rename,
    Rewrite,
    Widen,
    alter_sql,
    filter_keys,
    merge_into,
)
from sparksink.tables.properties import (
    facts_to_properties,
    properties_sql,
    properties_to_facts,
    read_properties,
)

_RETENTION: Final = "delta.deletedFileRetentionDuration"
"""The table property that VACUUM obeys: Delta 4 ignores the hours of the statement."""
_DEFAULT_HOURS: Final = 168
_CATALOG: Final = "spark_catalog"
_BY_PATH: Final = ("delta",)
"""The catalog and the namespace in which tables are named by their paths."""


class DeltaTable:
    """One Delta table; implements `sparksink.tables.Table`."""

    def __init__(self, spark: SparkSession, path: str, properties: Mapping[str, str]) -> None:
        self._spark = spark
        self._path = path
        self._properties = {"delta.enableDeletionVectors": "true", **properties}
        self._columns: Mapping[str, str] | None = None
        self._version: int | None = None  # at least
        self._files = Files(spark)
        self.identifier = f"delta.{quote_name(path)}"

    def columns(self) -> Mapping[str, str] | None:
        """Return the columns; they are cached, as only this job changes them."""
        if self._columns is None and self._exists():
            fields = self.read().schema.fields
            self._columns = {field.name: field.dataType.simpleString() for field in fields}
        return self._columns

    def facts(self) -> Mapping[str, str]:
        """Return the facts, which are table properties."""
        return properties_to_facts(self._stored_properties())

    def create(
        self,
        columns: Mapping[str, str],
        facts: Mapping[str, str],
        _: Sequence[str] = (),
        how: Partitioning = NONE,
    ) -> None:
        """Create the table, with column mapping for names that Parquet does not support."""
        properties = {**self._properties, **facts_to_properties(facts)}
        if _need_mapping(columns):
            properties["delta.columnMapping.mode"] = "name"
        inside = ", ".join(f"{quote_name(name)} {kind}" for name, kind in columns.items())
        clause = properties_sql(properties)
        self._spark.sql(
            f"CREATE TABLE IF NOT EXISTS {self.identifier} ({inside}) USING delta"
            f"{how.partitioned_by()}{_cluster_clause(how)} TBLPROPERTIES ({clause})"
        )
        self._columns = None

    def alter(self, actions: Sequence[Alteration], facts: Mapping[str, str]) -> None:
        """Store facts and change columns; enable the table features that this needs."""
        properties = {**facts_to_properties(facts), **_required_features(actions)}
        if properties:
            clause = properties_sql(properties)
            self.run(f"ALTER TABLE {{table}} SET TBLPROPERTIES ({clause})")
        for action in actions:
            if isinstance(action, Rewrite):
                self.replace(action.cast(self.read()), action.how)
            else:
                self.run(alter_sql(action))
        self._columns = None

    def read(self, keys: DataFrame | None = None) -> DataFrame:
        """Return all rows, or those of some keys."""
        return filter_keys(self._spark.read.format("delta").load(self._path), keys)

    def merge(self, changes: DataFrame, how: Merge) -> None:
        """Apply changes that are later than the present row."""
        merge_into(self.identifier, changes, how)

    def append(self, rows: DataFrame, writer: str, batch: int) -> None:
        """Append rows; Delta stores the last batch of each writer."""
        (
            rows.write.format("delta")
            .mode("append")
            .option("txnAppId", writer)
            .option("txnVersion", batch)
            .save(self._path)
        )

    def replace(self, rows: DataFrame, how: Partitioning) -> None:
        """Replace all rows and columns."""
        if _need_mapping(rows.columns):
            self.run("ALTER TABLE {table} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
        writer = rows.write.format("delta").mode("overwrite").option("overwriteSchema", "true")
        writer.partitionBy(*(one.column for one in how.partition)).save(self._path)
        if how.cluster:
            self.run(f"ALTER TABLE {{table}}{_cluster_clause(how)}")
        self._columns = None

    def vacuum(self, hours: int) -> None:
        """Remove files that no version of the last hours has; the configured property wins."""
        if _RETENTION not in self._properties:
            needed = _interval(hours)
            if self._stored_properties().get(_RETENTION, _interval(_DEFAULT_HOURS)) != needed:
                clause = properties_sql({_RETENTION: needed})
                self.run(f"ALTER TABLE {{table}} SET TBLPROPERTIES ({clause})")
        self.run("VACUUM {table}")

    def run(self, statement: str) -> None:
        """Run SQL."""
        self._spark.sql(statement.replace("{table}", self.identifier))

    def reload(self) -> None:
        """Forget what is cached."""
        self._columns = None

    def version(self) -> int:
        """Return the version of the last commit, from the names of the log's files.

        The search starts at the last known version, first at the log's checkpoint. DESCRIBE
        HISTORY takes a hundred times as long.
        """
        log = f"{self._path}/_delta_log"
        if self._version is None:
            checkpoint = self._files.read(f"{log}/_last_checkpoint")
            self._version = json.loads(checkpoint)["version"] if checkpoint else -1
        while self._files.exists(f"{log}/{self._version + 1:020}.json"):
            self._version += 1
        return self._version

    def _stored_properties(self) -> Mapping[str, str]:
        return read_properties(self._spark, _CATALOG, _BY_PATH, self._path)

    def _exists(self) -> bool:
        gateway = self._spark._jvm  # noqa: SLF001 - delta's Python package would be one more to ship
        assert gateway is not None
        return bool(gateway.io.delta.tables.DeltaTable.isDeltaTable(self._jsession(), self._path))

    def _jsession(self) -> object:
        return self._spark._jsparkSession  # noqa: SLF001 - as above


class DeltaLake:
    """The tables below a folder; implements `sparksink.tables.Lake`."""

    def __init__(self, spark: SparkSession, path: str, properties: Mapping[str, str]) -> None:
        self._spark = spark
        self._path = path.rstrip("/")
        self._properties = properties
        self._tables: dict[str, DeltaTable] = {}

    def table(self, name: str) -> DeltaTable:
        """Return the table of a name."""
        if name not in self._tables:
            path = f"{self._path}/{name}"
            self._tables[name] = DeltaTable(self._spark, path, self._properties)
        return self._tables[name]

    def version(self, name: str) -> str:
        """Return the table's version."""
        return str(self.table(name).version())

    def fence(self, name: str, owner: str) -> None:
        """Change the table's metadata: Delta refuses commits that started before."""
        clause = properties_sql({"sparksink.owner": owner})
        table = self.table(name)
        table.run(f"ALTER TABLE {{table}} SET TBLPROPERTIES ({clause})")
        table.reload()

    def compact(self, name: str, hours: int, _: float | None = None) -> None:
        """Run OPTIMIZE and VACUUM."""
        self.table(name).run("OPTIMIZE {table}")
        self.table(name).vacuum(hours)


def _interval(hours: int) -> str:
    return f"interval {hours} hours"


def _cluster_clause(how: Partitioning) -> str:
    return f" CLUSTER BY ({how.cluster_columns()})" if how.cluster else ""


def _need_mapping(names: Iterable[str]) -> bool:
    return any(set(name).intersection(ILLEGAL) for name in names)


def _required_features(actions: Sequence[Alteration]) -> dict[str, str]:
    """Return the table features that actions need."""
    features = {}
    if any(_need_mapping(action.columns) for action in actions if isinstance(action, Add)):
        features["delta.columnMapping.mode"] = "name"
    if any(isinstance(action, Widen) for action in actions):
        features["delta.enableTypeWidening"] = "true"
    if any(isinstance(action, Rename | Drop) for action in actions):
        features["delta.columnMapping.mode"] = "name"
    return features
