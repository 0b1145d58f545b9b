"""The sink's own tables: what it must remember to converge, and what it tells of itself.

All of them only grow: a row once written is never changed, so that no crash can leave one half
written. What is true is the greatest or the last row.

=============== ==========================================================================
tombstones      which row was deleted where; a late change of it must not bring it back
watermarks      before which place all of a table was truncated, or is no longer there
boundaries      all such places of a table that keeps its versions
sweeps          ends of snapshots whose topics have to be read further before older rows may go
commits         one row a batch that is complete: offsets, of each table version and place, and
                whether the tables hold whole transactions only
dead_letter     messages that cannot be used, and why
parked          messages of tables that cannot go on
parkings        which table was parked, and why, and when it was taken up again
ddl             what the schema-change topic has told: a row for each table of a statement
transactions    open transactions of a batch, where they are too many for its row in commits
gaps            messages that were gone from Kafka before they were read, and statements that
                removed rows without a message
=============== ==========================================================================
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from pyspark.sql import DataFrame, SparkSession

from sparksink.errors import ConfigError
from sparksink.sql import string_literal
from sparksink.state.transactions import OPEN_COLUMNS
from sparksink.tables import Add, Lake, Table

_MESSAGE: Final = {
    "source_table": "string",
    "topic": "string",
    "partition": "int",
    "offset": "bigint",
    "timestamp": "timestamp",
    "key": "binary",
    "value": "binary",
    "position": "string",
}
SCHEMAS: Final[Mapping[str, Mapping[str, str]]] = {
    "tombstones": {
        "source_table": "string",
        "key": "string",
        "seq_hi": "bigint",
        "seq_lo": "bigint",
        "at": "timestamp",
    },
    "watermarks": {
        "source_table": "string",
        "seq_hi": "bigint",
        "seq_lo": "bigint",
        "at": "timestamp",
    },
    "boundaries": {
        "source_table": "string",
        "seq_hi": "bigint",
        "seq_lo": "bigint",
        "source_micros": "bigint",
        "at": "timestamp",
    },
    "sweeps": {
        "source_table": "string",
        "topic": "string",
        "seq_hi": "bigint",
        "seq_lo": "bigint",
        "source_micros": "bigint",
        "until": "map<string,bigint>",
        "at": "timestamp",
    },
    "commits": {
        "app": "string",
        "batch": "bigint",
        "at": "timestamp",
        "offsets": "string",
        "consistent": "boolean",
        "transactions": "string",
        "heads": "string",
        "tables": (
            "array<struct<source_table:string,version:string,changes:bigint,faults:bigint,"
            "seq_hi:bigint,seq_lo:bigint,source_ts:timestamp,seconds:double>>"
        ),
    },
    "dead_letter": {**_MESSAGE, "reason": "string", "batch": "bigint", "app": "string"},
    "parked": {**_MESSAGE, "batch": "bigint", "app": "string"},
    "parkings": {
        "source_table": "string",
        "at": "timestamp",
        "parked": "boolean",
        "reason": "string",
    },
    "ddl": {
        "offset": "bigint",
        "source_table": "string",
        "kind": "string",
        "ddl": "string",
        "file": "string",
        "pos": "bigint",
        "source_millis": "bigint",
        "at": "timestamp",
    },
    "transactions": {"app": "string", "batch": "bigint", **OPEN_COLUMNS},
    "gaps": {
        "source_table": "string",
        "topic": "string",
        "partition": "int",
        "expected": "bigint",
        "earliest": "bigint",
        "seq_hi": "bigint",
        "seq_lo": "bigint",
        "at": "timestamp",
    },
}


class SystemTables:
    """These tables, below one folder of a lake; ``names`` are those that differ from the above.

    :raises ConfigError: one would have the name of another.
    """

    def __init__(
        self, spark: SparkSession, lake: Lake, folder: str, names: Mapping[str, str]
    ) -> None:
        self._spark = spark
        self._lake = lake
        self._folder = folder
        self._names = names
        if taken := {name for own, name in names.items() if name != own} & SCHEMAS.keys():
            raise ConfigError(f"dlq.table: {taken.pop()} is the name of another table of the sink.")
        self._lock = threading.Lock()

    def table(self, name: str) -> Table:
        """Return one of the tables, which is made when it is missing."""
        table = self._lake.table(self._path(name))
        with self._lock:
            present = table.columns()
            if present is None:
                table.create(SCHEMAS[name], {})
            elif added := {n: kind for n, kind in SCHEMAS[name].items() if n not in present}:
                table.alter([Add(added)], {})
        return table

    def present(self, name: str) -> Table | None:
        """Return one of the tables, None where it was never needed."""
        table = self._lake.table(self._path(name))
        return None if table.columns() is None else table

    def add(
        self, name: str, values: Mapping[str, Any], writer: str | None = None, batch: int = 0
    ) -> None:
        """Add a row; with a ``writer`` unless it has added that of this batch before."""
        now = datetime.now(UTC)
        row = self._row(SCHEMAS[name], {**values, "at": now})
        self.table(name).append(row, writer or f"{name}-{now.isoformat()}", batch)

    def add_all(self, name: str, values: Sequence[Mapping[str, Any]]) -> None:
        """Add rows in one commit."""
        now, columns = datetime.now(UTC), SCHEMAS[name]
        rows = [tuple({**one, "at": now}[column] for column in columns) for one in values]
        kinds = ", ".join(f"{column} {kind}" for column, kind in columns.items())
        made = self._spark.createDataFrame(rows, kinds)
        self.table(name).append(made, f"{name}-{now.isoformat()}", 0)

    def _row(self, columns: Mapping[str, str], values: Mapping[str, Any]) -> DataFrame:
        """Return one row as a literal: of a list of Python's Spark would make a job of its own."""
        kinds = ", ".join(f"{column}: {kind}" for column, kind in columns.items())
        given = string_literal(json.dumps(values, default=_timestamp_text))
        row = f"from_json({given}, 'struct<{kinds}>', map('mode', 'FAILFAST'))"
        return self._spark.sql(f"SELECT inline(array({row}))")

    def compact(self, hours: int, snapshots: float | None) -> None:
        """Join the small files of these tables, as `Lake.compact` does."""
        for name in SCHEMAS:
            if self.present(name) is not None:
                self._lake.compact(self._path(name), hours, snapshots)

    def fence(self, owner: str) -> None:
        """Make writes of these tables fail that another process has begun, as `Lake.fence` does."""
        for name in SCHEMAS:
            if self.present(name) is not None:
                self._lake.fence(self._path(name), owner)

    def _path(self, name: str) -> str:
        return f"{self._folder}/{self._names.get(name, name)}"


def _timestamp_text(value: datetime) -> str:
    """Return a moment as text; one without a zone is of this machine's, as Spark hands them out."""
    return value.astimezone(UTC).isoformat()
