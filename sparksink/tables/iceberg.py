"""Iceberg tables of a catalog, by default a Hadoop catalog, which needs no service."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped] # it has no types
from pyspark.sql import DataFrame, SparkSession

from sparksink.config.partitioning import NONE, Partitioning
from sparksink.config.target import Catalog
from sparksink.spark_errors import cause
from sparksink.sql import quote_name, string_literal
from sparksink.tables import Alteration, Merge, Rewrite, alter_sql, filter_keys, merge_into
from sparksink.tables.properties import (
    facts_to_properties,
    properties_sql,
    properties_to_facts,
    read_properties,
)

log = logging.getLogger(__name__)

_WRITER: Final = "millrace-writer"
_BATCH: Final = "millrace-batch"
_WRITTEN: Final = "millrace-written"
"""Summary entries of a snapshot, and the table property that outlives snapshots."""

_ORPHAN_HOURS: Final = 24
"""Iceberg refuses to remove younger orphan files, which may belong to a running commit."""

_HADOOP: Final = "org.apache.iceberg.hadoop.HadoopTableOperations"
_FENCE_ATTEMPTS: Final = 10
"""How often a table is fenced while other commits come first."""

_PROPERTIES: Final = {
    # A change of some rows writes only these rows, not whole files.
    "write.merge.mode": "merge-on-read",
    "write.update.mode": "merge-on-read",
    "write.delete.mode": "merge-on-read",
    # Each commit writes a new metadata file.
    "write.metadata.delete-after-commit.enabled": "true",
    "write.metadata.previous-versions-max": "20",
    # Tables are written concurrently, and all of them append to the system tables.
    "commit.retry.num-retries": "20",
}


class IcebergTable:
    """One Iceberg table; implements `sparksink.tables.Table`.

    Iceberg's MERGE without matches is a blind append: of two jobs that write the same rows at the
    same time both succeed. The lease prevents that, and `IcebergLake.fence`.
    """

    def __init__(
        self, spark: SparkSession, catalog: str, path: Sequence[str], properties: Mapping[str, str]
    ) -> None:
        self._spark = spark
        self._catalog = catalog
        self._path = path
        self._namespace = ".".join(map(quote_name, (catalog, *path[:-1])))
        self._properties = {**_PROPERTIES, **properties}
        self._columns: Mapping[str, str] | None = None
        self._written: dict[str, int] | None = None
        self._lock = threading.Lock()
        self.identifier = f"{self._namespace}.{quote_name(path[-1])}"
        self.within = ".".join(map(quote_name, path))

    def columns(self) -> Mapping[str, str] | None:
        """Return the columns; asked once, as only this job changes them."""
        if self._columns is None and self._spark.catalog.tableExists(self.identifier):
            fields = self.read().schema.fields
            self._columns = {field.name: field.dataType.simpleString() for field in fields}
        return self._columns

    def facts(self) -> Mapping[str, str]:
        """Return the table properties that are the sink's own."""
        return properties_to_facts(self._stored_properties())

    def create(
        self,
        columns: Mapping[str, str],
        facts: Mapping[str, str],
        _: Sequence[str] = (),
        how: Partitioning = NONE,
    ) -> None:
        """Create the table and its namespace; VARIANT needs format version 3."""
        version = "3" if "variant" in columns.values() else "2"
        properties = {"format-version": version, **self._properties, **facts_to_properties(facts)}
        inside = ", ".join(f"{quote_name(name)} {kind}" for name, kind in columns.items())
        self._spark.sql(f"CREATE NAMESPACE IF NOT EXISTS {self._namespace}")
        self._spark.sql(
            f"CREATE TABLE IF NOT EXISTS {self.identifier} ({inside}) USING iceberg"
            f"{how.partitioned_by()} TBLPROPERTIES ({properties_sql(properties)})"
        )
        self._order(how)
        self._columns = None

    def alter(self, actions: Sequence[Alteration], facts: Mapping[str, str]) -> None:
        """Store facts and change columns, which only changes metadata."""
        self._set(facts_to_properties(facts))
        for action in actions:
            if isinstance(action, Rewrite):
                self.store_writers()
                self.replace(action.cast(self.read()), action.how)
            else:
                self.run(alter_sql(action))
        self._columns = None

    def read(self, keys: DataFrame | None = None) -> DataFrame:
        """Return all rows, or those of some keys."""
        return filter_keys(self._spark.table(self.identifier), keys)

    def merge(self, changes: DataFrame, how: Merge) -> None:
        """Apply changes that are later than the row that is there."""
        merge_into(self.identifier, changes, how)

    def append(self, rows: DataFrame, writer: str, batch: int) -> None:
        """Append rows; the summary of the snapshot has writer and batch."""
        if self._last_batch(writer) >= batch:
            return
        try:
            (
                rows.writeTo(self.identifier)
                .option(f"snapshot-property.{_WRITER}", writer)
                .option(f"snapshot-property.{_BATCH}", str(batch))
                .append()
            )
        except BaseException:
            self._written = None  # the commit may have succeeded
            raise
        with self._lock:
            if self._written is not None:
                self._written[writer] = batch

    def replace(self, rows: DataFrame, how: Partitioning) -> None:
        """Replace all rows and columns; facts are kept."""
        self.run(f"ALTER TABLE {{table}} SET TBLPROPERTIES ({properties_sql(self._properties)})")
        view = f"rows_{abs(hash(self.identifier)):x}"
        rows.createOrReplaceTempView(view)
        try:
            select = f"SELECT * FROM {view}"  # noqa: S608 - a name of our own
            self.run(f"REPLACE TABLE {{table}} USING iceberg{how.partitioned_by()} AS {select}")
        finally:
            self._spark.catalog.dropTempView(view)
        self._order(how)
        self._columns = None

    def run(self, statement: str) -> None:
        """Run SQL."""
        self._spark.sql(statement.replace("{table}", self.identifier))

    def reload(self) -> None:
        """Forget what is cached, here and in Spark's catalog."""
        self.run("REFRESH TABLE {table}")
        self._columns, self._written = None, None

    def store_writers(self) -> None:
        """Store the writers and batches of snapshots, before snapshots expire."""
        self._set({_WRITTEN: json.dumps(self._read_writers(), sort_keys=True)})

    def _order(self, how: Partitioning) -> None:
        """Set the sort order: of a task's rows in its files, and of all rows by compaction."""
        if how.cluster:
            spread = "DISTRIBUTED BY PARTITION LOCALLY" if how.partition else "LOCALLY"
            self.run(f"ALTER TABLE {{table}} WRITE {spread} ORDERED BY {how.cluster_columns()}")

    def has_sort_order(self) -> bool:
        """Return whether the table has a sort order."""
        return "sort-order" in self._stored_properties()

    def _last_batch(self, writer: str) -> int:
        """Return the last batch of a writer, or -1; cached, as only this job writes."""
        with self._lock:
            if self._written is None:
                self._written = self._read_writers()
            return self._written.get(writer, -1)

    def _read_writers(self) -> dict[str, int]:
        found: dict[str, int] = json.loads(self._stored_properties().get(_WRITTEN, "{}"))
        rows = self._spark.sql(
            f"SELECT summary[{string_literal(_WRITER)}] AS writer,"  # noqa: S608 - a quote_name name
            f" max(CAST(summary[{string_literal(_BATCH)}] AS BIGINT)) AS batch"
            f" FROM {self.identifier}.snapshots"
            f" WHERE summary[{string_literal(_WRITER)}] IS NOT NULL GROUP BY 1"
        )
        for row in rows.collect():
            found[row["writer"]] = max(row["batch"], found.get(row["writer"], -1))
        return found

    def _stored_properties(self) -> Mapping[str, str]:
        *namespace, name = self._path
        return read_properties(self._spark, self._catalog, namespace, name)

    def _set(self, properties: Mapping[str, str]) -> None:
        if properties:
            self.run(f"ALTER TABLE {{table}} SET TBLPROPERTIES ({properties_sql(properties)})")


