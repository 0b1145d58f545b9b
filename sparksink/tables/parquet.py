"""Histories as plain Parquet files, for readers that know no table format.

What a batch adds is a folder of its own, named by its writer and its number, as a partition is: so
a batch that is repeated takes the place of what a crash has left of it, and one that is complete is
not written again. The columns stand in a small file beside the folders.
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
"""The partition that each batch is; readers see it as a column."""

_NOTES: Final = "_millrace.json"
_DONE: Final = "_SUCCESS"
"""What Hadoop writes into a folder when all of it is there."""


class ParquetTable:
    """One history; implements `sparksink.tables.Table` as far as rows are only added."""

    def __init__(self, spark: SparkSession, path: str, options: Mapping[str, str]) -> None:
        self._spark = spark
        self._path = path
        self._options = options
        self._files = Files(spark)
        self._notes: dict[str, Any] | None = None

    def columns(self) -> Mapping[str, str] | None:
        """Return the columns; the file is read once, as only this job changes it."""
        known: Mapping[str, str] = self._noted().get("columns", {})
        return {name: unquote_type(kind) for name, kind in known.items()} or None

    def facts(self) -> Mapping[str, str]:
        """Return what was noted beside the rows."""
        return dict(self._noted().get("facts", {}))

    def create(
        self,
        columns: Mapping[str, str],
        facts: Mapping[str, str],
        _: Sequence[str] = (),
        how: Partitioning = NONE,
    ) -> None:
        """Note what the table will have; files come with its rows.

        :raises TableError: it has a column named as the folders are.
        """
        if FOLDER in columns:
            raise TableError(f"{self._path} has a column {FOLDER}, as its folders are named.")
        partitions = [one.column for one in how.partition]
        self._note({"columns": columns, "facts": facts, "partitions": partitions})

    def alter(self, actions: Sequence[Alteration], facts: Mapping[str, str]) -> None:
        """Note facts and new columns.

        :raises TableError: files would have to be written anew.
        """
        columns = dict(self._noted()["columns"])
        for action in actions:
            if not isinstance(action, Add):
                raise TableError(f"{self._path}: Parquet files cannot follow this change.")
            columns |= action.columns
        noted = {**self._noted(), "columns": columns}
        self._note({**noted, "facts": {**noted["facts"], **facts}})

    def read(self, keys: DataFrame | None = None) -> DataFrame:
        """Return the rows of complete batches; files from before a column was added have NULL."""
        columns: Mapping[str, str] = self._noted()["columns"]
        inside = ", ".join(f"{quote_name(name)} {kind}" for name, kind in columns.items())
        done = self._files.glob(f"{self._path}/{FOLDER}=*/{_DONE}")
        folders = [place.removesuffix(f"/{_DONE}") for place in done]
        reader = self._spark.read.schema(inside).option("basePath", self._path)
        found = reader.parquet(*folders) if folders else self._spark.createDataFrame([], inside)
        return filter_keys(found.select(*map(quote_name, columns)), keys)

    def append(self, rows: DataFrame, writer: str, batch: int) -> None:
        """Add rows, unless those of this batch are all there."""
        name = f"{hashlib.sha256(writer.encode()).hexdigest()[:16]}-{batch}"
        folder = f"{self._path}/{FOLDER}={name}"
        if not self._files.exists(f"{folder}/{_DONE}"):
            written = rows.write.mode("overwrite").options(**self._options)
            written.partitionBy(*self._noted()["partitions"]).parquet(folder)

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

    def _noted(self) -> dict[str, Any]:
        if self._notes is None:
            place = f"{self._path}/{_NOTES}"
            text = self._files.read(place) or self._files.read(f"{place}.new")
            self._notes = json.loads(text or "{}")
        return self._notes

    def _note(self, notes: dict[str, Any]) -> None:
        """Write the new file first: after a crash one of both is whole."""
        place = f"{self._path}/{_NOTES}"
        self._files.write(f"{place}.new", json.dumps(notes), over=True)
        self._files.remove(place)
        self._files.move(f"{place}.new", place)
        self._notes = notes


class ParquetLake:
    """Histories below one folder; implements `sparksink.tables.Lake`.

    ``a/b`` are the sink's own tables, which have to be changed and lie elsewhere.
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
        """Return what names the state of one of the sink's own tables; files have none."""
        return self._own.version(name) if "/" in name else ""

    def fence(self, name: str, owner: str) -> None:
        """Fence one of the sink's own tables."""
        if "/" in name:
            self._own.fence(name, owner)

    def compact(self, name: str, hours: int, snapshots: float | None = None) -> None:
        """Tidy one of the sink's own tables; readers may have the files of a history open."""
        if "/" in name:
            self._own.compact(name, hours, snapshots)
