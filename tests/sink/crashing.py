"""A lake that ends at some write, just before it or just after it, as a process may."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from sparksink.tables import Lake, Table
from tests.sink.recorded import MakeSink


class Crash(BaseException):
    """The process would have ended here."""


class CrashingTable:
    """A table of another lake; implements `sparksink.tables.Table`."""

    def __init__(self, table: Table, write: Any) -> None:
        self._table = table
        self._write = write

    def columns(self) -> Mapping[str, str] | None:
        return self._table.columns()

    def facts(self) -> Mapping[str, str]:
        return self._table.facts()

    def read(self, *given: Any) -> Any:
        return self._table.read(*given)

    def create(self, *given: Any) -> None:
        self._write(lambda: self._table.create(*given))

    def alter(self, actions: Sequence[Any], facts: Mapping[str, str]) -> None:
        self._write(lambda: self._table.alter(actions, facts))

    def merge(self, changes: Any, how: Any) -> None:
        self._write(lambda: self._table.merge(changes, how))

    def append(self, rows: Any, writer: str, batch: int) -> None:
        self._write(lambda: self._table.append(rows, writer, batch))

    def run(self, statement: str) -> None:
        self._write(lambda: self._table.run(statement))

    def replace(self, rows: Any, how: Any) -> None:
        table: Any = self._table
        self._write(lambda: table.replace(rows, how))


class CrashingLake:
    """Crashes at the write of a number, counted from 0, and at all later ones."""

    def __init__(self, lake: Lake, at: int, *, after: bool) -> None:
        self._lake = lake
        self._left = at
        self._after = after
        self._lock = threading.Lock()

    def table(self, name: str) -> CrashingTable:
        return CrashingTable(self._lake.table(name), self._write)

    def version(self, name: str) -> str:
        return self._lake.version(name)

    def compact(self, name: str, hours: int, snapshots: float | None = None) -> None:
        self._write(lambda: self._lake.compact(name, hours, snapshots))

    def _write(self, work: Any) -> None:
        with self._lock:
            left = self._left
            self._left -= 1
        if left < 0 or (left == 0 and not self._after):
            raise Crash
        work()
        if left == 0:
            raise Crash


class CrashingSession:
    """A Spark session that crashes at the statement of a number, counted from 0."""

    _WRITES = ("ALTER", "CALL", "DELETE", "OPTIMIZE", "VACUUM")

    def __init__(self, spark: Any, at: int, *, after: bool) -> None:
        self._spark = spark
        self._left = at
        self._after = after

    def __getattr__(self, name: str) -> Any:
        return getattr(self._spark, name)

    def sql(self, statement: str) -> Any:
        if not statement.startswith(self._WRITES):
            return self._spark.sql(statement)
        left, self._left = self._left, self._left - 1
        if left < 0 or (left == 0 and not self._after):
            raise Crash
        done = self._spark.sql(statement)
        if left == 0:
            raise Crash
        return done


def applied_after_crashes(
    sink: MakeSink, lake: Callable[[], Any], batch: Any, target: Mapping[str, Any]
) -> Any:
    """Apply a batch that changes columns, broken off three times; return the sink that ended it."""
    for at in (0, 0, 1):  # after the columns, after the values, after they are noted
        crashing = CrashingLake(lake(), at, after=True)
        with pytest.raises(Crash):
            sink(crashing, target=target).batches.apply(batch, "app", 1)
    made = sink(target=target)
    made.batches.apply(batch, "app", 1)
    return made
