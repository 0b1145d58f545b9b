"""The sink's system tables: the state that it needs to converge, and reports for operators.

Rows are only appended, so that a crash cannot leave a partial change. The greatest or the last row
is valid.

=============== ==========================================================================
tombstones      deleted rows with their positions; a late change must not restore them
watermarks      positions before which all rows of a table were truncated or removed
boundaries      all such positions of a table with row versions
sweeps          ends of snapshots that wait for messages before older rows are removed
commits         a row for each complete batch: offsets, version and position of each table, and
                whether the tables have complete transactions only
dead_letter     unusable messages with the reason
parked          messages of parked tables
parkings        when and why tables were parked, and when they were resumed
ddl             statements of the schema-change topic: a row for each table of a statement
transactions    open transactions of a batch, if they are too many for its row in commits
gaps            messages that were gone from Kafka before they were read, and statements that
                changed rows without events
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
        "reached": "string",
        "consistent": "boolean",
        "transactions": "string",
        "heads": "string",
        "tables": (
            "array<struct<source_table:string,version:string,changes:bigint,faults:bigint,"
            "seq_hi:bigint,seq_lo:bigint,source_ts:timestamp,seconds:double>>"
        ),
        "partitions": (
            "array<struct<source_table:string,partition:int,"
            "seq_hi:bigint,seq_lo:bigint,source_micros:bigint>>"
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
    "transactions": {
        "app": "string",
        "batch": "bigint",
        **OPEN_COLUMNS,
    },
    "gaps": {
        "source_table": "string",
        "topic": "string",
        "partition": "int",
        "expected": "bigint",
        "earliest": "bigint",
        "seq_hi": "bigint",
        "seq_lo": "bigint",
        "reason": "string",
        "at": "timestamp",
    },
}


class SystemTables:
    """The system tables in one folder of a lake; ``names`` are names that differ from the above.

    :raises ConfigError: a name is taken.
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
        """Return a system table, which is created if it is missing."""
        table = self._lake.table(self._path(name))
        with self._lock:
            present = table.columns()
            if present is None:
                table.create(SCHEMAS[name], {})
            elif added := {n: kind for n, kind in SCHEMAS[name].items() if n not in present}:
                table.alter([Add(added)], {})
        return table

    def present(self, name: str) -> Table | None:
        """Return a system table, None if it does not exist."""
        table = self._lake.table(self._path(name))
        return None if table.columns() is None else table

    def add(
        self, name: str, values: Mapping[str, Any], writer: str | None = None, batch: int = 0
    ) -> None:
        """Append a row; with a ``writer`` unless it has appended this batch before."""
        now = datetime.now(UTC)
        row = self._row(SCHEMAS[name], {**values, "at": now})
        self.table(name).append(row, writer or f"{name}-{now.isoformat()}", batch)

    def add_all(self, name: str, values: Sequence[Mapping[str, Any]]) -> None:
        """Append rows in one commit."""
        now, columns = datetime.now(UTC), SCHEMAS[name]
        rows = [tuple({**one, "at": now}[column] for column in columns) for one in values]
        kinds = ", ".join(f"{column} {kind}" for column, kind in columns.items())
        made = self._spark.createDataFrame(rows, kinds)
        self.table(name).append(made, f"{name}-{now.isoformat()}", 0)

    def _row(self, columns: Mapping[str, str], values: Mapping[str, Any]) -> DataFrame:
        """Return one row as a literal: for a Python list Spark would run another job."""
        kinds = ", ".join(f"{column}: {kind}" for column, kind in columns.items())
        given = string_literal(json.dumps(values, default=_timestamp_text))
        row = f"from_json({given}, 'struct<{kinds}>', map('mode', 'FAILFAST'))"
        return self._spark.sql(f"SELECT inline(array({row}))")

    def compact(self, hours: int, snapshots: float | None) -> None:
        """Compact these tables, as in `Lake.compact`."""
        for name in SCHEMAS:
            if self.present(name) is not None:
                self._lake.compact(self._path(name), hours, snapshots)

    def fence(self, owner: str) -> None:
        """Make unfinished writes of other processes to these tables fail, as in `Lake.fence`."""
        for name in SCHEMAS:
            if self.present(name) is not None:
                self._lake.fence(self._path(name), owner)

    def _path(self, name: str) -> str:
        return f"{self._folder}/{self._names.get(name, name)}"


def _timestamp_text(value: datetime) -> str:
    """Return a time as ISO text; Spark returns times without a zone in the local zone."""
    return value.astimezone(UTC).isoformat()
