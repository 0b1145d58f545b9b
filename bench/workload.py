"""The tables, the rows in them, and the changes that are captured.

sb    4 columns as of sysbench: int, int, char(120), char(60)
wide  20 columns of most types: integers, double, decimal, temporal types, texts with quotes and
      umlauts, enum, JSON, blob, NULLs

Rows are computed from their number, so they are the same in every run.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from deploy.stack import OWNER, DatabaseServer

DATABASE: Final = "bench"
PACED: Final = "paced"

_LOADED_AT_ONCE: Final = 2000
_CHANGED_AT_ONCE: Final = 100
_PRIMES: Final = (
    *(7919, 104729, 1299709, 15485863, 179424673),
    *(32452843, 49979687, 67867967, 86028121, 982451653),
)
_NESTED: Final = {"x": 1.5, "y": None, "ok": True}
_SIZES: Final = ("small", "medium", "large", "x-large")


def digits(number: int, groups: int) -> str:
    """Return groups of 11 digits joined by dashes, as sysbench fills its columns."""
    parts = ((number + 1) * prime % 99_999_999_977 for prime in _PRIMES[:groups])
    return "-".join(f"{part:011}" for part in parts)


def sb_row(i: int) -> tuple[Any, ...]:
    """Return a row of table sb."""
    return (i, i * 31 % 250_000, digits(i, 10), digits(i, 5))


def wide_row(i: int) -> tuple[Any, ...]:
    """Return a row of table wide."""
    return (
        i,
        i % 127,
        i % 65_000,
        i % 8_000_000,
        i * 17 % 2**32,
        i * 1_000_003,
        i / 7,
        f"{i % 1_000_000 * 1.37:.2f}",
        f"2026-01-{1 + i % 28:02} 10:{i % 60:02}:{i * 7 % 60:02}.{i * 37 % 1_000_000:06}",
        f"2026-02-{1 + i % 28:02} 11:{i % 60:02}:01.{i % 1000:03}",
        f"202{i % 6}-0{1 + i % 9}-1{i % 9}",
        f"{i % 800:02}:{i % 60:02}:{i % 59:02}",
        f'Käse "{i}" Ünï €',
        f"plain text of some length, number {i}, then a bit of: " + "lorem ipsum " * (i % 8),
        _SIZES[i % len(_SIZES)],
        json.dumps({"id": i, "name": f"item-{i}", "tags": ["a", "b", "c"], "nested": _NESTED}),
        b"%08x" % (i * 7919 % 2**31) * 4,
        None if i % 2 == 0 else i,
        None,
        b"%016d" % i,
    )


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the workload.

    ``row`` computes a row from its number, ``update`` is what an update sets. How many ``rows``
    there are for a snapshot, and how many ``inserts`` and ``updates`` are streamed, is told in
    parts of the size of the benchmark.
    """

    columns: str
    row: Callable[[int], tuple[Any, ...]]
    update: str
    rows: float
    inserts: float
    updates: float


TABLES: Final = {
    "sb": Table(
        "id INT NOT NULL PRIMARY KEY, k INT NOT NULL DEFAULT 0, "
        "c CHAR(120) NOT NULL DEFAULT '', pad CHAR(60) NOT NULL DEFAULT '', KEY k_1 (k)",
        sb_row,
        "k = k + 1, c = pad",
        rows=1,
        inserts=1 / 2,
        updates=1 / 20,
    ),
    "wide": Table(
        "id BIGINT NOT NULL PRIMARY KEY, i1 TINYINT NOT NULL, i2 SMALLINT UNSIGNED NOT NULL, "
        "i3 MEDIUMINT, i4 INT UNSIGNED, i5 BIGINT, f DOUBLE, dec1 DECIMAL(12,2), "
        "dt6 DATETIME(6), ts TIMESTAMP(3) NULL, d DATE, t TIME, v1 VARCHAR(64), v2 VARCHAR(400), "
        "en ENUM('small','medium','large','x-large'), js JSON, bl BLOB, n1 INT, n2 VARCHAR(20), "
        "vb VARBINARY(16)",
        wide_row,
        "i5 = i5 + 1, v1 = 'x'",
        rows=1 / 4,
        inserts=1 / 5,
        updates=1 / 40,
    ),
}


