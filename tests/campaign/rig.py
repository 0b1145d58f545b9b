"""Everything that a campaign runs on: servers, proxies, a worker with one connector, writers."""

from __future__ import annotations

import itertools
import os
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import httpx
import pymysql

from tests.campaign.replication import Servers
from tests.campaign.tables import FINISH, TABLES
from tests.campaign.watch import Watch
from tests.campaign.writers import WRITERS, Gate, Writer, commit_prepared
from tests.fixtures.connectors import connector
from tests.fixtures.fault_proxy import FaultProxy
from tests.fixtures.topics import Topics
from tests.fixtures.worker import wait_for
from tools.stack import (
    ConnectClient,
    DatabaseServer,
    KafkaBroker,
    MariaDb,
    MillraceWorker,
    MySql97,
    Workspace,
)
from tools.stack.errors import StackError

DATABASE: Final = "campaign"
LONG: Final = 120.0
_KINDS: Final[dict[str, type[DatabaseServer]]] = {"mysql": MySql97, "mariadb": MariaDb}
_OPTIONS: Final = ("--max-allowed-packet=64M", "--log-slave-updates=ON")
_TEN_MEGABYTES: Final = 10_485_760
_MOST_STATEMENTS: Final = 100  # in a diagnosis
_QUIET: Final = ("BEGIN", "COMMIT", "XA ", "SAVEPOINT")  # statements of transactions


