"""Logins, large files and rare events of the binlog, on real servers."""

from __future__ import annotations

import struct
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pymysql
import pytest

from connector.capture.change import Change, Progress, RowChanges
from connector.capture.snapshot_plan import Plan
from connector.errors import StopError
from connector.mysql.binlog.dump import DumpConnection, DumpStart
from connector.mysql.binlog.reader import BinlogReader
from connector.mysql.position.binlog_position import BinlogPosition
from connector.mysql.session.connection_settings import ConnectionSettings
from connector.mysql.session.tls import Tls
from tests.fixtures.databases import FreshDatabase, fresh_database
from tests.fixtures.single_changes import single_changes
from tests.fixtures.sources import source
from tools.stack import CAPTURE, DatabaseServer, MariaDb, MySql97, Workspace
from tools.stack.accounts import Account
from tools.stack.debian import unpack_package

LOGINS = 1000
WITHOUT_GTIDS = ("--gtid-mode=OFF", "--enforce-gtid-consistency=OFF")


def settings_of(server: DatabaseServer, account: Account = CAPTURE) -> ConnectionSettings:
    return ConnectionSettings(
        host=server.host,
        port=server.port,
        user=account.user,
        password=account.password,
        tls=Tls("disabled"),
    )


def newest_file(server: DatabaseServer) -> tuple[str, int]:
    file, size, *_ = server.query("SHOW BINARY LOGS")[-1]
    return str(file), int(size)


def log_in_for_the_log(server: DatabaseServer, account: Account, logins: int) -> None:
    """Log in and request the log again and again: what the server sends first is random."""
    start = DumpStart(newest_file(server)[0])
    with server.connect() as root, root.cursor() as cursor:
        for number in range(logins):
            connection = DumpConnection(settings_of(server, account), start, 9_000 + number)
            connection.close()
            with suppress(pymysql.err.OperationalError):  # it has noticed that already
                cursor.execute(f"KILL {connection.id}")  # else it notices seconds later


def test_no_login_fails_by_chance(each_database: FreshDatabase) -> None:
    log_in_for_the_log(each_database.server, CAPTURE, LOGINS)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("plugin", "clause"),
    [
        ("auth_ed25519", "IDENTIFIED VIA ed25519 USING PASSWORD('secret')"),
        (None, "IDENTIFIED VIA mysql_native_password USING PASSWORD('secret')"),
    ],
)
def test_logins_by_every_method_of_mariadb(
    workspace: Workspace, plugin: str | None, clause: str
) -> None:
    options = []
    if plugin is not None:
        package = unpack_package(workspace.downloads, "mariadb-server", "bookworm")
        folder = next(package.glob("usr/lib/**/plugin"))
        options = [f"--plugin-dir={folder}", f"--plugin-load-add={plugin}"]
    with MariaDb(workspace, options=options) as server:
        server.execute(
            f"CREATE USER other@'%' {clause}",
            "GRANT REPLICATION SLAVE, REPLICATION CLIENT, SELECT ON *.* TO other@'%'",
        )
        log_in_for_the_log(server, Account("other", "secret", ""), LOGINS)


def test_one_server_id_for_two_connectors_stops_the_first(each_database: FreshDatabase) -> None:
    """The server ends the connection of the first; both would end each other's for ever."""
    server = each_database.server
    start = DumpStart(newest_file(server)[0])
    first = BinlogReader(settings_of(server), start, 4_711)
    with closing(first):
        batches = first.batches()
        while not next(batches):
            pass
        ended: list[Exception] = []

        def read() -> None:
            try:
                for _ in batches:
                    pass
            except StopError as error:
                ended.append(error)

        reading = threading.Thread(target=read)
        reading.start()
        with closing(BinlogReader(settings_of(server), start, 4_711)):
            reading.join(30)
        assert not reading.is_alive()
    assert "database.server.id" in getattr(ended[0], "remedy", "")


def test_a_reader_has_caught_up_only_if_the_server_sent_no_more(
    each_database: FreshDatabase,
) -> None:
    server = each_database.server
    each_database.execute("CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, text CHAR(200))")
    rows = ", ".join(["(REPEAT('x', 200))"] * 5_000)
    with closing(BinlogReader(settings_of(server), DumpStart(newest_file(server)[0]), 4_711)) as it:
        batches = it.batches()
        while not (next(batches) and it.has_caught_up()):
            pass
        each_database.execute(f"INSERT INTO t (text) VALUES {rows}")
        time.sleep(1)  # until more than one read waits
        while not next(batches):
            pass
        assert not it.has_caught_up()
        while not (next(batches) and it.has_caught_up()):
            pass


@contextmanager
def captured(database: FreshDatabase) -> Iterator[tuple[Any, BinlogPosition]]:
    """Take a snapshot of the definitions; yield the source and the position behind it."""
    opened = source(database)
    with closing(opened):
        opened.open()
        changes = opened.snapshot(Plan("no_data", schema=True), None)
        try:
            while True:
                next(changes)
        except StopIteration as end:
            yield opened, end.value


def rows_until(changes: Iterator[Change], last: int) -> tuple[list[int], BinlogPosition]:
    """Return the first column of all rows up to one, and the position behind its transaction."""
    found: list[int] = []
    for change in single_changes(changes):
        if isinstance(change, RowChanges):
            found += [after[0] for _, after in change.rows if after is not None]
        if isinstance(change, Progress) and last in found and not change.in_transaction:
            assert isinstance(change.position, BinlogPosition)
            return found, change.position
    raise AssertionError("the log has an end")


