"""What a snapshot asks of the server, in which order, and what it keeps from others meanwhile."""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any, Final

import pymysql
import pytest

from connector.capture.change import Change, Progress, RowChanges, SchemaChange
from connector.capture.snapshot_plan import Plan
from connector.capture.source import Source
from connector.errors import DatabaseUnavailableError, StopError
from connector.mysql.position.binlog_position import BinlogPosition
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.single_changes import single_changes
from tests.fixtures.sources import source
from tests.fixtures.statement_proxy import StatementProxy
from tools.stack import CAPTURE

PLAN = Plan("initial", schema=True, data=True)
LOCK_WAIT_TIMEOUT: Final = 1205

# The steps of a snapshot, by the statement that shows each.
STEPS: Final = {
    "isolation": r"SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
    "lock": r"FLUSH TABLES WITH READ LOCK",
    "view": r"START TRANSACTION WITH CONSISTENT SNAPSHOT",
    "flush": r"FLUSH TABLES `.*WITH READ LOCK",
    "lock tables": r"LOCK TABLES .*",
    "position": r"SHOW (BINARY LOG|MASTER) STATUS",
    "definition": r"SHOW CREATE TABLE .*",
    "unlock": r"UNLOCK TABLES",
    "pin": r"SELECT 1 FROM `db\w+`\.`captured` LIMIT 0",
    "rows": r"SELECT (?!1 ).* FROM `db\w+`\.`captured`.*",
    "end": r"ROLLBACK",
}
READ: Final = ("pin", "definition", "rows")  # it may have been altered since
# By snapshot.locking.mode. Debezium opens the view before it reads the position.
ORDERS: Final = {
    "minimal": ["isolation", "lock", "position", "view", "definition", "unlock", *READ, "end"],
    "minimal_at_least_once": [
        *("isolation", "lock", "position", "definition", "unlock", *READ, "end"),
    ],
    "extended": ["isolation", "lock", "position", "definition", *READ, "end", "unlock"],
    "none": ["isolation", "position", "definition", *READ, "end"],
}


@pytest.fixture
def filled(each_database: FreshDatabase) -> FreshDatabase:
    """Return a database with a table that is captured and one that is not."""
    each_database.execute(
        "CREATE TABLE captured (id INT PRIMARY KEY)",
        "INSERT INTO captured VALUES (1), (2), (3)",
        "CREATE TABLE other (id INT PRIMARY KEY)",
    )
    return each_database


@pytest.fixture
def without_reload(filled: FreshDatabase) -> Iterator[str]:
    """An account that may not flush; its password is its name."""
    name = f"user{uuid.uuid4().hex[:8]}"
    filled.execute(
        f"CREATE USER {name} IDENTIFIED BY '{name}'",
        f"GRANT SELECT, SHOW DATABASES, REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO {name}",
    )
    yield name
    filled.execute(f"DROP USER {name}")


@contextmanager
def opened(database: FreshDatabase, mode: str, **more: str) -> Iterator[Source[Any]]:
    made = source(
        database,
        table__include__list=rf"{database.name}\.captured",
        snapshot__locking__mode=mode,
        schema__history__internal__store__only__captured__tables__ddl="false",
        schema__history__internal__store__only__captured__databases__ddl="true",
        **more,
    )
    try:
        made.open()
        yield made
    finally:
        made.close()


@contextmanager
def observed(
    database: FreshDatabase, user: str = CAPTURE.user
) -> Iterator[Callable[[], list[str]]]:
    """Have the server note statements; yield what returns those of a user so far."""
    database.execute("SET GLOBAL log_output = 'TABLE'", "SET GLOBAL general_log = ON")

    def statements() -> list[str]:
        found = database.query(
            "SELECT argument FROM mysql.general_log "
            "WHERE command_type = 'Query' AND user_host LIKE %s",
            f"{user}%",
        )
        return [text.decode() if isinstance(text, bytes) else text for (text,) in found]

    try:
        yield statements
    finally:
        database.execute("SET GLOBAL general_log = OFF", "TRUNCATE mysql.general_log")


def steps(statements: list[str]) -> list[str]:
    """Name the steps that statements are, without read views that have only the list of tables."""
    found: list[str] = []
    for statement in statements:
        for step, expression in STEPS.items():
            if re.fullmatch(expression, statement, re.DOTALL) and found[-1:] != [step]:
                found.append(step)
    ends = [number for number, step in enumerate(found) if step == "end"]
    return [step for number, step in enumerate(found) if number not in ends[:-1]]


def until_rows(made: Source[Any]) -> Generator[Change, None, Any]:
    """Read a snapshot up to its first row."""
    reading = made.snapshot(PLAN, None)
    assert any(isinstance(change, RowChanges) for change in reading), "there were no rows"
    return reading