class Rig:
    """Servers behind proxies, and the worker that captures them.

    Files keep the worker's offsets; the schema history is in a topic or in a file, as chance
    has it.
    """

    def __init__(
        self, workspace: Workspace, database: str, seed: int, *, replica: bool, huge: bool
    ) -> None:
        self.chance = random.Random(seed)
        kind = _KINDS[database]
        self.recovers_all_statements = kind is MySql97
        self._state = workspace.folder("state")
        self.servers = Servers(
            kind(workspace, options=_OPTIONS, durable=True),
            kind(workspace, options=(*_OPTIONS, "--server-id=111"), durable=True)
            if replica
            else None,
        )
        self.broker = KafkaBroker(workspace, heap="512m")
        self.kafka_proxy = FaultProxy(self.broker.host, self.broker.proxied_port)
        self.broker.advertise(self.kafka_proxy.address)
        primary = self.servers.primary
        self.database_proxy = FaultProxy(primary.host, primary.port)
        self.worker = MillraceWorker(
            workspace,
            self.broker,
            properties={
                "bootstrap.servers": self.kafka_proxy.address,
                "offset.storage.file.filename": str(self._state / "offsets"),
                "offset.flush.interval.ms": 500,
            },
        )
        self.topics = Topics(self.broker.address)
        self.gate = Gate()
        self.watch = Watch(self.worker)
        self._writers = [
            Writer(self.servers, DATABASE, self.gate, number, seed, huge=huge)
            for number in range(WRITERS)
        ]
        self.names = itertools.count(1)
        self.name = ""

    def start(self) -> None:
        """Start servers, worker and writers."""
        self.broker.start()
        self.servers.start()
        statements = [table.definition for table in TABLES]
        self.servers.primary.execute(
            f"CREATE DATABASE {DATABASE}", f"USE {DATABASE}", *statements, FINISH
        )
        self.worker.start()
        self.watch.start()
        for writer in self._writers:
            writer.start()

    def stop_writers(self) -> None:
        """End the writers; raises what one of them failed with."""
        for writer in self._writers:
            writer.end()

    def close(self) -> None:
        """End everything."""
        self.watch.end()
        self.worker.kill()
        self.kafka_proxy.close()
        self.database_proxy.close()
        self.servers.stop()
        self.broker.kill()

    @property
    def transactions(self) -> int:
        """How many transactions the writers have committed or rolled back."""
        return sum(writer.transactions for writer in self._writers)

    def topic(self, table: str) -> str:
        """Return the topic of a table."""
        return f"{self.name}.{DATABASE}.{table}"

    def create_connector(self) -> None:
        """Replace the connector by a new one, which begins with a snapshot.

        An XA transaction that is prepared before a snapshot and committed after it is not
        captured (documented); so there is none meanwhile.
        """
        if self.name:
            self.call(lambda client: client.delete(self.name))
        self.at_rest(lambda: setattr(self.gate, "xa_allowed", False))
        self.name = f"c{next(self.names)}"
        config = self.config()
        self.call(lambda client: client.create(self.name, config))

    def config(self) -> dict[str, str]:
        """Return the configuration of the present connector; parts of it as chance has it."""
        more = {
            "skipped.operations": "none",
            "decimal.handling.mode": "string",
            "provide.transaction.metadata": "true",
            "errors.max.retries": "-1",
            "heartbeat.interval.ms": self.chance.choice(("0", "1000")),
            "max.batch.size": self.chance.choice(("2048", "100")),
            "producer.override.max.request.size": str(10 * _TEN_MEGABYTES),
        }
        if int(self.name[1:]) % 2:
            file = str(self._state / f"history-{self.name}")
            more["schema.history.internal"] = "io.debezium.storage.file.history.FileSchemaHistory"
            more["schema.history.internal.file.filename"] = file
        config = connector(self.servers.primary, self.broker, self.name, DATABASE)
        return config | {
            "database.hostname": self.database_proxy.host,
            "database.port": str(self.database_proxy.port),
            "database.server.id": "4242",
            "schema.history.internal.kafka.bootstrap.servers": self.kafka_proxy.address,
            **more,
        }

    def call(self, action: Callable[[ConnectClient], Any], seconds: float = LONG) -> Any:
        """Call the REST API as an operator does: again when the worker cannot answer now."""

        def attempt() -> tuple[Any] | None:
            with suppress(StackError, httpx.HTTPError), self.client() as client:
                return (action(client),)
            return None

        return wait_for(attempt, seconds, "an answer of the worker")[0]

    @contextmanager
    def client(self) -> Iterator[ConnectClient]:
        """Talk to the worker once."""
        client = ConnectClient(self.worker.url, timeout=20)
        try:
            yield client
        finally:
            client.close()

    def at_rest(self, action: Callable[[], Any]) -> Any:
        """Do something while no transaction is open or prepared."""
        self.gate.close()
        try:
            with self.servers.connect() as connection:
                commit_prepared(connection, DATABASE)
            return action()
        finally:
            self.gate.open()

    def heal(self) -> None:
        """End all faults: everything runs and can talk again."""
        for proxy in (self.kafka_proxy, self.database_proxy):
            proxy.heal()
        for server in (self.broker, self.servers.primary, self.worker):
            server.start()
        self.call(lambda client: client.put(self.name, "resume"))

    def reset_dead_connections(self) -> None:
        """Reset the connections that faults left dead: the worker may not have noticed them."""
        self.kafka_proxy.reset_dead()
        self.database_proxy.reset_dead()

    def streams(self) -> bool:
        """Whether the snapshot is over: a restart goes on in the binlog."""
        with suppress(StackError, httpx.HTTPError), self.client() as client:
            offsets = client.call("GET", f"/connectors/{self.name}/offsets")["offsets"]
            return bool(offsets) and "snapshot" not in offsets[0]["offset"]
        return False

    def _logged_statements(self) -> list[str]:
        """Return the statements, other than those of transactions, in the last binlog files."""
        server = self.servers.primary
        found = []
        for file, *_ in server.query("SHOW BINARY LOGS")[-4:]:
            for _, position, kind, _, _, text in server.query(f"SHOW BINLOG EVENTS IN '{file}'"):
                if kind.startswith("Query") and not text.startswith(_QUIET):
                    found.append(f"{file}:{position} {text[:160]}")
        return found[-_MOST_STATEMENTS:]

    def stored_file(self) -> str | None:
        """Return the binlog file of the stored offset, None without one."""
        path = f"/connectors/{self.name}/offsets"
        found = self.call(lambda client: client.call("GET", path)["offsets"])
        return found[0]["offset"].get("file") if found else None

    def diagnosis(self) -> str:
        """Return what helps to understand a broken promise; the worker's log is kept."""
        kept = Path(tempfile.gettempdir()) / f"campaign-{self.name}-{os.getpid()}.log"
        shutil.copy(self.worker.log, kept)
        lines = [f"log of the worker: {kept}"]
        with suppress(StackError, AssertionError):
            lines.append(f"task: {self.state()}")
        with suppress(StackError, pymysql.Error):
            sessions = self.servers.primary.query("SHOW FULL PROCESSLIST")
            lines += [" ".join(str(value)[:200] for value in session) for session in sessions]
            lines += self._logged_statements()
        return "\n".join(lines)

    def state(self) -> tuple[str, str]:
        """Return the state of the task and its trace."""
        found: tuple[str, str] = self.call(lambda client: client.state(self.name))
        return found
