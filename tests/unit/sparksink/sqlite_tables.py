"""Tables of a sink in SQLite: a target with real columns and rows that costs no Spark.

Each statement is a commit, between which a process may be killed.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from pyspark.sql.types import DataType, IntegerType, LongType, StringType, StructField, StructType

from sparksink.change_position import ChangePosition, before_sql
from sparksink.schemas.spark_types import BEFORE, struct_type
from sparksink.sql import quote_name
from sparksink.tables import Add, Copy, Drop, Fill, Rename, Rewrite, Widen, alter_sql
from tests.fixtures.sink.crashing import Crash

_TYPES: dict[str, DataType] = {"int": IntegerType(), "bigint": LongType(), "string": StringType()}
_FIELD = re.compile(r"`?(\w+)`?:(\w+)")


def sqlite_sql(sql: str) -> str:
    """Return Spark's SQL as SQLite's, which has no type of the name STRING."""
    return re.sub(r"\bAS string\b", "AS TEXT", sql, flags=re.IGNORECASE)


class SqliteLake:
    """All tables of a target, in memory; the statement after ``left`` others kills the process."""

    def __init__(self) -> None:
        self._database = sqlite3.connect(":memory:", isolation_level=None)
        self._database.execute("CREATE TABLE facts (name, fact, text, PRIMARY KEY (name, fact))")
        self._database.execute(
            "CREATE TABLE kinds (name, number INTEGER PRIMARY KEY, called, kind)"
        )
        self.left: int | None = None

    def table(self, name: str) -> SqliteTable:
        return SqliteTable(self, name)

    def write(self, statement: str, given: Sequence[Any] = ()) -> None:
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                raise Crash
        self.set(statement, given)

    def set(self, statement: str, given: Sequence[Any] = ()) -> None:
        """Run what is part of the commit of a statement before it."""
        self._database.execute(statement, given)

    def query(self, statement: str, given: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return self._database.execute(statement, given).fetchall()

    def close(self) -> None:
        self._database.close()


class SqliteTable:
    """One table; the schema of a table implements what plans of `sparksink.tables.Table` use."""

    def __init__(self, lake: SqliteLake, name: str) -> None:
        self._lake = lake
        self._name = name

    def columns(self) -> Mapping[str, str] | None:
        sql = "SELECT called, kind FROM kinds WHERE name = ? ORDER BY number"
        return dict(self._lake.query(sql, [self._name])) or None

    def facts(self) -> Mapping[str, str]:
        return dict(self._lake.query("SELECT fact, text FROM facts WHERE name = ?", [self._name]))

    def create(
        self, columns: Mapping[str, str], facts: Mapping[str, str], keys: Sequence[str], _: Any
    ) -> None:
        primary = f", PRIMARY KEY ({', '.join(map(quote_name, keys))})" if keys else ""
        inside = ", ".join(map(quote_name, columns))
        self._lake.write(f"CREATE TABLE `{self._name}` ({inside}{primary})")
        for name, kind in columns.items():
            self._lake.set(
                "INSERT INTO kinds (name, called, kind) VALUES (?, ?, ?)", (self._name, name, kind)
            )
        self._store(facts)

    def alter(self, actions: Sequence[Any], facts: Mapping[str, str]) -> None:
        if facts:
            self._lake.write("SELECT 1")
            self._store(facts)
        for action in actions:
            for one in _single(action):
                self._alter(one)

    def read(self) -> Any:
        """Return what has the schema of the table, and checks whether rows meet a condition."""
        row = (self.columns() or {}).get(BEFORE, "struct<>")
        fields = [StructField(name, _TYPES[kind]) for name, kind in _FIELD.findall(row)]
        schema = StructType([StructField(BEFORE, StructType(fields))])
        return SimpleNamespace(schema=schema, where=self._where)

    def _where(self, condition: str) -> Any:
        sql = self._of(f"SELECT 1 FROM {{table}} WHERE {condition} LIMIT 1")
        return SimpleNamespace(isEmpty=lambda: not self._lake.query(sql))

    def _store(self, facts: Mapping[str, str]) -> None:
        for fact, text in facts.items():
            self._lake.set("REPLACE INTO facts VALUES (?, ?, ?)", (self._name, fact, text))

    def _alter(self, action: Any) -> None:
        if isinstance(action, Fill | Copy):
            self._lake.write(sqlite_sql(self._of(alter_sql(action))))
            return
        columns = dict(self.columns() or {})
        path, _, inside = next(_names(action)).partition(f"{BEFORE}.")
        if inside:
            self._alter_field(action, inside, columns[BEFORE])
            return
        match action:
            case Add():
                assert not _has(columns, path)
                self._lake.write(self._of(f"ALTER TABLE {{table}} ADD COLUMN {quote_name(path)}"))
                self._lake.set(
                    "INSERT INTO kinds (name, called, kind) VALUES (?, ?, ?)",
                    (self._name, path, action.columns[path]),
                )
            case Widen(name, kind):
                self._lake.write("SELECT 1")
                self._set_kind(name, name, kind)
            case Rewrite(name, kind):
                cast = sqlite_sql(f"CAST({quote_name(name)} AS {kind})")
                self._lake.write(self._of(f"UPDATE {{table}} SET {quote_name(name)} = {cast}"))
                self._set_kind(name, name, kind)
            case Drop(names):
                self._lake.write(
                    self._of(f"ALTER TABLE {{table}} DROP COLUMN {quote_name(names[0])}")
                )
                self._lake.set(
                    "DELETE FROM kinds WHERE name = ? AND called = ?", (self._name, names[0])
                )
            case Rename(name, to):
                assert not _has(columns, to)
                self._lake.write(self._of(alter_sql(action)))
                self._set_kind(name, to, columns[name])

    def _alter_field(self, action: Any, name: str, row: str) -> None:
        """Change a field of the rows before changes, which are JSON here."""
        fields = dict(_FIELD.findall(row))
        renamed = action.to if isinstance(action, Rename) else name
        if isinstance(action, Add):
            assert not _has(fields, name)
            fields[name] = action.columns[f"{BEFORE}.{name}"]
        elif isinstance(action, Widen):
            fields[name] = action.kind
        else:
            assert not _has(fields, renamed)
            fields = {renamed if one == name else one: kind for one, kind in fields.items()}
        self._lake.write("SELECT 1")
        self._set_kind(BEFORE, BEFORE, struct_type([*fields.items()]))
        for number, text in self._lake.query(self._of(f"SELECT rowid, {BEFORE} FROM {{table}}")):
            image = json.loads(text) if text else None
            if image and name in image:
                image[renamed] = image.pop(name)
                changed = self._of(f"UPDATE {{table}} SET {BEFORE} = ? WHERE rowid = ?")
                self._lake.set(changed, (json.dumps(image), number))

    def _set_kind(self, name: str, to: str, kind: str) -> None:
        self._lake.set(
            "UPDATE kinds SET called = ?, kind = ? WHERE name = ? AND called = ?",
            (to, kind, self._name, name),
        )

    def _of(self, statement: str) -> str:
        return statement.replace("{table}", f"`{self._name}`")

    def append(self, row: Mapping[str, Any]) -> None:
        """Add a row."""
        self._insert(row, "")

    def merge(self, row: Mapping[str, Any], key: str) -> None:
        """Store a row, unless that of its key has a later position."""
        assigned = ", ".join(f"{name} = excluded.{name}" for name in map(quote_name, row))
        newer = "(excluded.__seq_hi, excluded.__seq_lo) >= (t.__seq_hi, t.__seq_lo)"
        self._insert(row, f"ON CONFLICT ({quote_name(key)}) DO UPDATE SET {assigned} WHERE {newer}")

    def _insert(self, row: Mapping[str, Any], conflict: str) -> None:
        names, values = ", ".join(map(quote_name, row)), ", ".join("?" * len(row))
        into = self._of(f"INSERT INTO {{table}} AS t ({names}) VALUES ({values}) {conflict}")
        self._lake.set(into, [*row.values()])

    def delete_before(self, position: ChangePosition) -> None:
        """Remove rows from before a position."""
        if self.columns():
            self._lake.set(self._of(f"DELETE FROM {{table}} WHERE {before_sql(position)}"))

    def rows(self) -> list[dict[str, Any]]:
        names = [*(self.columns() or {})]
        chosen = ", ".join(map(quote_name, names))
        found = self._lake.query(self._of(f"SELECT {chosen} FROM {{table}}")) if names else []
        return [dict(zip(names, one, strict=True)) for one in found]


def _single(action: Any) -> Iterator[Any]:
    """Yield an alteration as ones of a single column."""
    match action:
        case Add(columns):
            yield from (Add({name: kind}) for name, kind in columns.items())
        case Drop(names):
            yield from (Drop([name]) for name in names)
        case _:
            yield action


def _has(columns: Mapping[str, str], name: str) -> bool:
    """Return whether there is a column of a name, in which Spark ignores case."""
    return name.lower() in map(str.lower, columns)


def _names(action: Any) -> Iterator[str]:
    yield from action.columns if isinstance(action, Add | Drop) else [action.name]
