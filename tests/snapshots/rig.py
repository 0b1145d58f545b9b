"""The servers of the checker, and a connector whose snapshots are requested by signals."""

from __future__ import annotations

import itertools
import json
import random
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import pymysql

from tests.fixtures.campaign.rig import DATABASE, LONG, Rig
from tests.fixtures.campaign.tables import TABLES
from tests.fixtures.campaign.writers import create_missing_tables
from tests.fixtures.replicas import executed
from tests.fixtures.worker import wait_for
from tools.stack import CAPTURE, Workspace

SIGNALS: Final = (
    f"CREATE TABLE {DATABASE}.signals "
    "(id VARCHAR(42) PRIMARY KEY, type VARCHAR(32) NOT NULL, data VARCHAR(2048))"
)
STATE: Final = ("incremental_snapshot_collections", "millrace_blocking_snapshots")
FAILED: Final = "millrace_failed_tables"
_READ_ONLY: Final = "--read-only"  # a replica that restarts refuses watermarks, too
_FIRST: Final = 500_000_000  # origins of rows that are there before a connector


def _number(gtid: str) -> int:
    """Return the sequence number of MariaDB's one GTID."""
    return int(gtid.rpartition("-")[2])


class SnapshotRig(Rig):
    """A rig whose connector reads tables at signals."""

    def __init__(self, workspace: Workspace, database: str, seed: int, *, replica: bool) -> None:
        super().__init__(workspace, database, seed, replica=replica, huge=False)
        self._signals = itertools.count(1)
        self._finishes = itertools.count(1)
        self.more: dict[str, str] = {}

    def start(self) -> None:
        """Start servers, worker and writers."""
        super().start()
        self.servers.primary.execute(
            SIGNALS, f"GRANT INSERT, DELETE ON {DATABASE}.signals TO '{CAPTURE.user}'@'%'"
        )
        replica = self.servers.replica
        if replica is None:
            return
        replica.execute("SET GLOBAL read_only = ON")
        replica.options = (*replica.options, _READ_ONLY)
        if self.servers.is_mysql and self.chance.random() < 0.5:
            replica.execute(
                "STOP REPLICA SQL_THREAD",
                "SET GLOBAL replica_preserve_commit_order = OFF",
                "START REPLICA SQL_THREAD",
            )

    def fill(self, rows: int) -> None:
        """Have so many rows in each table, and no others."""
        origins = [writer * 1_000_000_000 + _FIRST + n for writer in range(3) for n in range(rows)]
        with self.servers.connect(database=DATABASE) as connection:
            cursor = connection.cursor()
            create_missing_tables(cursor)
            for table in TABLES:
                cursor.execute(f"TRUNCATE TABLE {table.name}")
                cursor.executemany(
                    f"INSERT INTO {table.name} (origin, version, k1, k2, body) "
                    "VALUES (%s, 1, %s, %s, 'first')",
                    [(n, f"k{n % 7}", n) for n in self.chance.sample(origins, rows)],
                )

    def create(self, rows: int, **more: str) -> None:
        """Replace the connector by a new one, of tables with so many rows."""
        self.remove()
        self.name = f"c{next(self.names)}"
        self.more = {name.replace("_", "."): text for name, text in more.items()}
        self.at_rest(lambda: self.fill(rows))
        config = self.config()
        self.call(lambda client: client.create(self.name, config))

    def remove(self) -> None:
        """Remove the connector and its topics."""
        if self.name:
            self.call(lambda client: client.delete(self.name))
            mine = {f"history.{self.name}", self.name}
            names = self.topics.names()
            self.topics.delete(
                name for name in names if name in mine or name.startswith(f"{self.name}.")
            )
            self.name = ""

    def config(self) -> dict[str, str]:
        """Return the configuration of the connector."""
        servers = [self.servers.primary, self.servers.replica]
        hosts = [f"{one.host}:{one.port}" for one in servers if one is not None]
        if self.more.pop("from.replica", ""):
            hosts.reverse()
        return super().config() | {
            "database.hostname": ", ".join(hosts),
            "signal.data.collection": f"{DATABASE}.signals",
            "message.key.columns": f"{DATABASE}.keyless:origin",
            "heartbeat.interval.ms": "0",
            "provide.transaction.metadata": "false",
            **self.more,
        }

    def signal(self, type_: str, data: Mapping[str, Any] | None = None) -> None:
        """Send a signal through the table, again when the database is not available."""
        number = next(self._signals)
        values = f"'s{number}', '{type_}', '{json.dumps(data or {})}'"
        self.write(f"REPLACE INTO {DATABASE}.signals VALUES ({values})")

    def write(self, statement: str) -> None:
        """Execute a statement on the primary as soon as that is possible."""

        def attempt() -> bool:
            with suppress(pymysql.err.MySQLError), self.servers.connect() as connection:
                connection.cursor().execute(statement)
                return True
            return False

        wait_for(attempt, LONG, statement)

    def execute(self, tables: Sequence[str], kind: str) -> None:
        """Request a snapshot of some tables."""
        for table in tables:
            data = {"data-collections": [f"{DATABASE}.{table}"], "type": kind}
            if kind == "incremental" and table == "keyless":
                data["surrogate-key"] = "origin"
            self.signal("execute-snapshot", data)

    def offset(self) -> dict[str, Any]:
        """Return the stored offset, empty without one."""
        path = f"/connectors/{self.name}/offsets"
        found = self.call(lambda client: client.call("GET", path)["offsets"])
        return dict(found[0]["offset"]) if found else {}

    def await_end(self) -> dict[str, Any]:
        """Return the offset behind the end of all requested snapshots."""
        done = executed(self.servers.primary)
        found: dict[str, Any] = {}

        def ended() -> bool:
            state, trace = self.state()
            assert state != "FAILED", trace
            found.clear()
            found.update(self.offset())
            passed = self._contains(str(found.get("gtids") or ""), done)
            return passed and not any(key in found for key in STATE)

        wait_for(ended, LONG, f"the end of the snapshots: {done}")
        return found

    def _contains(self, gtids: str, others: str) -> bool:
        if self.servers.is_mysql:
            select = "SELECT GTID_SUBSET(%s, %s)"
            return bool(self.servers.primary.query(select, others, gtids)[0][0])
        return bool(gtids) and _number(gtids) >= _number(others)

    def finish(self) -> int:
        """Write a last row; return its number."""
        number = next(self._finishes)
        self.write(f"REPLACE INTO {DATABASE}.finish VALUES ({number})")
        return number

    def heal(self) -> None:
        """End all faults: everything runs and can talk again."""
        if self.servers.replica is not None:
            self.servers.replica.start()
        super().heal()

    def fail_over(self, chance: random.Random) -> None:
        """Make the replica the primary, under a server that is read-only meanwhile."""
        old = self.servers.primary

        def switch() -> None:
            old.execute("SET GLOBAL read_only = ON")
            old.options = (*old.options, _READ_ONLY)
            self.servers.switch()
            new = self.servers.primary
            new.options = tuple(option for option in new.options if option != _READ_ONLY)
            new.execute("SET GLOBAL read_only = OFF")

        self.at_rest(switch)
        if self.more.get("read.only") != "true" or chance.random() < 0.7:
            old.kill()
            time.sleep(chance.choice((0, 1)))