class IcebergLake:
    """The tables of a catalog; implements `sparksink.tables.Lake`.

    ``a`` is a table of the configured namespace, ``b/a`` one of the namespace ``b``.
    """

    def __init__(
        self, spark: SparkSession, catalog: Catalog, properties: Mapping[str, str]
    ) -> None:
        self._spark = spark
        self._catalog = catalog
        self._properties = properties
        self._tables: dict[str, IcebergTable] = {}

    def table(self, name: str) -> IcebergTable:
        """Return the table of a name."""
        if name not in self._tables:
            inside = name.split("/") if "/" in name else [*self._catalog.namespace.split("."), name]
            table = IcebergTable(self._spark, self._catalog.name, inside, self._properties)
            self._tables.setdefault(name, table)
        return self._tables[name]

    def version(self, name: str) -> str:
        """Return the id of the table's snapshot; empty before the first row."""
        snapshot = self._load(name).currentSnapshot()
        return "" if snapshot is None else str(snapshot.snapshotId())

    def fence(self, name: str, owner: str) -> None:
        """Make the id of the owner the UUID of the table.

        Every commit refreshes the table first, and by Iceberg's specification must fail if the UUID
        has changed: so does each one of a writer that has loaded the table before.

        Hadoop catalogs are left alone: Iceberg's class for them refuses one commit, but then takes
        its old metadata for the present one. A session that caches the table would overwrite all
        later commits with its next one.
        """
        table, identity = self.table(name), str(UUID(owner))
        for _ in range(_FENCE_ATTEMPTS):
            table.reload()
            operations = self._load(name).operations()
            present = operations.current()
            if present.uuid() == identity:
                return
            if operations.getClass().getName() == _HADOOP:
                break
            changed = self._iceberg.TableMetadata.buildFrom(present).assignUUID(identity).build()
            try:
                operations.commit(present, changed)
            except Py4JJavaError as error:  # another commit was first, or this one has succeeded
                log.warning("%s could not be fenced: %s", name, cause(error))
        log.warning("%s is not fenced: make sure that the former job has ended", name)

    def compact(self, name: str, hours: int, snapshots: float | None = None) -> None:
        """Rewrite small files, and expire old snapshots with their files."""
        table = self.table(name)
        options = {"min-input-files": "2", "delete-file-threshold": "1",
                   "remove-dangling-deletes": "true"}  # fmt: skip
        given = ", ".join(string_literal(part) for pair in options.items() for part in pair)
        strategy = string_literal("sort" if table.has_sort_order() else "binpack")
        self._call(
            "rewrite_data_files", table, f"strategy => {strategy}", f"options => map({given})"
        )
        table.store_writers()
        keep = hours if snapshots is None else snapshots
        self._call("expire_snapshots", table, _older_than(keep), "retain_last => 1")
        if hours >= _ORPHAN_HOURS:
            self._call("remove_orphan_files", table, _older_than(hours))

    def _load(self, name: str) -> Any:
        """Return Iceberg's own table, whose metadata needs no query."""
        session = self._spark._jsparkSession  # noqa: SLF001 - Iceberg has no Python interface to it
        return self._iceberg.spark.Spark3Util.loadIcebergTable(session, self.table(name).identifier)

    @property
    def _iceberg(self) -> Any:
        gateway: Any = self._spark._jvm  # noqa: SLF001 - as above
        return gateway.org.apache.iceberg

    def _call(self, procedure: str, table: IcebergTable, *arguments: str) -> None:
        given = ", ".join([f"table => {string_literal(table.within)}", *arguments])
        self._spark.sql(f"CALL {quote_name(self._catalog.name)}.system.{procedure}({given})")


def _older_than(hours: float) -> str:
    before = datetime.now(UTC) - timedelta(hours=hours)
    return f"older_than => TIMESTAMP '{before:%Y-%m-%d %H:%M:%S.%f}'"