def test_positions_behind_compressed_transactions_are_those_of_the_server(
    workspace: Workspace,
) -> None:
    options = [*WITHOUT_GTIDS, "--binlog-transaction-compression=ON"]
    with (
        MySql97(workspace, options=options) as server,
        fresh_database(server) as database,
    ):
        database.execute("CREATE TABLE t (id INT PRIMARY KEY, v TEXT)")
        with captured(database) as (opened, start):
            changes = opened.stream(start)
            for number in range(1, 6):
                database.execute(f"INSERT INTO t VALUES ({number}, REPEAT('x', {number}000))")
                _, position = rows_until(changes, number)
                assert (position.file, position.pos) == newest_file(server)


def test_rows_between_the_phases_of_an_alter_have_the_table_as_it_was(
    workspace: Workspace,
) -> None:
    """With binlog_alter_two_phase=ON the statement is in the log twice."""
    with (
        MariaDb(workspace, options=["--binlog-alter-two-phase=ON"]) as server,
        fresh_database(server) as database,
    ):
        database.execute("CREATE TABLE t (id INT PRIMARY KEY, v INT)", "CREATE TABLE u (id INT)")
        with captured(database) as (opened, start):
            changes = opened.stream(start)
            database.execute(
                "INSERT INTO t VALUES (1, 1)",
                "ALTER TABLE t ADD COLUMN w INT DEFAULT 5 FIRST, ALGORITHM=COPY",
                "INSERT INTO t (id, v) VALUES (2, 2)",
                "ALTER TABLE t RENAME COLUMN v TO w, RENAME COLUMN w TO v, ALGORITHM=COPY",
                "INSERT INTO t (id, v, w) VALUES (3, 3, 33)",
            )
            phases = [text for *_, text in _events(server) if " ALTER" in text and "GTID" in text]
            assert len(phases) == 4
            found = []
            for change in single_changes(changes):
                if isinstance(change, RowChanges):
                    found += [change.codec.value_struct(after) for _, after in change.rows]
                if len(found) == 3:
                    break
    assert found == [
        {"id": 1, "v": 1},
        {"w": 5, "id": 2, "v": 2},
        {"v": 3, "id": 3, "w": 33},
    ]


def _events(server: DatabaseServer) -> list[tuple[Any, ...]]:
    return server.query(f"SHOW BINLOG EVENTS IN '{newest_file(server)[0]}'")


_FILLER_BYTES = 64 << 20
_IGNORABLE, _IGNORABLE_FLAG = 28, 0x80


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_file_of_more_than_4_gb_without_gtids(workspace: Workspace) -> None:
    """A header has 32 bits of a position, as has the command that requests the log."""
    options = [*WITHOUT_GTIDS, "--binlog-checksum=NONE"]
    with (
        MySql97(workspace, options=options) as server,
        fresh_database(server) as database,
    ):
        database.execute("CREATE TABLE t (id INT PRIMARY KEY, v TEXT)")
        with captured(database) as (_, start):
            pass
        server.execute("FLUSH BINARY LOGS")
        for number in (1, 2):
            database.execute(f"INSERT INTO t VALUES ({number}, 'x')")
        file = server.data / newest_file(server)[0]
        server.stop()
        large = enlarge(file)
        assert large.stat().st_size > 1 << 32
        server.start()
        with fresh_connection(database) as again:
            with captured(again) as (opened, _):
                rows, _ = rows_until(opened.stream(start), 2)
            assert rows == [1, 2]
            again.execute("INSERT INTO t VALUES (3, 'x')")
            end = BinlogPosition(large.name, large.stat().st_size)
            with captured(again) as (opened, _):
                rows, _ = rows_until(opened.stream(end), 3)
            assert rows == [3]


@contextmanager
def fresh_connection(database: FreshDatabase) -> Iterator[FreshDatabase]:
    """Connect again to a database whose server was restarted."""
    with database.server.connect(database=database.name) as connection:
        yield FreshDatabase(database.name, database.server, connection)


def enlarge(file: Path) -> Path:
    """Put more than 4 GB, which are a hole, before the last transaction of a file."""
    events = list(cut(file.read_bytes()))
    last = max(n for n, event in enumerate(events) if event[4] == 34)  # an anonymous GTID
    end = events.index(next(event for event in events[last:] if event[4] == 16)) + 1
    with file.open("wb") as written:
        written.write(b"\xfebin")
        for event in events[:last]:
            written.write(event)
        for _ in range((1 << 32) // _FILLER_BYTES + 1):
            head = struct.pack(
                "<IBIIIH",
                *(1_700_000_000, _IGNORABLE, 97, _FILLER_BYTES),
                *((written.tell() + _FILLER_BYTES) & 0xFFFFFFFF, _IGNORABLE_FLAG),
            )
            written.write(head)
            written.seek(_FILLER_BYTES - len(head), 1)
        for event in events[last:end]:
            following = (written.tell() + len(event)) & 0xFFFFFFFF
            written.write(event[:13] + following.to_bytes(4, "little") + event[17:])
    return file


def cut(content: bytes) -> Iterator[bytes]:
    start = 4
    while start < len(content):
        size = int.from_bytes(content[start + 9 : start + 13], "little")
        yield content[start : start + size]
        start += size
