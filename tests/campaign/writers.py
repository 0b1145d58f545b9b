"""Writers: threads that change the tables at random, each over connections of its own."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any, Final, Protocol

import pymysql

from tests.campaign.tables import FIXED, TABLES, Table, change_definition

WRITERS: Final = 3
_PAUSE: Final = 0.01
_LIMIT: Final = 120.0
_LOCK_WAIT: Final = 3
_HUGE_ROW: Final = 20_000_000
_HUGE_TRANSACTION: Final = (900, 110_000)  # rows and bytes of each: 100 MB
_MEDIUM: Final = 300_000
_OTHERS: Final = ("other_a", "other_b", "other_c")


class Primary(Protocol):
    """The server that takes writes now; it changes only while the gate is closed."""

    @property
    def port(self) -> int:
        """Its port."""

    def connect(self, **arguments: Any) -> pymysql.Connection[Any]:
        """Return a new connection to it."""


class Gate:
    """Lets writers begin transactions; can be closed to have all of them at rest."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._open = self._open_for_fragile = True
        self._inside = self._inside_fragile = 0
        self.xa_allowed = False

    def __enter__(self) -> None:
        with self._condition:
            self._condition.wait_for(lambda: self._open)
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._condition:
            self._inside -= 1
            self._condition.notify_all()

    def close(self) -> None:
        """Wait until no transaction is in progress, and let none begin."""
        with self._condition:
            self._open = False
            assert self._condition.wait_for(lambda: not self._inside, _LIMIT), "a writer hangs"

    def open(self) -> None:
        """Let transactions begin again."""
        with self._condition:
            self._open = True
            self._condition.notify_all()

    @contextmanager
    def fragile(self) -> Iterator[None]:
        """Statements that a crash of MariaDB leaves in the log or in the tables only."""
        with self._condition:
            self._condition.wait_for(lambda: self._open_for_fragile)
            self._inside_fragile += 1
        try:
            yield
        finally:
            with self._condition:
                self._inside_fragile -= 1
                self._condition.notify_all()

    @contextmanager
    def between_fragile(self) -> Iterator[None]:
        """Have no fragile statements for the block."""
        with self._condition:
            self._open_for_fragile = False
            ended = self._condition.wait_for(lambda: not self._inside_fragile, _LIMIT)
        assert ended, "a fragile statement hangs"
        try:
            yield
        finally:
            with self._condition:
                self._open_for_fragile = True
                self._condition.notify_all()


