"""One running stack: which servers belong to it, their addresses, and files to try them with."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final, Self

from tools.stack.accounts import CAPTURE, ROOT
from tools.stack.connect import ConnectWorker
from tools.stack.database import DatabaseServer
from tools.stack.folders import STACK, Workspace
from tools.stack.jvm import LONG_LIVED, write_properties
from tools.stack.kafka import KafkaBroker
from tools.stack.mariadb import MariaDb
from tools.stack.mysql import MySql97
from tools.stack.server import Server

ADDRESSES: Final = STACK / "addresses.json"
WORKER: Final = STACK / "worker.properties"

_JSON_CONVERTER: Final = "org.apache.kafka.connect.json.JsonConverter"


class Session:
    """A broker, databases and, on request, Kafka Connect; as a context manager they run."""

    def __init__(self, databases: Iterable[str], *, connect: bool) -> None:
        self._databases = tuple(databases)
        self._connect = connect
        self._resources = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as building:
            workspace = building.enter_context(Workspace())
            self.broker = KafkaBroker(workspace, options=LONG_LIVED)
            kinds = {"mysql": MySql97, "mariadb": MariaDb}
            self.databases: list[DatabaseServer] = [kinds[k](workspace) for k in self._databases]
            self.connect = ConnectWorker(workspace, self.broker) if self._connect else None
            for server in self.servers:
                building.callback(server.stop)
            start_all([self.broker, *self.databases])
            if self.connect:
                self.connect.start()
            self._resources = building.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._resources.close()

    @property
    def servers(self) -> list[Server]:
        """All servers, in the order in which they start."""
        last = [self.connect] if self.connect else []
        return [self.broker, *self.databases, *last]

    def addresses(self) -> dict[str, Any]:
        """Return what a client must know."""
        found: dict[str, Any] = {"bootstrap.servers": self.broker.address}
        for database in self.databases:
            found[database.name] = {
                "host": database.host,
                "port": database.port,
                "user": ROOT.user,
                "password": ROOT.password,
                "capture.user": CAPTURE.user,
                "capture.password": CAPTURE.password,
            }
        if self.connect:
            found["connect"] = self.connect.url
        return found

    def connector(self, database: DatabaseServer) -> dict[str, Any]:
        """Return a connector, ready for POST /connectors, that captures one of the databases."""
        return {
            "name": f"{database.name}-source",
            "config": {
                "connector.class": database.connector_class,
                "tasks.max": "1",
                "database.hostname": database.host,
                "database.port": str(database.port),
                "database.user": CAPTURE.user,
                "database.password": CAPTURE.password,
                "database.server.id": "5400",
                "topic.prefix": database.name,
                "schema.history.internal.kafka.bootstrap.servers": self.broker.address,
                "schema.history.internal.kafka.topic": f"{database.name}-schema-history",
            },
        }

    def write(self) -> list[Path]:
        """Write addresses, a worker file and connectors below `.stack`; return the latter two."""
        connectors = [STACK / f"{database.name}-source.json" for database in self.databases]
        for file, database in zip(connectors, self.databases, strict=True):
            write_json(file, self.connector(database))
        write_properties(WORKER, worker_properties(self.broker.address))
        write_json(ADDRESSES, self.addresses())
        return [WORKER, *connectors]


def start_all(servers: Iterable[Server]) -> None:
    """Start servers side by side; when one fails, its error is raised after all have tried."""
    with ThreadPoolExecutor() as pool:
        for started in [pool.submit(server.start) for server in servers]:
            started.result()


def worker_properties(bootstrap: str) -> dict[str, str | int]:
    """Return the settings of a Millrace worker on a broker."""
    return {
        "bootstrap.servers": bootstrap,
        "group.id": "millrace",
        "key.converter": _JSON_CONVERTER,
        "value.converter": _JSON_CONVERTER,
        "config.storage.topic": "millrace-configs",
        "config.storage.replication.factor": 1,
        "offset.storage.topic": "millrace-offsets",
        "offset.storage.replication.factor": 1,
        "status.storage.topic": "millrace-status",
        "status.storage.replication.factor": 1,
        "listeners": "http://127.0.0.1:8083",
    }


def write_json(file: Path, value: Mapping[str, Any]) -> None:
    """Write a JSON file, complete or not at all."""
    partial = file.with_suffix(".partial")
    partial.write_text(json.dumps(value, indent=2) + "\n")
    partial.rename(file)
