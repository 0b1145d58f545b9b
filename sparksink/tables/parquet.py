"""Histories as plain Parquet files, for readers without a table format.

Each batch is a partition folder, named by writer and number, so a repeated batch replaces the rest
of a crashed one, and a complete one is not written again. The columns are in a small file beside
the folders.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pyspark.sql import DataFrame, SparkSession

from sparksink.config.partitioning import NONE, Partitioning
from sparksink.errors import TableError
from sparksink.files import Files
from sparksink.sql import quote_name, unquote_type
from sparksink.tables import Add, Alteration, Lake, Merge, Table, filter_keys

FOLDER: Final = "millrace_batch"
"""The partition column of batches, which readers see."""

_NOTES: Final = "_millrace.json"
_DONE: Final = "_SUCCESS"
"""The file that Hadoop writes to a complete folder."""


class ParquetTable:
    """One history; implements the append-only part of `sparksink.tables.Table`."""

    def __init__(self, spark: SparkSession, path: str, options: Mapping[str, str]) -> None:
        self._spark = spark
        self._path = path
        self._options = options
        self._files = Files(spark)
        self._notes: dict[str, Any] | None = None

    def columns(self) -> Mapping[str, str] | None:
        """Return the columns; the file is cached, as only this job changes it."""
        known: Mapping[str, str] = self._read_notes().get("columns", {})
        return {name: unquote_type(kind) for name, kind in known.items()} or None

    def facts(self) -> Mapping[str, str]:
        """Return the facts."""
        return dict(self._read_notes().get("facts", {}))

    def create(
        self,
        columns: Mapping[str, str],
        facts: Mapping[str, str],
        _: Sequence[str] = (),
        how: Partitioning = NONE,
    ) -> None:
        """Store columns and facts; files are written with the rows.

        :raises TableError: a column has the name of the partition column.
        """
        if FOLDER in columns:
            raise TableError(
                f"{self._path} has a column {FOLDER}, which is the name of the partition column."
            )
        partitions = [one.column for one in how.partition]
        self._write_notes({"columns": columns, "facts": facts, "partitions": partitions})

    def alter(self, actions: Sequence[Alteration], facts: Mapping[str, str]) -> None:
        """Store facts and new columns.

        :raises TableError: existing files would have to be rewritten.
        """
        columns = dict(self._read_notes()["columns"])
        for action in actions:
            if not isinstance(action, Add):
                raise TableError(f"{self._path}: Parquet files cannot follow this change.")
            columns |= action.columns
        updated = {**self._read_notes(), "columns": columns}
        self._write_notes({**updated, "facts": {**updated["facts"], **facts}})

    def read(self, keys: DataFrame | None = None) -> DataFrame:
        """Return the rows of complete batches; columns that were added later are NULL."""
        columns: Mapping[str, str] = self._read_notes()["columns"]
        inside = ", ".join(f"{quote_name(name)} {kind}" for name, kind in columns.items())
        done = self._files.glob(f"{self._path}/{FOLDER}=*/{_DONE}")
        folders = [path.removesuffix(f"/{_DONE}") for path in done]
        reader = self._spark.read.schema(inside).option("basePath", self._path)
        found = reader.parquet(*folders) if folders else self._spark.createDataFrame([], inside)
        return filter_keys(found.select(*map(quote_name, columns)), keys)

    def append(self, rows: DataFrame, writer: str, batch: int) -> None:
        """Append rows, unless the batch is complete."""
        name = f"{hashlib.sha256(writer.encode()).hexdigest()[:16]}-{batch}"
        folder = f"{self._path}/{FOLDER}={name}"
        if not self._files.exists(f"{folder}/{_DONE}"):
            written = rows.write.mode("overwrite").options(**self._options)
            written.partitionBy(*self._read_notes()["partitions"]).parquet(folder)

    def merge(self, changes: DataFrame, how: Merge) -> None:  # noqa: ARG002 - as the protocol has it
        """Refuse.

        :raises TableError: always; a mirror needs a table format.
        """
        raise TableError(f"{self._path}: rows in Parquet files cannot be changed.")

    def run(self, statement: str) -> None:  # noqa: ARG002 - as the protocol has it
        """Refuse.

        :raises TableError: always.
        """
        raise TableError(f"{self._path}: rows in Parquet files cannot be changed.")

    def _read_notes(self) -> dict[str, Any]:
        if self._notes is None:
            path = f"{self._path}/{_NOTES}"
            text = self._files.read(path) or self._files.read(f"{path}.new")
            self._notes = json.loads(text or "{}")
        return self._notes

    def _write_notes(self, notes: dict[str, Any]) -> None:
        """Write the new file first: after a crash one of both is complete."""
        path = f"{self._path}/{_NOTES}"
        self._files.write(f"{path}.new", json.dumps(notes), over=True)
        self._files.remove(path)
        self._files.move(f"{path}.new", path)
        self._notes = notes


class ParquetLake:
    """The histories below a folder; implements `sparksink.tables.Lake`.

    ``a/b`` are system tables, which are in another lake.
    """

    def __init__(
        self, spark: SparkSession, path: str, options: Mapping[str, str], own: Lake
    ) -> None:
        self._spark = spark
        self._path = path.rstrip("/")
        self._options = options
        self._own = own
        self._tables: dict[str, ParquetTable] = {}

    def table(self, name: str) -> Table:
        """Return the table of a name."""
        if "/" in name:
            return self._own.table(name)
        made = ParquetTable(self._spark, f"{self._path}/{name}", self._options)
        return self._tables.setdefault(name, made)

    def version(self, name: str) -> str:
        """Return the version of a system table; files have none."""
        return self._own.version(name) if "/" in name else ""

    def fence(self, name: str, owner: str) -> None:
        """Fence a system table."""
        if "/" in name:
            self._own.fence(name, owner)

    def compact(self, name: str, hours: int, snapshots: float | None = None) -> None:
        """Compact a system table, but no history, whose files readers may have open."""
        if "/" in name:
            self._own.compact(name, hours, snapshots)