class Writer:
    """One thread of random transactions. ``counter`` gives each new row its origin."""

    def __init__(
        self, primary: Primary, database: str, gate: Gate, number: int, seed: int, *, huge: bool
    ) -> None:
        self._primary = primary
        self._database = database
        self._gate = gate
        self._number = number
        self._chance = random.Random(f"{seed}-{number}")
        self._huge = huge
        self._xa_prefix = f"{database}-{number}-"
        self._xid = ""
        self._next = number * 1_000_000_000 + 1
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"writer-{number}", daemon=True)
        self._error: BaseException | None = None
        self.transactions = 0

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    def end(self) -> None:
        """Stop writing.

        :raises AssertionError: the writer failed for another reason than the faults.
        """
        self._ended.set()
        self._gate.open()
        self._thread.join(_LIMIT)
        assert not self._thread.is_alive(), "a writer hangs"
        if self._error is not None:
            raise AssertionError("a writer failed") from self._error

    def _run(self) -> None:
        try:
            while not self._ended.is_set():
                with suppress(pymysql.err.MySQLError, OSError):
                    self._session()
                self._ended.wait(0.1)
        except BaseException as error:  # noqa: BLE001 - raised again by `end`
            self._error = error

    def _session(self) -> None:
        """Write until the end, or until the connection breaks."""
        with self._primary.connect(database=self._database, autocommit=True) as connection:
            commit_prepared(connection, self._xa_prefix)
            cursor = connection.cursor()
            cursor.execute(f"SET SESSION innodb_lock_wait_timeout = {_LOCK_WAIT}")
            cursor.execute(f"SET SESSION lock_wait_timeout = {_LOCK_WAIT}")
            self._choose_compression(cursor)
            with self._gate:
                if connection.port == self._primary.port:
                    create_missing_tables(cursor)
            for _ in range(self._chance.randrange(5, 80)):
                if self._ended.is_set():
                    return
                with self._gate:
                    if connection.port != self._primary.port:  # it is a replica now
                        return
                    self._transact(connection, cursor)
                self._ended.wait(_PAUSE)

    def _choose_compression(self, cursor: Any) -> None:
        with suppress(pymysql.err.MySQLError):  # MariaDB has no such variable
            chosen = self._chance.choice(("ON", "OFF", "OFF"))
            cursor.execute(f"SET SESSION binlog_transaction_compression = {chosen}")

    def _transact(self, connection: pymysql.Connection[Any], cursor: Any) -> None:
        table = self._chance.choice(TABLES)
        try:
            for statement in self._statements(table, cursor):
                cursor.execute(statement)
            self.transactions += 1
        except pymysql.err.MySQLError:
            connection.ping(reconnect=False)  # raises when the connection is gone
            self._roll_back(cursor)

    def _roll_back(self, cursor: Any) -> None:
        """End whatever transaction a refused statement left open."""
        xa = f"XA END '{self._xid}'", f"XA ROLLBACK '{self._xid}'"
        for statement in (*xa, "ROLLBACK", "UNLOCK TABLES"):
            with suppress(pymysql.err.MySQLError):
                cursor.execute(statement)

    def _statements(self, table: Table, cursor: Any) -> Iterator[str]:
        pick = self._chance.random()
        if pick < 0.08:
            for statement in change_definition(
                self._chance, table, _columns(cursor, table), _OTHERS
            ):
                yield from self._safely(statement)
        elif pick < 0.082:
            yield from self._safely(f"TRUNCATE TABLE {table.name}")
        elif pick < 0.15 and self._gate.xa_allowed:
            with self._gate.fragile():
                yield from self._xa(table)
        elif self._huge and pick > 0.99995:
            yield self._huge_transaction(table)
        else:
            yield "BEGIN"
            yield from self._with_savepoints(table, cursor)
            yield "ROLLBACK" if self._chance.random() < 0.1 else "COMMIT"

    def _safely(self, statement: str) -> Iterator[str]:
        """Yield a statement that defines, as a fragile one if it is."""
        is_fragile = statement.startswith("TRUNCATE")
        with self._gate.fragile() if is_fragile else nullcontext():
            yield statement

    def _xa(self, table: Table) -> Iterator[str]:
        # A replica with several threads does not bear that a name comes again soon.
        self._xid = f"{self._xa_prefix}{self.transactions}"
        yield f"XA START '{self._xid}'"
        yield from self._changes(table)
        yield f"XA END '{self._xid}'"
        if self._chance.random() < 0.2:
            yield f"XA ROLLBACK '{self._xid}'"
        elif self._chance.random() < 0.3:
            yield f"XA COMMIT '{self._xid}' ONE PHASE"
        else:
            yield f"XA PREPARE '{self._xid}'"
            yield f"XA COMMIT '{self._xid}'"

    def _with_savepoints(self, table: Table, cursor: Any) -> Iterator[str]:
        for number in range(self._chance.choice((1, 1, 2))):
            yield from self._changes(table)
            if self._chance.random() < 0.1:
                yield self._fill(table, cursor)
            if self._chance.random() < 0.2:
                yield f"SAVEPOINT s{number}"
                yield from self._changes(self._chance.choice(TABLES))
                yield f"ROLLBACK TO s{number}"

    def _changes(self, table: Table) -> Iterator[str]:
        for _ in range(self._chance.choice((1, 1, 1, 2, 5))):
            yield self._chance.choice(self._kinds)(self, table)

    def _insert(self, table: Table) -> str:
        count = self._chance.choice((1, 1, 3, 20))
        rows = ", ".join(f"({n}, 1, 'k{n % 7}', {n}, {self._body()})" for n in self._origins(count))
        return f"INSERT INTO {table.name} (origin, version, k1, k2, body) VALUES {rows}"

    def _update(self, table: Table) -> str:
        return (
            f"UPDATE {table.name} SET version = version + 1, body = {self._body()} "
            f"WHERE origin >= {self._some_origin()} ORDER BY origin "
            f"LIMIT {self._chance.choice((1, 1, 10))}"
        )

    def _fill(self, table: Table, cursor: Any) -> str:
        """Give an added column a value, which its type may refuse."""
        extras = [name for name in _columns(cursor, table) if name not in FIXED] or ["body"]
        value = self._chance.choice(("5", "'one'", "NULL", "'2021-03-04 05:06:07.008'"))
        return (
            f"UPDATE {table.name} SET version = version + 1, "
            f"{self._chance.choice(extras)} = {value} "
            f"WHERE origin >= {self._some_origin()} ORDER BY origin LIMIT 10"
        )

    def _change_key(self, table: Table) -> str:
        [key] = self._origins(1)
        return (
            f"UPDATE {table.name} SET k2 = {key}, version = version + 1 "
            f"WHERE origin >= {self._some_origin()} ORDER BY origin LIMIT 1"
        )

    def _delete(self, table: Table) -> str:
        limit = self._chance.choice((1, 1, 4))
        return (
            f"DELETE FROM {table.name} WHERE origin >= {self._some_origin()} "
            f"ORDER BY origin LIMIT {limit}"
        )

    def _huge_transaction(self, table: Table) -> str:
        rows, size = _HUGE_TRANSACTION
        first = self._origins(rows + 1)[0]
        return (
            f"INSERT INTO {table.name} (origin, version, k1, k2, body) WITH RECURSIVE n AS "
            f"(SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < {rows}) "
            f"SELECT {first} + i, 1, 'k', {first} + i, REPEAT('z', {size}) FROM n"
        )

    def _origins(self, count: int) -> range:
        first, self._next = self._next, self._next + count
        return range(first, self._next)

    def _some_origin(self) -> int:
        writer = self._chance.randrange(WRITERS)
        return writer * 1_000_000_000 + self._chance.randrange(max(1, self._next % 1_000_000_000))

    def _body(self) -> str:
        pick = self._chance.random()
        if self._huge and pick > 0.99998:
            return f"REPEAT('h', {_HUGE_ROW})"
        if pick > 0.995:
            return f"REPEAT('m', {_MEDIUM})"
        if pick > 0.95:
            return "NULL"
        return f"'{chr(97 + self._chance.randrange(26)) * self._chance.randrange(200)}'"

    _kinds: tuple[Callable[[Writer, Table], str], ...] = (
        _insert,
        _insert,
        _update,
        _update,
        _update,
        _change_key,
        _delete,
    )


def _columns(cursor: Any, table: Table) -> list[str]:
    cursor.execute(f"SHOW COLUMNS FROM {table.name}")
    return [row[0] for row in cursor.fetchall()]


def create_missing_tables(cursor: Any) -> None:
    """Create the tables that a fault left dropped."""
    for table in TABLES:
        cursor.execute(table.definition)


def touch_every_row(connection: pymysql.Connection[Any]) -> None:
    """Change each row once more: its last message then has the definition of now."""
    with connection.cursor() as cursor:
        create_missing_tables(cursor)
        for table in TABLES:
            assert set(FIXED) <= set(_columns(cursor, table))
            cursor.execute(f"UPDATE {table.name} SET version = version + 1")


def commit_prepared(connection: pymysql.Connection[Any], prefix: str) -> int:
    """Commit the XA transactions that a fault left prepared; return how many there were."""
    committed = 0
    with connection.cursor() as cursor:
        cursor.execute("XA RECOVER")
        for *_, name in cursor.fetchall():
            text = name.decode() if isinstance(name, bytes) else str(name)
            if text.startswith(prefix):
                cursor.execute(f"XA COMMIT '{text}'")
                committed += 1
    return committed