def can_write(database: FreshDatabase, table: str) -> bool:
    """Whether another session's INSERT goes through within a second."""
    insert = f"INSERT INTO {table} SELECT MAX(id) + 1 FROM {table} HAVING MAX(id)"
    try:
        database.execute("SET SESSION lock_wait_timeout = 1", insert)
    except pymysql.err.OperationalError as error:
        if error.args[0] != LOCK_WAIT_TIMEOUT:
            raise
        return False
    return True


@pytest.mark.parametrize("mode", ORDERS)
def test_the_order_of_the_steps(filled: FreshDatabase, mode: str) -> None:
    with observed(filled) as statements, opened(filled, mode) as made:
        list(made.snapshot(PLAN, None))
        assert steps(statements()) == ORDERS[mode]


@pytest.mark.parametrize("mode", ORDERS)
def test_writers_wait_for_the_rows_if_configured(filled: FreshDatabase, mode: str) -> None:
    with opened(filled, mode) as made:
        reading = until_rows(made)
        assert can_write(filled, "captured") == (mode != "extended")
        list(reading)
        assert can_write(filled, "captured")


def test_a_lock_timeout_is_a_transient_error(filled: FreshDatabase) -> None:
    with filled.server.connect(database=filled.name) as other, other.cursor() as session:
        session.execute("LOCK TABLES other WRITE")
        with opened(filled, "minimal", snapshot__lock__timeout__ms="1000") as made:
            begun = time.monotonic()
            with pytest.raises(DatabaseUnavailableError, match="Lock wait timeout"):
                list(made.snapshot(PLAN, None))
            assert 0.9 < time.monotonic() - begun < 5
        assert can_write(filled, "captured"), "no writer waits for a failed snapshot"


def test_without_locks_nothing_is_waited_for(filled: FreshDatabase) -> None:
    with filled.server.connect(database=filled.name) as other, other.cursor() as session:
        session.execute("LOCK TABLES captured READ")
        with opened(filled, "none", snapshot__lock__timeout__ms="1000") as made:
            rows = [item for item in made.snapshot(PLAN, None) if isinstance(item, RowChanges)]
    assert [row for change in rows for _, row in change.rows] == [(1,), (2,), (3,)]


def test_tables_are_locked_where_all_cannot_be(filled: FreshDatabase, without_reload: str) -> None:
    user = without_reload
    filled.execute(f"GRANT LOCK TABLES ON {filled.name}.* TO {user}")
    account = {"database__user": user, "database__password": user}
    with observed(filled, user) as statements, opened(filled, "minimal", **account) as made:
        ddl = []
        reading = made.snapshot(PLAN, None)
        for change in reading:
            if isinstance(change, RowChanges):
                break
            ddl += [change] if isinstance(change, SchemaChange) else []
        assert not can_write(filled, "captured")
        assert can_write(filled, "other")
        list(reading)
        assert can_write(filled, "captured")
        asked = steps(statements())
    created = {item.id.table for change in ddl for item in change.changes if item.type == "CREATE"}
    assert created == {"captured", "other"}
    assert asked == [
        *("isolation", "lock", "flush", "lock tables", "position", "definition", *READ),
        *("end", "unlock"),
    ]


def test_the_privilege_for_a_lock_is_named(filled: FreshDatabase, without_reload: str) -> None:
    account = {"database__user": without_reload, "database__password": without_reload}
    with (
        opened(filled, "minimal", **account) as made,
        pytest.raises(StopError, match="The captured tables cannot be locked") as refused,
    ):
        list(made.snapshot(PLAN, None))
    assert refused.value.remedy is not None
    assert "Grant RELOAD, or LOCK TABLES on the captured databases" in refused.value.remedy


@pytest.fixture
def proxied(filled: FreshDatabase) -> Iterator[StatementProxy]:
    with StatementProxy(filled.server.host, filled.server.port) as proxy:
        yield proxy


def snapshot_through(proxy: StatementProxy, database: FreshDatabase, **more: str) -> list[Change]:
    """Return all changes of a snapshot of a whole database."""
    address = {"database__hostname": proxy.host, "database__port": str(proxy.port)}
    made = source(database, **address, **more)
    made.open()
    try:
        return list(made.snapshot(PLAN, None))
    finally:
        made.close()


