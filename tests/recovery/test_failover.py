"""The server changes under a capture: nothing is lost, and what is missing is reported."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from connector.capture.change import Change, Progress, RowChanges
from connector.capture.snapshot_plan import Plan
from connector.connectors import mariadb_connector, mysql_connector
from connector.errors import PositionLostError
from connector.mysql.position.binlog_position import position_of
from tests.fixtures.connectors import connector
from tests.fixtures.databases import FreshDatabase, fresh_database
from tests.fixtures.following import Follower
from tests.fixtures.single_changes import single_changes
from tests.fixtures.sources import source
from tests.fixtures.stopping import Stoppable
from tests.fixtures.topics import Topics
from tests.fixtures.worker import wait_for
from tools.stack import DatabaseServer, KafkaBroker, MariaDb, MySql97, Workspace

ROWS = 600
TRANSACTION = (  # above 512 KiB, so it is not read as a whole
    "BEGIN",
    *(
        "INSERT INTO failing.t VALUES "
        + ", ".join(f"({n}, REPEAT('x', 950))" for n in range(first, first + 50))
        for first in range(1, ROWS, 50)
    ),
    "COMMIT",
)


class Pair:
    """Two servers with the same transactions and, in their logs, different events."""

    def __init__(self, first: DatabaseServer, second: DatabaseServer) -> None:
        self.first, self.second = first, second
        self.prefix = f"failing{uuid.uuid4().hex[:8]}"
        self.is_mysql = first.name == "mysql"
        if self.is_mysql:
            ((done,),) = first.query("SELECT @@global.gtid_executed")
            second.execute(f"SET GLOBAL gtid_purged = '+{done}'")

    def execute(self, *statements: str) -> None:
        """Run one transaction on both servers, with the same GTID."""
        if self.is_mysql:
            self.first.execute(*statements)
            ((done,),) = self.first.query("SELECT @@global.gtid_executed")
            uuid_of_server, _, numbers = done.partition(":")
            name = f"{uuid_of_server}:{numbers.rpartition('-')[2]}"
            self.second.execute(f"SET GTID_NEXT = '{name}'", *statements)
            return
        ((position,),) = self.first.query("SELECT @@global.gtid_binlog_pos")
        number = int(position.rpartition("-")[2] or 0) + 1
        for server in (self.first, self.second):
            server.execute(
                "SET SESSION server_id = 77", f"SET SESSION gtid_seq_no = {number}", *statements
            )

    def capture(self, server: DatabaseServer, broker: KafkaBroker, history: Path) -> Stoppable:
        config = connector(
            server,
            broker,
            self.prefix,
            "failing",
            schema_history_internal="io.debezium.storage.file.history.FileSchemaHistory",
            schema_history_internal_file_filename=str(history),
            provide_transaction_metadata="true",
        )
        family = mysql_connector() if self.is_mysql else mariadb_connector()
        return Stoppable(family, config, {"bootstrap.servers": broker.address, "linger.ms": 0})


@pytest.fixture(params=["mysql", "mariadb"])
def pair(request: pytest.FixtureRequest, workspace: Workspace) -> Iterator[Pair]:
    """The first server writes many small events, the second few large ones."""
    kind: Any = MySql97 if request.param == "mysql" else MariaDb
    small = ["--binlog-row-event-max-size=256"]
    if request.param == "mysql":
        small.append("--binlog-rows-query-log-events=ON")
    first, second = kind(workspace, options=small), kind(workspace)
    try:
        first.start()
        second.start()
        yield Pair(first, second)
    finally:  # stopping would wait for their open dumps
        first.kill()
        second.kill()


def test_a_transaction_that_another_server_continues_is_complete(
    pair: Pair, broker: KafkaBroker, topics: Topics, tmp_path: Path
) -> None:
    """The stored offset counts events of the first server's log, of which the second has fewer."""
    pair.execute("CREATE DATABASE failing")
    pair.execute("CREATE TABLE failing.t (id INT PRIMARY KEY, v VARCHAR(1000))")
    first = pair.capture(pair.first, broker, tmp_path / "history")
    first.run(lambda change: isinstance(change, Progress))  # the snapshot
    pair.execute("INSERT INTO failing.t VALUES (0, 'before')")
    pair.execute(*TRANSACTION)
    with Follower(topics, f"{pair.prefix}.") as follower:
        first.run(_has_rows_of_large_transaction)
        assert first.offset["event"] > ROWS // 50 * 3
        assert first.offset["millrace_server"]
        pair.execute("INSERT INTO failing.t VALUES (1000, 'the end')")
        second = pair.capture(pair.second, broker, tmp_path / "history")
        second.offset = first.offset
        second.run(lambda change: isinstance(change, RowChanges) and _ids(change) == [1000])
        second.run(lambda change: isinstance(change, Progress) and not change.in_transaction)
        messages = follower.new()[f"{pair.prefix}.failing.t"]
    events = [message.payload() for message in messages]
    ids = [event["after"]["id"] for event in events]
    assert set(ids) >= {0, *range(1, ROWS + 1)}
    repeated = [event for event in events if event["source"]["server_id"] and event["after"]]
    orders = [event["transaction"]["total_order"] for event in repeated if event["transaction"]]
    assert orders[-1] <= 1 or orders[-2] <= ROWS, "a repeated transaction counts from its start"
    topics.delete(topics.names(pair.prefix))


