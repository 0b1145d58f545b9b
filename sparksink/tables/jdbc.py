"""Tables of a database; the sink's system tables stay Delta tables.

Spark's tasks first write changes to a staging table. Then one transaction merges them into the
table, so readers never see a part of a batch. The Spark types and the facts of a table are stored
in ``_millrace_tables``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f

from sparksink.config.partitioning import NONE, Partitioning
from sparksink.config.target import Jdbc
from sparksink.sql import json_text_sql, quote_name, unquote_type
from sparksink.tables import (
    Add,
    Alteration,
    Copy,
    Drop,
    Fill,
    Lake,
    Merge,
    Rename,
    Rewrite,
    Table,
    Widen,
    copy_sql,
)
from sparksink.tables.database import Database, Statement
from sparksink.tables.dialects import Dialect, create_sql, join_keys_sql, merge_sql, select_sql

_TABLES: Final = "_millrace_tables"
_WRITERS: Final = "_millrace_writers"
_PRIMARY: Final = "primary.key"
_TIMES: Final = ("date", "timestamp", "timestamp_ntz")
_NESTED: Final = ("struct", "array", "map", "variant")


class JdbcTable:
    """One table of a database; implements `sparksink.tables.Table`."""

    def __init__(self, spark: SparkSession, database: Database, name: str) -> None:
        self._spark = spark
        self._database = database
        self._name = name
        self._stage = f"_millrace_{hashlib.sha256(name.encode()).hexdigest()[:16]}"
        self._keys = f"{self._stage}_keys"
        self._columns: Mapping[str, str] | None = None

    @property
    def _sql(self) -> Dialect:
        return self._database.sql

    @property
    def _quoted_name(self) -> str:
        return self._sql.name(self._name)

    def columns(self) -> Mapping[str, str] | None:
        """Return the columns; they are cached, as only this job changes them."""
        if self._columns is None and self._present():
            found = self._read_note("columns")
            self._columns = found or None
        return self._columns

    def facts(self) -> Mapping[str, str]:
        """Return the facts, which are in ``_millrace_tables``."""
        return self._read_note("facts")

    def create(
        self,
        columns: Mapping[str, str],
        facts: Mapping[str, str],
        keys: Sequence[str] = (),
        _: Partitioning = NONE,
    ) -> None:
        """Create the table with its primary key."""
        made = create_sql(self._sql, self._name, columns, keys)
        self._database.run(map(Statement, (*self._create_bookkeeping_sql(), made)))
        self._note(columns, {**facts, _PRIMARY: json.dumps(list(keys))})

    def alter(self, actions: Sequence[Alteration], facts: Mapping[str, str]) -> None:
        """Store facts, then change the table; changes from before a crash are not repeated."""
        columns, noted = dict(self.columns() or {}), {**self.facts(), **facts}
        self._note(columns, noted)
        for action in actions:
            columns = self._alter(action, columns, noted)
            self._note(columns, noted)

    def read(self, keys: DataFrame | None = None) -> DataFrame:
        """Return all rows, or those of some keys, which are loaded into a staging table.

        Timestamps are read as strings, as the driver would convert them to its zone.
        """
        columns = self.columns() or {}
        sql = select_sql(self._sql, self._name, columns)
        if keys is not None:
            self._load(keys, self._keys)
            sql += join_keys_sql(self._sql, self._keys, keys.columns)
        found = self._database.read(sql)
        return found.select(*(_from_database(name, kind) for name, kind in columns.items()))

    def merge(self, changes: DataFrame, how: Merge) -> None:
        """Apply changes that are later than the present row, in one transaction."""
        self._load(changes, self._stage)
        self._finish(map(Statement, merge_sql(self._sql, self._name, self._stage, how)))

    def append(self, rows: DataFrame, writer: str, batch: int) -> None:
        """Append rows; the transaction stores writer and batch."""
        who = hashlib.sha256(writer.encode()).hexdigest()
        found = self._database.query(f"SELECT batch FROM {_WRITERS} WHERE writer = ?", who)  # noqa: S608 - a fixed name
        if found and int(found[0][0] or -1) >= batch:
            return
        self._load(rows, self._stage)
        names = ", ".join(map(self._sql.name, rows.columns))
        source = f"SELECT DISTINCT {names} FROM {self._stage}"  # noqa: S608 - quote_name names
        added = f"INSERT INTO {self._quoted_name} ({names}) {source}"
        wrote = self._sql.upsert(_WRITERS, "writer", ["batch"])
        self._finish([Statement(added), Statement(wrote, (who, str(batch)))])

    def run(self, statement: str) -> None:
        """Run SQL that the database understands."""
        self._write([Statement(statement.replace("{table}", self._quoted_name))])

    def _create_bookkeeping_sql(self) -> Iterator[str]:
        """Yield SQL that creates the sink's bookkeeping tables."""
        text, ending = self._sql.settings.text, self._sql.settings.ending
        columns = f"name VARCHAR(64) PRIMARY KEY, columns {text} NOT NULL, facts {text} NOT NULL"
        version = "version BIGINT NOT NULL DEFAULT 0"
        yield f"CREATE TABLE IF NOT EXISTS {_TABLES} ({columns}, {version}) {ending}"
        writer = "writer CHAR(64) PRIMARY KEY, batch BIGINT NOT NULL"
        yield f"CREATE TABLE IF NOT EXISTS {_WRITERS} ({writer}) {ending}"

    def _present(self) -> bool:
        here = f"table_schema = {self._sql.settings.schema} AND table_name IN (?, ?)"
        tables = f"SELECT 1 FROM information_schema.tables WHERE {here}"  # noqa: S608 - fixed names
        names = self._database.query(tables, self._name, _TABLES)
        return len(names) == 2

    def _read_note(self, column: str) -> dict[str, str]:
        found = self._database.query(f"SELECT {column} FROM {_TABLES} WHERE name = ?", self._name)  # noqa: S608 - fixed names
        noted: dict[str, str] = json.loads(found[0][0] or "{}") if found else {}
        return noted

    def _note(self, columns: Mapping[str, str], facts: Mapping[str, str]) -> None:
        kinds = {name: unquote_type(kind) for name, kind in columns.items()}  # as Spark writes it
        values = (self._name, json.dumps(kinds), json.dumps(facts))
        noted = self._sql.upsert(_TABLES, "name", ["columns", "facts"])
        self._database.run([Statement(noted, values)])
        self._columns = None

    def _alter(
        self, action: Alteration, columns: Mapping[str, str], facts: Mapping[str, str]
    ) -> dict[str, str]:
        """Change the table, and return its columns after that."""
        present = self._present_columns()
        table, sql = f"ALTER TABLE {self._quoted_name}", self._sql
        keys = json.loads(facts[_PRIMARY])
        match action:
            case Add(added):
                for name in (one for one in added if one not in present):
                    made = sql.definition(name, added[name], keys)
                    self._change(f"{table} ADD COLUMN {made}")
                return {**columns, **added}
            case Drop(gone):
                for name in present.intersection(gone):
                    self._change(f"{table} DROP COLUMN {sql.name(name)}")
                return {name: kind for name, kind in columns.items() if name not in gone}
            case Widen(name, kind) | Rewrite(name, kind):
                self._change(sql.widen(self._name, name, kind, keys))
                return {**columns, name: kind}
            case Rename(name, to):
                if to not in present:
                    self._change(f"{table} RENAME COLUMN {sql.name(name)} TO {sql.name(to)}")
                return {to if column == name else column: kind for column, kind in columns.items()}
            case Fill(values, where):
                self._fill(values, where or "TRUE")
                return dict(columns)
            case Copy(copied, where):
                self.run(copy_sql(copied, where, sql.name))
                return dict(columns)

    def _present_columns(self) -> set[str]:
        here = f"table_schema = {self._sql.settings.schema} AND table_name = ?"
        columns = f"SELECT column_name FROM information_schema.columns WHERE {here}"  # noqa: S608 - fixed names
        return {str(name) for (name,) in self._database.query(columns, self._name)}

    def _change(self, sql: str) -> None:
        self._database.run([Statement(sql)])

    def _fill(self, values: Mapping[str, str], where: str) -> None:
        """Let Spark evaluate the values, and load them into a staging table of one row."""
        columns = self.columns() or {}
        row = self._spark.range(1).select(
            *(f.expr(sql).cast(columns[name]).alias(name) for name, sql in values.items())
        )
        self._load(row, self._stage)
        self._finish([Statement(self._sql.update(self._name, self._stage, where, values))])

    def _load(self, rows: DataFrame, stage: str) -> None:
        """Load rows into an empty staging table."""
        names = ", ".join(map(self._sql.name, rows.columns))
        empty = f"CREATE TABLE {stage} AS SELECT {names} FROM {self._quoted_name} WHERE FALSE"  # noqa: S608 - quote_name names
        self._database.run(map(Statement, (f"DROP TABLE IF EXISTS {stage}", empty)))
        self._database.load(_to_portable(rows), stage)

    def _finish(self, statements: Iterable[Statement]) -> None:
        """Merge the staging table in one transaction, and drop it."""
        self._write(statements)
        self._change(f"DROP TABLE IF EXISTS {self._stage}, {self._keys}")

    def _write(self, statements: Iterable[Statement]) -> None:
        counted = f"UPDATE {_TABLES} SET version = version + 1 WHERE name = ?"  # noqa: S608 - a fixed name
        self._database.run([*statements, Statement(counted, (self._name,))])


