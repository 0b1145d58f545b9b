"""Delta tables by path: no catalog, any file system that Hadoop knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pyspark.sql import DataFrame, SparkSession

from sparksink.spark_types import quoted
from sparksink.tables import Merge, merge_sql

_FACT: Final = "millrace."
_SKIPPED: Final = frozenset({"delta.minReaderVersion", "delta.minWriterVersion"})


class DeltaTable:
    """One Delta table; implements `sparksink.tables.Table`."""

    def __init__(self, spark: SparkSession, path: str, properties: Mapping[str, str]) -> None:
        self._spark = spark
        self._path = path
        self._properties = {"delta.enableDeletionVectors": "true", **properties}
        self._columns: Mapping[str, str] | None = None
        self.identifier = f"delta.`{path}`"

    def columns(self) -> Mapping[str, str] | None:
        """Return the columns; asked once, as nobody else changes them."""
        if self._columns is None and self._exists():
            fields = self.read().schema.fields
            self._columns = {field.name: field.dataType.simpleString() for field in fields}
        return self._columns

    def facts(self) -> Mapping[str, str]:
        """Return the table properties that are the sink's own."""
        rows = self._spark.sql(f"SHOW TBLPROPERTIES {self.identifier}").collect()
        return {
            row["key"].removeprefix(_FACT): row["value"]
            for row in rows
            if row["key"].startswith(_FACT)
        }

    def create(self, columns: Mapping[str, str], facts: Mapping[str, str]) -> None:
        """Make the table; names that Parquet cannot take get mapped ones in the files."""
        properties = {**self._properties, **_facts(facts)}
        if any(set(name) & set(" ,;{}()\n\t=") for name in columns):
            properties["delta.columnMapping.mode"] = "name"
        inside = ", ".join(f"{quoted(name)} {kind}" for name, kind in columns.items())
        self._spark.sql(
            f"CREATE TABLE IF NOT EXISTS {self.identifier} ({inside}) USING delta"
            f" TBLPROPERTIES ({_pairs(properties)})"
        )
        self._columns = None

    def alter(self, actions: Sequence[str], facts: Mapping[str, str]) -> None:
        """Note facts and change columns; turns on the table features that this needs."""
        properties = {**_facts(facts), **_features(actions)}
        if properties:
            self.run(f"ALTER TABLE {{table}} SET TBLPROPERTIES ({_pairs(properties)})")
        for action in actions:
            self.run(f"ALTER TABLE {{table}} {action}")
        self._columns = None

    def read(self) -> DataFrame:
        """Return all rows."""
        return self._spark.read.format("delta").load(self._path)

    def merge(self, changes: DataFrame, how: Merge) -> None:
        """Apply changes that are later than the row that is there."""
        view = f"changes_{abs(hash(self._path)):x}"
        changes.createOrReplaceTempView(view)
        try:
            changes.sparkSession.sql(merge_sql(self.identifier, view, how))
        finally:
            changes.sparkSession.catalog.dropTempView(view)

    def append(self, rows: DataFrame, writer: str, batch: int) -> None:
        """Add rows; Delta itself remembers the last batch of each writer."""
        (
            rows.write.format("delta")
            .mode("append")
            .option("txnAppId", writer)
            .option("txnVersion", batch)
            .save(self._path)
        )

    def run(self, statement: str) -> None:
        """Run SQL."""
        self._spark.sql(statement.replace("{table}", self.identifier))

    def _exists(self) -> bool:
        gateway = self._spark._jvm  # noqa: SLF001 - delta's Python package would be one more to ship
        assert gateway is not None
        return bool(gateway.io.delta.tables.DeltaTable.isDeltaTable(self._jsession(), self._path))

    def _jsession(self) -> object:
        return self._spark._jsparkSession  # noqa: SLF001 - as above


class DeltaLake:
    """All tables below one folder; implements `sparksink.tables.Lake`."""

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
        """Return the number of the table's last commit."""
        history = f"DESCRIBE HISTORY {self.table(name).identifier} LIMIT 1"
        return str(self._spark.sql(history).first()["version"])  # type: ignore[index] # a table has a first commit

    def tidy(self, name: str, hours: int) -> None:
        """Join small files, purge deleted rows from them, remove old ones."""
        self.table(name).run("OPTIMIZE {table}")
        self.table(name).run(f"VACUUM {{table}} RETAIN {hours} HOURS")


def _facts(facts: Mapping[str, str]) -> dict[str, str]:
    return {_FACT + name: value for name, value in facts.items()}


def _pairs(properties: Mapping[str, str]) -> str:
    return ", ".join(f"{_text(key)} = {_text(value)}" for key, value in properties.items())


def _text(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _features(actions: Sequence[str]) -> dict[str, str]:
    """Return the properties without which Delta refuses an action."""
    features = {}
    if any(" TYPE " in action for action in actions):
        features["delta.enableTypeWidening"] = "true"
    if any(action.startswith("RENAME ") for action in actions):
        features["delta.columnMapping.mode"] = "name"
    return features