def _has_rows_of_large_transaction(change: Change) -> bool:
    return isinstance(change, RowChanges) and ROWS // 2 in _ids(change)


def _ids(change: RowChanges) -> list[int]:
    return [after[0] for _, after in change.rows if after is not None]


def stream_from(database: FreshDatabase, offset: dict[str, Any], **more: str) -> Iterator[Change]:
    """Stream from an offset as a task does that reconnects, without asking whether it may."""
    is_mariadb = database.server.name == "mariadb"
    opened = source(database, **more)
    with closing(opened):
        opened.open()
        list(opened.snapshot(Plan("no_data", schema=True), None))
        yield from single_changes(opened.stream(position_of(offset, is_mariadb=is_mariadb)))


def test_a_server_that_has_purged_transactions_of_an_unknown_source_is_refused(
    workspace: Workspace,
) -> None:
    """They were never captured, and cannot be any more."""
    unknown = "5bbad450-cfbd-11e5-84fb-021500000000"
    with MySql97(workspace) as server, fresh_database(server) as database:
        ((done,),) = server.query("SELECT @@global.gtid_executed")
        server.execute(f"SET GLOBAL gtid_purged = '+{unknown}:1-5'")
        offset = {"file": "binlog.000001", "pos": 4, "gtids": done}
        with pytest.raises(PositionLostError, match="does not contain everything after"):
            next(stream_from(database, offset))
        unwanted = {"gtid__source__excludes": f"{unknown}.*"}
        assert next(stream_from(database, offset, **unwanted))
        unchecked = {"internal__log__position__check__enable": "false"}
        assert next(stream_from(database, offset, **unchecked))


def test_without_gtids_a_position_is_one_of_its_own_server(workspace: Workspace) -> None:
    options = ["--gtid-mode=OFF", "--enforce-gtid-consistency=OFF"]
    with MySql97(workspace, options=options) as server, fresh_database(server) as database:
        ((file,),) = [row[:1] for row in server.query("SHOW BINARY LOGS")][-1:]
        offset = {"file": file, "pos": 4, "millrace_server": "another"}
        with pytest.raises(PositionLostError, match="belongs to the log of server another"):
            next(stream_from(database, offset))


def _purge_before(server: DatabaseServer, file: str) -> bool:
    """Purge what lies before a file; the server keeps files that a crash would need."""
    server.execute(f"PURGE BINARY LOGS TO '{file}'")
    return bool(server.query("SHOW BINARY LOGS")[0][0] == file)


def test_purged_transactions_of_an_excluded_domain_are_not_missed(workspace: Workspace) -> None:
    with MariaDb(workspace) as server, fresh_database(server) as database:
        server.execute(
            f"USE {database.name}",
            "CREATE TABLE t (id INT)",
            "SET SESSION gtid_domain_id = 9",
            "INSERT INTO t VALUES (1)",
            "FLUSH BINARY LOGS",
        )
        ((newest, *_),) = server.query("SHOW BINARY LOGS")[-1:]
        ((position,),) = server.query("SELECT @@global.gtid_binlog_pos")
        wait_for(lambda: _purge_before(server, newest))
        followed = ",".join(gtid for gtid in position.split(",") if not gtid.startswith("9-"))
        server.execute(f"INSERT INTO {database.name}.t VALUES (2)")
        offset = {"file": newest, "pos": 4, "gtids": followed}
        with pytest.raises(PositionLostError):
            next(stream_from(database, offset))
        changes = stream_from(database, offset, gtid__source__excludes="9-.*")
        rows = next(change for change in changes if isinstance(change, RowChanges))
        assert _ids(rows) == [2]
