"""How a snapshot reads: several tables at the same time, as of one position, and which ones."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest

from connector.capture.change import Change, RowChanges, SchemaChange
from connector.capture.snapshot_plan import Plan
from connector.capture.source import Source
from connector.errors import DatabaseUnavailableError, StopError
from connector.mysql.session.connection import Connection
from connector.mysql.session.connection_settings import ConnectionSettings
from connector.mysql.session.text_rows import TextRows
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.sources import source
from tests.fixtures.statement_proxy import StatementProxy
from tools.stack import CAPTURE

TABLES, ROWS, THREADS = 6, 4000, 3
PLAN = Plan("initial", schema=True, data=True)


@pytest.fixture
def filled(each_database: FreshDatabase) -> FreshDatabase:
    """Return a database with tables whose column v is 0 in all rows."""
    numbers = f"WITH RECURSIVE n AS (SELECT 1 i UNION ALL SELECT i + 1 FROM n WHERE i < {ROWS})"
    each_database.execute(
        "SET SESSION max_recursive_iterations = 5000"
        if "mariadb" in each_database.server.connector_class
        else "SET SESSION cte_max_recursion_depth = 5000"
    )
    for number in range(TABLES):
        each_database.execute(
            f"CREATE TABLE t{number} (id INT PRIMARY KEY, v INT, filler CHAR(200) DEFAULT 'x')",
            f"INSERT INTO t{number} (id, v) {numbers} SELECT i, 0 FROM n",
        )
    return each_database


@contextmanager
def moving(database: FreshDatabase) -> Iterator[None]:
    """Move something from table to table meanwhile: the sum of all stays 0."""
    begun, ended = threading.Event(), threading.Event()

    def write() -> None:
        with database.server.connect(database=database.name) as session:
            number = 0
            while not ended.is_set():
                number += 1
                there, back = number % TABLES, (number * 5 + 1) % TABLES
                cursor = session.cursor()
                cursor.execute("BEGIN")
                cursor.execute(f"UPDATE t{there} SET v = v + 1 WHERE id = {number % ROWS + 1}")
                cursor.execute(f"UPDATE t{back} SET v = v - 1 WHERE id = {number * 7 % ROWS + 1}")
                cursor.execute("COMMIT")
                if number == 20:
                    begun.set()

    writer = threading.Thread(target=write)
    writer.start()
    begun.wait()
    try:
        yield
    finally:
        ended.set()
        writer.join()


def changes(opened: Source[Any]) -> Generator[Change, None, Any]:
    opened.open()
    return opened.snapshot(PLAN, None)


def threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("snapshot-")]


@pytest.mark.parametrize("whole", [True, False])
def test_tables_are_read_together_as_of_one_position(filled: FreshDatabase, whole: bool) -> None:
    legacy = {"legacy__snapshot__max__threads": str(whole).lower()}
    opened = source(filled, snapshot__max__threads=str(THREADS), **legacy)
    rows: dict[str, list[Any]] = {}
    marks: list[tuple[str, str]] = []
    seen: set[str] = set()
    with moving(filled):
        for change in changes(opened):
            if isinstance(change, RowChanges):
                table = change.codec.table.id.table
                rows.setdefault(table, []).extend(after for _, after in change.rows)
                marks += [(table, change.source[4])] if change.source[4] != "true" else []
                seen |= set(threads())
    opened.close()
    in_order: Callable[[Any], list[Any]] = list if whole else sorted
    assert {table: in_order(row[0] for row in found) for table, found in rows.items()} == {
        f"t{number}": list(range(1, ROWS + 1)) for number in range(TABLES)
    }
    assert sum(row[1] for found in rows.values() for row in found) == 0
    assert any(row[1] for found in rows.values() for row in found), "nothing was moved"
    assert len(seen) == THREADS
    assert threads() == []
    assert marks[0] == ("t0", "first")
    assert marks[-1] == (f"t{TABLES - 1}", "last")
    others = [f"t{number}" for number in range(1, TABLES)]
    assert sorted(table for table, mark in marks if mark == "first_in_data_collection") == others
    ends = sorted(table for table, mark in marks if mark == "last_in_data_collection")
    assert ends == [f"t{number}" for number in range(TABLES - 1)]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"snapshot__max__threads": str(THREADS)},
        {"snapshot__max__threads": str(THREADS), "legacy__snapshot__max__threads": "true"},
    ],
)
def test_as_many_rows_are_read_at_once_as_configured(
    filled: FreshDatabase, options: dict[str, str]
) -> None:
    own = {
        "snapshot__select__statement__overrides": f"{filled.name}.t1",
        f"snapshot.select.statement.overrides.{filled.name}.t1": (
            f"SELECT * FROM {filled.name}.t1 WHERE id <= 10"
        ),
    }
    sizes: dict[str, list[int]] = {}
    for fetch_size in ("7", "0", None):
        size = {} if fetch_size is None else {"snapshot__fetch__size": fetch_size}
        with closing(source(filled, **options, **own, **size)) as opened:
            read = [change for change in changes(opened) if isinstance(change, RowChanges)]
        sizes[str(fetch_size)] = [len(change.rows) for change in read]
        rows = sorted(
            (change.codec.table.id.table, after[0])
            for change in read
            for _, after in change.rows
            if after
        )
        assert rows == [
            (f"t{number}", key)
            for number in range(TABLES)
            for key in range(1, 11 if number == 1 else ROWS + 1)
        ]
    assert 6 <= max(sizes["7"]) <= 7  # the last row of a batch comes with the next one
    assert min(max(sizes["0"]), max(sizes["None"])) > 100


def test_one_session_that_is_lost_ends_all(filled: FreshDatabase) -> None:
    opened = source(filled, snapshot__max__threads=str(THREADS))
    reading = changes(opened)
    while not isinstance(next(reading), RowChanges):
        pass
    sessions = filled.query(
        "SELECT id FROM information_schema.processlist WHERE user = %s", CAPTURE.user
    )
    filled.execute(*(f"KILL {number}" for (number,) in sessions[-2:]))
    with pytest.raises(DatabaseUnavailableError):
        list(reading)
    opened.close()
    assert threads() == []


def test_an_abandoned_snapshot_ends_its_sessions(filled: FreshDatabase) -> None:
    opened = source(filled, snapshot__max__threads=str(THREADS))
    reading = changes(opened)
    while not isinstance(next(reading), RowChanges):
        pass
    assert len(threads()) == THREADS
    reading.close()
    opened.close()
    assert threads() == []
    sessions = "SELECT COUNT(*) FROM information_schema.processlist WHERE user = %s"
    for _ in range(100):
        ((left,),) = filled.query(sessions, CAPTURE.user)
        if not left:
            return
        threading.Event().wait(0.05)
    raise AssertionError(f"{left} sessions are left")


@pytest.mark.parametrize("configured_threads", [1, THREADS])
def test_only_tables_that_are_altered_meanwhile_are_read_again(
    filled: FreshDatabase, configured_threads: int
) -> None:
    opened = source(filled, snapshot__max__threads=str(configured_threads))
    rows: dict[str, list[Any]] = {}
    interfered = False
    for change in changes(opened):
        if isinstance(change, SchemaChange) and not interfered:
            interfered = True  # definitions are read, the locks are gone
            filled.execute(
                "ALTER TABLE t1 DROP COLUMN filler, ADD COLUMN late INT DEFAULT 5 FIRST",
                "RENAME TABLE t2 TO renamed",
                "DROP TABLE t3",
            )
        if isinstance(change, RowChanges):
            found = rows.setdefault(change.codec.table.id.table, [])
            found += [after for _, after in change.rows]
    opened.close()
    assert threads() == []
    assert {table: len(found) for table, found in rows.items()} == dict.fromkeys(
        ["t0", "t1", "t4", "t5", "renamed"], ROWS
    )
    assert rows["t1"][0] == (5, 1, 0)


@pytest.mark.parametrize("configured_threads", [1, THREADS])
def test_columns_that_exchange_their_names_meanwhile_keep_their_values(
    filled: FreshDatabase, configured_threads: int
) -> None:
    """The server reads such a table without an error, by the new names."""
    filled.execute("ALTER TABLE t1 ADD COLUMN a INT DEFAULT 1, ADD COLUMN b VARCHAR(9) DEFAULT 'b'")
    opened = source(filled, snapshot__max__threads=str(configured_threads))
    rows: list[Any] = []
    names: list[str] = []
    swapped = False
    for change in changes(opened):
        if isinstance(change, SchemaChange) and not swapped:
            swapped = True  # definitions are read, the locks are gone
            filled.execute("ALTER TABLE t1 RENAME COLUMN a TO b, RENAME COLUMN b TO a")
        if isinstance(change, RowChanges) and change.codec.table.id.table == "t1":
            rows += [after for _, after in change.rows]
            names = [column.column.name for column in change.codec.columns]
    opened.close()
    assert swapped
    assert len(rows) == ROWS
    assert dict(zip(names, rows[0], strict=True)) | {"filler": ""} == {
        "id": 1,
        "v": 0,
        "filler": "",
        "b": 1,
        "a": "b",
    }


@pytest.mark.parametrize("created_again", [True, False])
def test_a_table_that_is_dropped_before_it_is_read(
    each_database: FreshDatabase, created_again: bool
) -> None:
    """The table may have its definition again when the snapshot compares it."""
    database = each_database
    definition = "CREATE TABLE t (id INT PRIMARY KEY)"
    database.execute(definition, "INSERT INTO t VALUES (1)")
    with StatementProxy(database.server.host, database.server.port) as proxy:

        def drop() -> None:
            database.execute("DROP TABLE t")
            if created_again:
                proxy.before(
                    "SHOW CREATE TABLE .*`t`|ROLLBACK",
                    lambda: database.execute(definition, "INSERT INTO t VALUES (2)"),
                )

        proxy.before("SELECT 1 FROM .*`t` LIMIT 0", drop)
        address = {"database__hostname": proxy.host, "database__port": str(proxy.port)}
        with closing(source(database, **address)) as opened:
            opened.open()
            found = [change for change in changes(opened) if isinstance(change, RowChanges)]
    assert [row for change in found for _, row in change.rows] == [(2,)] * created_again


@pytest.mark.parametrize("each_database", ["mariadb"], indirect=True)
def test_a_changed_table_is_read_if_no_list_shows_it(each_database: FreshDatabase) -> None:
    """MariaDB lists files: it misses a table that is being altered. Here it is renamed for long."""
    database = each_database
    database.execute("CREATE TABLE t (id INT PRIMARY KEY, v INT)", "INSERT INTO t VALUES (1, 2)")
    with StatementProxy(database.server.host, database.server.port) as proxy:

        def alter() -> None:
            database.execute("ALTER TABLE t RENAME COLUMN v TO w")
            proxy.before(
                f"SHOW FULL TABLES IN `{database.name}`.*",
                lambda: database.execute("RENAME TABLE t TO aside"),
            )
            proxy.before(
                "SELECT 1 FROM .*`t` LIMIT 0", lambda: database.execute("RENAME TABLE aside TO t")
            )

        proxy.before("SELECT 1 FROM .*`t` LIMIT 0", alter)
        address = {"database__hostname": proxy.host, "database__port": str(proxy.port)}
        with closing(source(database, **address, table__exclude__list=".*aside")) as opened:
            found = [change for change in changes(opened) if isinstance(change, RowChanges)]
    assert [row for change in found for _, row in change.rows] == [(1, 2)]


@pytest.mark.parametrize("each_database", ["mysql"], indirect=True)
def test_a_table_whose_rows_are_read_may_be_altered_before_the_snapshot_ends(
    filled: FreshDatabase,
) -> None:
    """MariaDB keeps the definitions of tables until the transaction ends."""
    opened = source(filled)
    altered = False
    for change in changes(opened):
        if isinstance(change, RowChanges) and change.codec.table.id.table == "t1" and not altered:
            altered = True
            filled.execute("SET SESSION lock_wait_timeout = 5", "ALTER TABLE t0 ADD COLUMN c INT")
    opened.close()
    assert altered


def test_tables_whose_rows_are_not_read_are_known_too(each_database: FreshDatabase) -> None:
    """Debezium leaves them out of a history of captured tables, and stops at their first row."""
    each_database.execute("CREATE TABLE t0 (id INT)", "CREATE TABLE t1 (id INT)")
    opened = source(each_database, snapshot__include__collection__list=rf"{each_database.name}\.t0")
    emitted = [change for change in changes(opened) if isinstance(change, SchemaChange)]
    opened.close()
    created = [
        item.id.table for change in emitted for item in change.changes if item.type == "CREATE"
    ]
    assert created == ["t0", "t1"]


@pytest.mark.filterwarnings("error")
def test_an_error_behind_some_rows_leaves_the_session_usable(filled: FreshDatabase) -> None:
    """The driver must not read the answer to a later statement for the result that failed."""
    server = filled.server
    settings = ConnectionSettings(server.host, server.port, CAPTURE.user, CAPTURE.password)
    broken = "IF(id < 3000, v, (SELECT 1 UNION SELECT 2))"
    with closing(Connection(settings)) as connection:
        for _ in range(3):
            with pytest.raises(StopError, match="more than 1 row"):
                _read_all(connection, f"SELECT {broken} FROM {filled.name}.t0 ORDER BY id")
            assert connection.row("SELECT 7") == ("7",)


def _read_all(connection: Connection, sql: str) -> None:
    stream = connection.read_rows(sql)
    for _ in TextRows([], stream.columns).read(stream):
        pass
