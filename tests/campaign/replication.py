"""Two database servers of which one replicates the other, and the change of their roles."""

from __future__ import annotations

from typing import Any

import pymysql

from tests.fixtures.worker import wait_for
from tools.stack import ROOT, DatabaseServer

_LIMIT = 60.0


class ReplicaBrokenError(Exception):
    """The replica cannot apply the primary's log; with what it says."""


class Servers:
    """A primary and perhaps its replica. All statements of the campaign go to the primary."""

    def __init__(self, primary: DatabaseServer, replica: DatabaseServer | None) -> None:
        self.primary = primary
        self.replica = replica
        self.is_mysql = primary.name == "mysql"

    def start(self) -> None:
        """Start all; the replica follows from the first transaction on."""
        self.primary.start()
        if self.replica is not None:
            self.replica.start()
            self._follow(self.replica, self.primary)

    def stop(self) -> None:
        """End all."""
        for server in (self.primary, self.replica):
            if server is not None:
                server.kill()

    @property
    def port(self) -> int:
        """The port of the primary."""
        return self.primary.port

    def connect(self, **arguments: Any) -> pymysql.Connection[Any]:
        """Return a new connection to the primary."""
        return self.primary.connect(
            **{"connect_timeout": 5, "read_timeout": 60, "write_timeout": 60} | arguments
        )

    def switch(self) -> None:
        """Exchange the roles; nothing may be written meanwhile.

        :raises ReplicaBrokenError: the replica has stopped for good.
        """
        old, new = self.primary, self.replica
        assert new is not None
        self.wait_for_replica()
        if self.is_mysql:
            new.execute("STOP REPLICA", "RESET REPLICA ALL")
        else:
            new.execute("STOP SLAVE", "RESET SLAVE ALL")
        self._follow(old, new)
        self.primary, self.replica = new, old

    def wait_for_replica(self) -> None:
        """Wait until the replica has all of the primary's transactions.

        A primary that is killed during a DDL statement may have applied what it has not logged.

        :raises ReplicaBrokenError: the replica cannot apply one of them.
        """
        if self.replica is not None:
            expected = self.executed(self.primary)
            try:
                wait_for(lambda: self._has(expected), _LIMIT, "the replica")
            except AssertionError:
                raise ReplicaBrokenError(f"not at {expected}: {self._status()}") from None

    def _status(self) -> str:
        assert self.replica is not None
        statement = "SHOW REPLICA STATUS" if self.is_mysql else "SHOW SLAVE STATUS"
        with self.replica.connect() as connection:
            cursor = connection.cursor(pymysql.cursors.DictCursor)
            cursor.execute(statement)
            status = cursor.fetchone() or {}
        errors = {name: value for name, value in status.items() if "Err" in name and value}
        threads = {name: value for name, value in status.items() if name.endswith("_Running")}
        return f"{errors} {threads}; it has {self.executed(self.replica)}"

    def executed(self, server: DatabaseServer | None = None) -> str:
        """Return the GTIDs that a server has executed, the primary by default."""
        server = server or self.primary
        variable = "gtid_executed" if self.is_mysql else "gtid_binlog_pos"
        return str(server.query(f"SELECT @@global.{variable}")[0][0])

    def _has(self, expected: str) -> bool:
        assert self.replica is not None
        if self.is_mysql:
            statement = "SELECT GTID_SUBSET(%s, @@global.gtid_executed)"
            return bool(self.replica.query(statement, expected)[0][0])
        return self.executed(self.replica) == expected

    def _follow(self, replica: DatabaseServer, primary: DatabaseServer) -> None:
        source = f"HOST = '{primary.host}', {{0}}_PORT = {primary.port}, {{0}}_USER = '{ROOT.user}'"
        source = f"{{0}}_{source}, {{0}}_PASSWORD = '{ROOT.password}'"
        if self.is_mysql:
            options = "SOURCE_AUTO_POSITION = 1, GET_SOURCE_PUBLIC_KEY = 1"
            replica.execute(
                f"CHANGE REPLICATION SOURCE TO {source.format('SOURCE')}, {options}, "
                "SOURCE_CONNECT_RETRY = 1, SOURCE_RETRY_COUNT = 1000",
                "START REPLICA",
            )
            return
        replica.execute(
            "SET GLOBAL gtid_slave_pos = @@global.gtid_binlog_pos",
            f"CHANGE MASTER TO {source.format('MASTER')}, MASTER_USE_GTID = slave_pos, "
            "MASTER_CONNECT_RETRY = 1",
            "START SLAVE",
        )
