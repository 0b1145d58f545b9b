"""The marks of read-only snapshots, on a server that is a table of answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from connector.capture.selection import Matches
from connector.capture.tables import Tables
from connector.errors import StopError
from connector.mysql.incremental.chunks import CapturedTables, ChunkOptions
from connector.mysql.incremental.gtid_marks import GtidChunks
from connector.mysql.position.binlog_position import BinlogPosition
from connector.mysql.position.gtid import GtidSet
from connector.mysql.position.mariadb_gtid import MariaDbGtidSet
from connector.mysql.session.checks import check_gtids
from connector.mysql.session.connection import Connection
from connector.mysql.source_block import GTID_SLOT, SourceBlock

A, B = "3e11fa47-71ca-11e1-9e33-c80aa9429562", "11111111-2222-3333-4444-555555555555"


@dataclass
class Server:
    """A server; ``visible`` is the position in MariaDB's log up to which reads see."""

    executed: str = ""
    purged: str = ""
    visible: int = 100
    is_mariadb: bool = False
    reaches_present_server: bool = True
    variables: dict[str, str] = field(default_factory=dict)

    def execute(self, sql: str) -> None: ...

    def close(self) -> None: ...

    def variable(self, name: str) -> str | None:
        return self.executed if name == "gtid_binlog_pos" else self.variables.get(name)

    def row(self, sql: str) -> tuple[str]:
        return (self.purged if "purged" in sql else self.executed,)

    def named_rows(self, sql: str) -> list[dict[str, str]]:
        if sql != "SHOW MASTER STATUS":
            raise StopError("unknown")
        return [{"File": "b.000002", "Position": "100"}]

    def rows(self, sql: str) -> list[tuple[str, str]]:
        assert sql == "SHOW STATUS LIKE 'binlog_snapshot_%'"
        values = ("file", "b.000002"), ("position", str(self.visible))
        return [(f"Binlog_snapshot_{name}", value) for name, value in values]


def chunks(server: Server, captures: Matches | None = None) -> GtidChunks:
    def unused(*_: Any) -> Any:
        raise AssertionError

    options = ChunkOptions(None, captures_gtid=captures)
    block = SourceBlock("1", "mysql", "p")
    session = cast("Connection", server)
    return GtidChunks(
        options, CapturedTables(Tables, unused, unused, block), lambda: session, unused
    )


def at(gtids: str, event: int = 0) -> BinlogPosition:
    kind = GtidSet if ":" in gtids else MariaDbGtidSet
    return BinlogPosition("b.000002", 4, kind.parse(gtids), event)


def change(gtid: str | None) -> tuple[Any, ...]:
    return (*(None,) * GTID_SLOT, gtid)


def test_the_window_ends_with_the_transactions_executed_meanwhile() -> None:
    server = Server(f"{A}:1-5")
    marks = chunks(server)
    marks.follow(at(f"{A}:1-3"), None)
    assert marks.can_read()
    server.executed = f"{A}:1-5:8,{B}:1"  # 8 before 6 and 7: a replica out of order
    marks.close_window("c")
    assert marks.reflects(change(f"{A}:5"))
    assert not marks.reflects(change(f"{A}:8"))
    assert not marks.reflects(change(None))
    for streamed, passed in (
        (f"{A}:1-8", False),
        (f"{A}:1-5,{B}:1", False),
        (f"{A}:1-8,{B}:1", True),
    ):
        marks.follow(at(streamed), None)
        assert marks.has_passed() is passed


def test_transactions_that_never_come_are_not_awaited() -> None:
    marks = chunks(Server(f"{A}:1-5,{B}:1-9", purged=f"{B}:1-9"))
    marks.follow(at(f"{A}:1-5"), None)
    assert marks.can_read()
    marks.close_window("c")
    assert marks.has_passed()


@pytest.mark.parametrize(
    ("streamed", "last", "event"),
    [
        (f"{A}:1-6", None, 0),  # a replica that lags
        (f"{A}:1-5", f"{A}:6", 0),  # sent before it is visible
        (f"{A}:1-4", None, 2),  # a transaction that goes on after a restart
    ],
)
def test_no_chunk_is_read_before_the_server_has_what_was_streamed(
    streamed: str, last: str | None, event: int
) -> None:
    marks = chunks(Server(f"{A}:1-5"))
    marks.follow(at(streamed, event), None if last is None else change(last))
    assert not marks.can_read()


def test_mariadb_counts_transactions_before_they_are_visible() -> None:
    server = Server("0-1-5", is_mariadb=True, visible=90)
    marks = chunks(server)
    marks.follow(at("0-1-5"), change("0-1-5"))
    assert not marks.can_read()
    server.visible = 100
    assert marks.can_read()


def test_domains_that_are_not_followed_are_not_awaited() -> None:
    marks = chunks(Server("0-1-5,7-1-9", is_mariadb=True), lambda source: source == "0-1")
    marks.follow(at("0-1-5"), None)
    assert marks.can_read()
    marks.close_window("c")
    assert marks.has_passed()


def test_a_server_without_gtids_is_refused() -> None:
    for mode in ("OFF", "ON_PERMISSIVE"):
        server = Server(variables={"gtid_mode": mode})
        with pytest.raises(StopError, match=f"gtid_mode={mode}"):
            check_gtids(cast("Connection", server), "read.only=true")
    check_gtids(cast("Connection", Server(variables={"gtid_mode": "ON"})), "read.only=true")
    check_gtids(cast("Connection", Server(is_mariadb=True)), "read.only=true")