def rows_of(changes: list[Change]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for change in changes:
        if isinstance(change, RowChanges):
            rows = found.setdefault(change.codec.table.id.table, [])
            rows += [after[0] for _, after in change.rows if after is not None]
    return found


@pytest.mark.parametrize("moment", ["lock", "position", "definition"])
@pytest.mark.parametrize("mode", ["minimal", "none"])
def test_no_table_is_missed_that_is_created_or_renamed_at_any_moment(
    filled: FreshDatabase, proxied: StatementProxy, mode: str, moment: str
) -> None:
    """Without a lock what is created after the position comes from the log, not from here."""
    if mode == "none" and moment == "lock":
        moment = "isolation"
    if mode == "minimal" and moment != "lock":
        pytest.skip("no session can create a table under the lock")

    def interfere() -> None:
        filled.execute(
            "CREATE TABLE new (id INT PRIMARY KEY)",
            "INSERT INTO new VALUES (7)",
            "RENAME TABLE captured TO renamed",
        )

    proxied.before(STEPS[moment], interfere)
    rows = rows_of(snapshot_through(proxied, filled, snapshot__locking__mode=mode))
    assert rows == {"new": [7], "renamed": [1, 2, 3]}


def test_tables_are_locked_again_where_one_came_while_they_were_locked(
    filled: FreshDatabase, proxied: StatementProxy, without_reload: str
) -> None:
    filled.execute(f"GRANT LOCK TABLES ON {filled.name}.* TO {without_reload}")
    account = {"database__user": without_reload, "database__password": without_reload}
    proxied.before("LOCK TABLES .*", lambda: filled.execute("RENAME TABLE captured TO renamed"))
    rows = rows_of(snapshot_through(proxied, filled, **account))
    assert rows == {"renamed": [1, 2, 3]}


@pytest.mark.parametrize("moment", ["flush", "lock tables"])
def test_what_is_committed_before_tables_are_locked_is_not_missed(
    filled: FreshDatabase, proxied: StatementProxy, without_reload: str, moment: str
) -> None:
    filled.execute(f"GRANT LOCK TABLES ON {filled.name}.* TO {without_reload}")
    account = {"database__user": without_reload, "database__password": without_reload}
    proxied.before(STEPS[moment], lambda: filled.execute("INSERT INTO captured VALUES (4)"))
    rows = rows_of(snapshot_through(proxied, filled, **account))
    assert rows == {"captured": [1, 2, 3, 4]}


def test_what_is_committed_while_only_definitions_are_locked_is_not_missed(
    database: FreshDatabase,
) -> None:
    """Percona's backup lock does not block commits; nor does MySQL's."""
    database.execute("CREATE TABLE t (id INT PRIMARY KEY)")
    opened: list[BinlogPosition] = []
    with StatementProxy(database.server.host, database.server.port) as proxy:
        proxy.replace("LOCK TABLES FOR BACKUP", "LOCK INSTANCE FOR BACKUP")
        proxy.before(STEPS["position"], lambda: database.execute("INSERT INTO t VALUES (1)"))
        proxy.before(STEPS["view"], lambda: database.execute("INSERT INTO t VALUES (2)"))
        proxy.before(STEPS["definition"], lambda: database.execute("INSERT INTO t VALUES (3)"))
        root = {"database__user": "root", "database__password": "root"}
        mode = {"snapshot__locking__mode": "minimal_percona"}
        changes = snapshot_through(proxy, database, **root, **mode)
    opened += [c.position for c in changes if isinstance(c, Progress)]  # type: ignore[misc]
    made = source(database)
    made.open()
    streamed = streamed_rows(made, opened[-1], until=3)
    made.close()
    assert rows_of(changes) == {"t": [1, 2]}
    assert streamed == [2, 3]


def streamed_rows(made: Source[Any], start: BinlogPosition, until: int) -> list[int]:
    """Return the first column of the rows that are inserted after a position."""
    found: list[int] = []
    for change in single_changes(made.stream(start)):
        if isinstance(change, RowChanges):
            found += [after[0] for _, after in change.rows if after is not None]
        if until in found:
            break
    return found


def test_the_servers_own_databases_are_left_out(each_database: FreshDatabase) -> None:
    each_database.execute("CREATE TABLE t (id INT PRIMARY KEY)", "INSERT INTO t VALUES (1)")
    everything = rf"{each_database.name},mysql,sys,performance_schema,information_schema"
    made = source(each_database, database__include__list=everything)
    made.open()
    emitted = list(made.snapshot(PLAN, None))
    made.close()
    rows = {change.codec.table.id.database for change in emitted if isinstance(change, RowChanges)}
    definitions = {change.database for change in emitted if isinstance(change, SchemaChange)}
    assert rows == {each_database.name}
    assert definitions - {""} == {each_database.name}


def test_prepared_transactions_at_a_snapshot_are_reported(
    database: FreshDatabase, caplog: pytest.LogCaptureFixture
) -> None:
    name = f"'{uuid.uuid4().hex}'"
    database.execute(
        "CREATE TABLE captured (id INT PRIMARY KEY)",
        f"XA START {name}",
        "INSERT INTO captured VALUES (1)",
        f"XA END {name}",
        f"XA PREPARE {name}",
    )
    root = {"database__user": "root", "database__password": "root"}
    try:
        with opened(database, "minimal", **root) as made:
            list(made.snapshot(PLAN, None))
    finally:
        database.execute(f"XA ROLLBACK {name}")
    assert "XA transactions are prepared and not committed" in caplog.text