class JdbcLake:
    """The tables of a database; implements `sparksink.tables.Lake`.

    ``a/b`` are system tables, which are in another lake.
    """

    def __init__(self, spark: SparkSession, settings: Jdbc, own: Lake) -> None:
        self._spark = spark
        self._database = Database(spark, settings)
        self._own = own
        self._tables: dict[str, JdbcTable] = {}

    def table(self, name: str) -> Table:
        """Return the table of a name."""
        if "/" in name:
            return self._own.table(name)
        return self._tables.setdefault(name, JdbcTable(self._spark, self._database, name))

    def version(self, name: str) -> str:
        """Return how often the table was written."""
        found = self._database.query(f"SELECT version FROM {_TABLES} WHERE name = ?", name)  # noqa: S608 - a fixed name
        return str(found[0][0]) if found else ""

    def fence(self, name: str, owner: str) -> None:
        """Fence a system table."""
        if "/" in name:
            self._own.fence(name, owner)

    def compact(self, name: str, hours: int, _: float | None = None) -> None:
        """Refresh the database's statistics; it needs no compaction."""
        if "/" in name:
            self._own.compact(name, hours)
        else:
            self._database.run([Statement(self._database.sql.analyze(name))])


def _to_portable(rows: DataFrame) -> DataFrame:
    return rows.select(*(_to_database(name, kind) for name, kind in rows.dtypes))


def _to_database(name: str, kind: str) -> Column:
    """Return a column as every driver supports it: timestamps and nested types as strings."""
    value = f.col(quote_name(name))
    if kind in _TIMES:
        return value.cast("string").alias(name)
    nested = kind.startswith(_NESTED)
    return f.expr(json_text_sql(quote_name(name))).alias(name) if nested else value


def _from_database(name: str, kind: str) -> Column:
    value = f.col(quote_name(name))
    if kind == "variant":
        return f.parse_json(value).alias(name)
    if kind.startswith(_NESTED):
        return f.from_json(value, kind).alias(name)
    return value.cast(kind).alias(name)
