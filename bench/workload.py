"""The benchmark's database: its tables are filled, and changed while they are captured."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from typing import Final

from bench.tables import TABLES
from tools.stack import OWNER, DatabaseServer, MariaDb, MySql97

SERVERS: Final[dict[str, type[DatabaseServer]]] = {"mysql": MySql97, "mariadb": MariaDb}
DATABASE: Final = "bench"
PACED: Final = "paced"
SIGNALS: Final = "signals"

_LOADED_AT_ONCE: Final = 2000


class Workload:
    """The benchmark's database on a server; ``size`` is the number of rows of table sb.

    Beside each table stands ``<table>_stream`` with the same columns: changes are made there.
    """

    def __init__(self, server: DatabaseServer, size: int) -> None:
        self._size = size
        self._server = server
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

    def load(self, names: Iterable[str] = TABLES) -> None:
        """Make the database and fill the tables that have these names."""
        self._execute(f"CREATE DATABASE {DATABASE} DEFAULT CHARSET utf8mb4", f"USE {DATABASE}")
        for name in sorted(TABLES.keys() & set(names)):
            table = TABLES[name]
            self._execute(
                f"CREATE TABLE {name} ({table.columns})",
                f"CREATE TABLE {name}_stream ({table.columns})",
            )
            self._fill(name)
        self._execute(
            f"CREATE TABLE {PACED} "
            "(id BIGINT AUTO_INCREMENT PRIMARY KEY, t DOUBLE NOT NULL, pad VARCHAR(200))",
            f"CREATE TABLE {SIGNALS} "
            "(id VARCHAR(42) PRIMARY KEY, type VARCHAR(32) NOT NULL, data VARCHAR(2048))",
        )

    def clear(self, table: str) -> None:
        """Empty the table that `write_changes` fills."""
        self._execute(f"TRUNCATE {table}_stream")

    def copy(self, table: str) -> None:
        """Fill the table of changes with all rows."""
        self.clear(table)
        self._execute(f"INSERT INTO {table}_stream SELECT * FROM {table}")

    def split(self, table: str, count: int) -> list[str]:
        """Share the rows of a table out to so many others; return their names."""
        names = [f"{table}_part{number}" for number in range(count)]
        for number, name in enumerate(names):
            self._execute(
                f"DROP TABLE IF EXISTS {name}",
                f"CREATE TABLE {name} LIKE {table}",
                f"INSERT INTO {name} SELECT * FROM {table} WHERE id % {count} = {number}",
            )
        return names

    def signal(self, identity: str, data: str) -> None:
        """Request a snapshot through the table of signals."""
        insert = f"INSERT INTO {SIGNALS} VALUES (%s, 'execute-snapshot', %s)"
        self._cursor.execute(insert, (identity, data))
        self._connection.commit()

    def write_updates(self, table: str, rate: float, ended: threading.Event) -> None:
        """Update rows at a rate, one a transaction, with the time in column c, until the end."""
        with self._server.connect(OWNER, database=DATABASE) as connection:
            cursor, begun, number = connection.cursor(), time.monotonic(), 0
            while not ended.wait(max(0, begun + number / rate - time.monotonic())):
                number += 1
                row = number * 7919 % self.rows(table)
                update = f"UPDATE {table}_stream SET c = '{time.time()!r}' WHERE id = {row}"
                cursor.execute(update)

    def touch(self, table: str) -> None:
        """Make a change, so that something arrives: a row comes, unless it exists, and changes.

        None is deleted: Kafka's transforms of fields refuse the tombstone that follows.
        """
        last = self.rows(table) - 1
        self._execute(
            f"INSERT IGNORE INTO {table}_stream SELECT * FROM {table} WHERE id = {last}",
            f"UPDATE {table}_stream SET {TABLES[table].update} WHERE id = {last}",
        )

    def write_changes(self, table: str, in_transaction: int = 100, in_statement: int = 100) -> None:
        """Insert rows, so many a transaction and a statement; then update some, each by itself."""
        inserts = self._inserts(table)
        for first in range(0, inserts, in_transaction):
            end = min(first + in_transaction, inserts)
            self._execute(
                *(
                    f"INSERT INTO {table}_stream SELECT * FROM {table} "
                    f"WHERE id BETWEEN {start} AND {min(start + in_statement, end) - 1}"
                    for start in range(first, end, in_statement)
                )
            )
        for number in range(self._updates(table)):
            self._execute(f"UPDATE {table}_stream SET {TABLES[table].update} WHERE id = {number}")

    def write_paced(self, rate: float, seconds: float) -> float:
        """Insert rows into `PACED` at a rate, one a transaction, with the time in column t.

        Return how many seconds the longest of these transactions took.
        """
        longest, begun = 0.0, time.monotonic()
        for number in range(int(rate * seconds)):
            time.sleep(max(0, begun + number / rate - time.monotonic()))
            inserted = time.monotonic()
            self.insert_paced()
            longest = max(longest, time.monotonic() - inserted)
        return longest

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
