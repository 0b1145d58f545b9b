"""Verifies that a mirror equals its source at a binlog position, while both change.

The source's rows are read by one statement, and compared as of the binlog position before it. Keys
that changed later, which the mirror shows by their positions or as deletes, are skipped on both
sides. All others must have the same values once the mirror has reached the position.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from sparksink.change_position import ChangePosition, before_sql, pack
from sparksink.commands.canonical import Canonical, SourceColumn, canonical
from sparksink.errors import TableError
from sparksink.schemas.masks import masked_columns
from sparksink.schemas.row_schema import filter_names
from sparksink.sink import Sink
from sparksink.source.routes import Route
from sparksink.spark_errors import SparkError
from sparksink.sql import key_text_sql, quote_name
from sparksink.status.verification import Verification
from sparksink.tables.database import Database

_LOOK_SECONDS: Final = 2.0
_TRIES: Final = 3
_META: Final = "__"


class Comparison:
    """Compares one mirror with its table; ``database`` is the source's server."""

    def __init__(self, sink: Sink, route: Route, database: Database) -> None:
        self._sink = sink
        self._route = route
        self._database = database
        self._source_name = sink.definitions.source_name(route.table)
        self._name_in_target = sink.config.target.column
        self._names: dict[str, str] = {}
        self._keys = self._keys_of_mirror()
        self._columns, self._left_out = self._comparable()

    def run(self, seconds: float) -> Verification:
        """Compare repeatedly for so long, until the mirror has reached the position.

        :raises TableError: the table cannot be compared.
        """
        for _ in range(_TRIES):
            cut = self._head()
            source = self._source().localCheckpoint()
            until = time.monotonic() + seconds
            while True:
                self._sink.state.open()
                if self._sink.state.watermark(self._route.table) > cut:
                    break  # all rows were replaced meanwhile
                found = self._compare(source, cut)
                if found.is_equal or time.monotonic() > until:
                    return found
                time.sleep(_LOOK_SECONDS)
        raise TableError(
            f"{self._route.table} is truncated or snapshotted too often to be compared."
        )

    def _keys_of_mirror(self) -> Sequence[str]:
        table, rules = self._sink.lake.table(self._route.mirror), self._sink.config
        if table.columns() is None:
            raise TableError(f"{self._route.table} has no mirror.")
        if rules.table(self._route.table).mirror.scd != 1 or rules.ordering.mode != "binlog":
            raise TableError(
                f"{self._route.table} cannot be compared: that needs mirror.scd=1 and"
                " ordering.mode=binlog."
            )
        keys: Sequence[str] = tuple(json.loads(table.facts().get("keys", "[]")))
        return keys

    def _comparable(self) -> tuple[Mapping[str, Canonical], tuple[str, ...]]:
        """Return the columns of both sides and how they are compared; and the others."""
        kinds = self._sink.lake.table(self._route.mirror).columns() or {}
        own, called = self._sink.config.table(self._route.table).columns, self._name_in_target
        versions = self._sink.definitions.versions(self._route.table)
        hidden = {*map(called, masked_columns(own, versions))}
        mirror = {
            name: kind
            for name, kind in kinds.items()
            if not name.startswith(_META) and name not in hidden
        }
        every = self._source_columns()
        taken = filter_names([column.name for column in every], own.include, own.exclude)
        # Of two columns with the same name in the target, the one in the mirror.
        source = {called(column.name): column for column in every}
        source |= {called(column.name): column for column in every if column.name in taken}
        self._names = {name: column.name for name, column in source.items()}
        rules = {
            name: canonical(source[name], kind) for name, kind in mirror.items() if name in source
        }
        columns = {name: rule for name, rule in rules.items() if rule is not None}
        lost = [key for key in self._keys if key not in columns]
        if lost or not self._keys:
            raise TableError(f"{self._route.table}: its key cannot be compared: {lost}.")
        return columns, tuple(sorted({*mirror, *source} - columns.keys()))

    def _source_columns(self) -> list[SourceColumn]:
        schema, _, table = self._source_name.partition(".")
        rows = self._database.query(
            "SELECT column_name, data_type, is_nullable FROM information_schema.columns"
            " WHERE table_schema = ? AND table_name = ?",
            schema,
            table,
        )
        if not rows:
            raise TableError(
                f"The source has no table {self._route.table}, or the account may not read it."
            )
        return [SourceColumn(str(n), str(kind).lower(), null == "YES") for n, kind, null in rows]

    def _head(self) -> ChangePosition:
        """Return the end of the source's binlog, with the epoch of the mirrors."""
        try:
            [row] = self._database.query("SHOW BINARY LOG STATUS")
        except SparkError:  # MariaDB, and MySQL before 8.2
            [row] = self._database.query("SHOW MASTER STATUS")
        file, offset = row[:2]
        reached = self._sink.state.table_results().values()
        epochs = [one.highest.hi >> 32 for one in reached if one.highest]
        position = pack(max(epochs, default=0), str(file), int(str(offset)), 0, "r")
        if position is None:
            raise TableError(f"The source's binlog is at {file}, whose name has no number.")
        return position

    def _source(self) -> DataFrame:
        """Read the present rows of the source: keys, and a checksum of all values."""
        texts = ", ".join(
            f"{rule.source.replace('{c}', quote_name(self._names[name]))} AS c{number}"
            for number, (name, rule) in enumerate(self._columns.items())
        )
        schema, _, table = self._source_name.partition(".")
        name = f"{quote_name(schema)}.{quote_name(table)}"
        rows = self._database.read(f"SELECT {texts} FROM {name}")  # noqa: S608 - quoted
        values = [
            f"{rule.read.replace('{v}', f'c{number}')} AS {quote_name(name)}"
            for number, (name, rule) in enumerate(self._columns.items())
        ]
        return self._sum_rows(rows.selectExpr(*values))

    def _mirror(self) -> DataFrame:
        table = self._sink.lake.table(self._route.mirror).read()
        values = [
            f"{rule.mirror.replace('{v}', quote_name(name))} AS {quote_name(name)}"
            for name, rule in self._columns.items()
        ]
        gone = "__deleted" if "__deleted" in table.columns else "false AS __deleted"
        own = table.selectExpr(*values, "__seq_hi", "__seq_lo", gone)
        return self._sum_rows(own, "__seq_hi", "__seq_lo", "__deleted")

    def _sum_rows(self, rows: DataFrame, *more: str) -> DataFrame:
        """Return keys and checksum, which distinguishes NULLs of different columns."""
        names = [quote_name(name) for name in self._columns]
        nulls = ", ".join(f"isnull({name})" for name in names)
        keys = [f"{quote_name(key)} AS k{number}" for number, key in enumerate(self._keys)]
        total = f"xxhash64({', '.join(names)}, {nulls}) AS total"
        return rows.selectExpr(*keys, total, f"{key_text_sql(self._keys)} AS key_text", *more)

    def _compare(self, source: DataFrame, cut: ChangePosition) -> Verification:
        later = f.expr(f"NOT {before_sql(cut)}")
        mirror = self._mirror().withColumn("later", later)
        deleted = self._sink.state.table("tombstones").read().where(
            (f.col("source_table") == self._route.table)
            & f.expr(f"NOT {before_sql(cut, 'seq_hi', 'seq_lo')}")
        )  # fmt: skip
        gone = deleted.selectExpr("key AS key_text", "true AS gone").distinct()
        keys = [f"k{number}" for number in range(len(self._keys))]
        left = source.join(gone, "key_text", "left").drop("key_text").alias("s")
        right = mirror.drop("key_text").withColumnRenamed("total", "copy").alias("m")
        both = left.join(right, keys, "full_outer")
        verdict = f.expr(_VERDICT).alias("verdict")
        counts = both.select(verdict, "total", "copy").groupBy("verdict").agg(
            f.count(f.lit(1)).alias("rows"),
            f.bit_xor("total").alias("at_source"),
            f.bit_xor("copy").alias("in_mirror"),
        )  # fmt: skip
        return self._result({row["verdict"]: row for row in counts.collect()})

    def _result(self, found: Mapping[str, Any]) -> Verification:
        number = {name: found[name]["rows"] if name in found else 0 for name in _VERDICTS}
        at_source = in_mirror = 0
        for name in _VERDICTS[1:]:
            if name in found:
                at_source ^= found[name]["at_source"] or 0
                in_mirror ^= found[name]["in_mirror"] or 0
        return Verification(
            self._route.table,
            sum(number.values()),
            number["equal"],
            number["later"],
            number["missing"],
            number["surplus"],
            number["different"],
            (at_source, in_mirror),
            self._left_out,
        )


_VERDICTS: Final = ("later", "equal", "missing", "surplus", "different")
_VERDICT: Final = """
    CASE WHEN coalesce(later, false) OR coalesce(gone, false) THEN 'later'
         WHEN copy IS NULL OR __deleted THEN CASE WHEN total IS NULL THEN 'equal' ELSE 'missing' END
         WHEN total IS NULL THEN 'surplus'
         WHEN total <> copy THEN 'different'
         ELSE 'equal' END"""