class Workload:
    """The benchmark's database on a server; ``size`` is the number of rows of table sb.

    Beside each table stands ``<table>_stream`` with the same columns: changes are made there.
    """

    def __init__(self, server: DatabaseServer, size: int) -> None:
        self._size = size
        self._connection = server.connect(OWNER, autocommit=False)
        self._cursor = self._connection.cursor()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def rows(self, table: str) -> int:
        """Return how many rows a table has."""
        return int(self._size * TABLES[table].rows)

    def changes(self, table: str) -> int:
        """Return how many changes `write_changes` makes."""
        return self._inserts(table) + self._updates(table)

    def load(self) -> None:
        """Make the database and fill the tables."""
        self._execute(f"CREATE DATABASE {DATABASE} DEFAULT CHARSET utf8mb4", f"USE {DATABASE}")
        for name, table in TABLES.items():
            self._execute(
                f"CREATE TABLE {name} ({table.columns})",
                f"CREATE TABLE {name}_stream ({table.columns})",
            )
            self._fill(name)
        self._execute(
            f"CREATE TABLE {PACED} "
            "(id BIGINT AUTO_INCREMENT PRIMARY KEY, t DOUBLE NOT NULL, pad VARCHAR(200))"
        )

    def clear(self, table: str) -> None:
        """Empty the table that `write_changes` fills."""
        self._execute(f"TRUNCATE {table}_stream")

    def touch(self, table: str) -> None:
        """Make a change, so that something arrives: a row goes, if it is there, and comes."""
        last = self.rows(table) - 1
        self._execute(
            f"DELETE FROM {table}_stream WHERE id = {last}",
            f"INSERT INTO {table}_stream SELECT * FROM {table} WHERE id = {last}",
        )

    def write_changes(self, table: str) -> None:
        """Insert rows, 100 a transaction, then update some of them, one a transaction."""
        inserts = self._inserts(table)
        for first in range(0, inserts, _CHANGED_AT_ONCE):
            last = min(first + _CHANGED_AT_ONCE, inserts) - 1
            self._execute(
                f"INSERT INTO {table}_stream SELECT * FROM {table} "
                f"WHERE id BETWEEN {first} AND {last}"
            )
        for number in range(self._updates(table)):
            self._execute(f"UPDATE {table}_stream SET {TABLES[table].update} WHERE id = {number}")

    def write_paced(self, rate: float, seconds: float) -> None:
        """Insert rows into `PACED` at a rate, one a transaction, with the time in column t."""
        begun = time.monotonic()
        for number in range(int(rate * seconds)):
            time.sleep(max(0, begun + number / rate - time.monotonic()))
            self.insert_paced()

    def insert_paced(self) -> None:
        """Insert one row with the present time."""
        self._execute(f"INSERT INTO {PACED} (t, pad) VALUES ({time.time()!r}, REPEAT('p', 100))")

    def _fill(self, name: str) -> None:
        table = TABLES[name]
        marks = ",".join(["%s"] * len(table.row(0)))
        for first in range(0, self.rows(name), _LOADED_AT_ONCE):
            numbers = range(first, min(first + _LOADED_AT_ONCE, self.rows(name)))
            rows = list(map(table.row, numbers))
            self._cursor.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)
            self._connection.commit()

    def _inserts(self, table: str) -> int:
        return int(self._size * TABLES[table].inserts)

    def _updates(self, table: str) -> int:
        return int(self._size * TABLES[table].updates)

    def _execute(self, *statements: str) -> None:
        for statement in statements:
            self._cursor.execute(statement)
        self._connection.commit()
