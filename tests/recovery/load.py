"""Writes at random, into tables that show later whether a change was lost.

Each row of ``items`` has an ``origin`` that never changes, not even with its key, and a
``version`` that every change of the row raises by one. Rows of ``ledger``, a table without key,
are only added, each with a number of its own.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from typing import Any, Self

import pymysql

from tools.stack import DatabaseServer

TABLES = ("items", "ledger", "finish")
ITEMS = (
    "CREATE TABLE items (id BIGINT PRIMARY KEY, origin BIGINT NOT NULL, version INT NOT NULL, "
    "text VARCHAR(200), UNIQUE KEY by_origin (origin))"
)
LEDGER = "CREATE TABLE ledger (number BIGINT NOT NULL, text VARCHAR(50))"
FINISH = "CREATE TABLE finish (id INT PRIMARY KEY)"
_PAUSE = 0.002
_LIMIT = 120.0


class Load:
    """One writer in a thread of its own; a context manager that ends it.

    It waits for a database that is away, and goes on. ``alters``: now and then it adds and
    drops a column.
    """

    def __init__(
        self, server: DatabaseServer, database: str, seed: int, *, alters: bool = True
    ) -> None:
        self._server = server
        self._database = database
        self._random = random.Random(seed)
        self._alters = alters
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="load", daemon=True)
        self._error: BaseException | None = None
        self._numbers = iter(range(1_000_000, 2_000_000_000))
        self._ids: list[int] = []
        self._extra = False
        self.transactions = 0

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """Write no more; raises what made the writer stop earlier."""
        self._ended.set()
        self._thread.join(_LIMIT)
        assert not self._thread.is_alive(), "the writer hangs"
        if self._error is not None:
            raise AssertionError("the writer failed") from self._error

    def _run(self) -> None:
        try:
            while not self._ended.is_set():
                try:
                    self._session()
                except pymysql.err.MySQLError as error:
                    if not gone(error):
                        raise
                    self._ended.wait(0.05)
        except BaseException as error:  # noqa: BLE001 - raised again by `end`
            self._error = error

    def _session(self) -> None:
        """Write until `end`, or until the connection breaks."""
        with self._server.connect(database=self._database, autocommit=False) as connection:
            with connection.cursor() as cursor:
                cursor.execute("SELECT id FROM items")
                self._ids = [row[0] for row in cursor.fetchall()]
                cursor.execute("SHOW COLUMNS FROM items LIKE 'extra'")
                self._extra = bool(cursor.fetchall())
            while not self._ended.is_set():
                with connection.cursor() as cursor:
                    for statement in self._transaction():
                        cursor.execute(statement)
                connection.commit()
                self.transactions += 1
                self._ended.wait(_PAUSE)

    def _transaction(self) -> Iterator[str]:
        pick = self._random.random()
        if self._alters and pick < 0.01:
            yield "ALTER TABLE items " + ("DROP COLUMN extra" if self._extra else "ADD extra INT")
            self._extra = not self._extra
            return
        for _ in range(self._random.choice((1, 1, 1, 2, 5))):
            yield from self._random.choice(self._kinds)(self)

    def _insert(self) -> Iterator[str]:
        fresh = [next(self._numbers) for _ in range(self._random.choice((1, 1, 3, 20)))]
        rows = ", ".join(f"({number}, {number}, 1, '{self._text()}')" for number in fresh)
        yield f"INSERT INTO items (id, origin, version, text) VALUES {rows}"
        self._ids += fresh

    def _update(self) -> Iterator[str]:
        if self._ids:
            low = self._random.choice(self._ids)
            yield (
                f"UPDATE items SET version = version + 1, text = '{self._text()}' "
                f"WHERE id >= {low} ORDER BY id LIMIT {self._random.choice((1, 1, 10))}"
            )

    def _delete(self) -> Iterator[str]:
        if len(self._ids) > 50:
            yield f"DELETE FROM items WHERE id = {self._random_id()}"

    def _move(self) -> Iterator[str]:
        if self._ids:
            old, new = self._random_id(), next(self._numbers)
            yield f"UPDATE items SET id = {new}, version = version + 1 WHERE id = {old}"
            self._ids.append(new)

    def _note(self) -> Iterator[str]:
        rows = ", ".join(f"({next(self._numbers)}, 'note')" for _ in range(3))
        yield f"INSERT INTO ledger VALUES {rows}"

    def _random_id(self) -> int:
        return self._ids.pop(self._random.randrange(len(self._ids)))

    def _text(self) -> str:
        return "abcdefghij"[self._random.randrange(10)] * self._random.randrange(150)

    _kinds: tuple[Callable[[Load], Iterator[str]], ...] = (
        _insert,
        _update,
        _update,
        _delete,
        _move,
        _note,
    )


def gone(error: pymysql.err.MySQLError) -> bool:
    """Whether the database went away; such an error may hide that a commit was done."""
    codes: tuple[Any, ...] = (0, 1053, 1317, 1927, 2003, 2006, 2013, 3169)
    return isinstance(error, pymysql.err.InterfaceError) or error.args[0] in codes
