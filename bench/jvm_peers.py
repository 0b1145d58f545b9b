"""Maxwell and Flink CDC as servers: each one process that copies a table to a topic of Kafka."""

from __future__ import annotations

import itertools
import uuid
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Final

from bench.workload import DATABASE
from tools.stack import (
    CAPTURE,
    OWNER,
    Account,
    DatabaseServer,
    KafkaBroker,
    Server,
    Workspace,
)
from tools.stack.child import run
from tools.stack.jvm import write_properties
from tools.stack.maven import jars
from tools.stack.programs import find_program, java

HERE: Final = Path(__file__).parent
# What Flink's own start script opens on Java 17.
_OPENED: Final = ("lang", "lang.invoke", "math", "net", "io", "nio", "text", "time", "util")

_server_ids: Final = itertools.count(50_000)


class Peer(Server):
    """A JVM that copies the changes of a table to ``topic``, from its start on.

    ``source`` is a Java file that is compiled for it, from this folder.
    ``settings`` win over those made here; with ``kafka.`` in front they belong to its producer.
    It serves no clients: its port is unused, and the topic shows whether it works.
    """

    account: ClassVar[Account]
    main_class: ClassVar[str]
    pom: ClassVar[str]
    source: ClassVar[str]

    def __init__(
        self,
        workspace: Workspace,
        broker: KafkaBroker,
        database: DatabaseServer,
        table: str,
        settings: Mapping[str, str],
    ) -> None:
        super().__init__(workspace)
        self.topic = f"{self.name}{uuid.uuid4().hex[:8]}"
        self.table = table
        self.bootstrap = broker.address
        self._database = database
        self._settings = settings

    def prepare(self) -> None:
        """Write the settings and compile the source."""
        common: dict[str, str | int] = {
            "host": self._database.host,
            "port": self._database.port,
            "user": self.account.user,
            "password": self.account.password,
            "kafka.bootstrap.servers": self.bootstrap,
        }
        write_properties(self.file, {**common, **self.own_settings(), **self._settings})
        path = f"{self.libraries}/*"
        compiler = [find_program("javac"), "-cp", path, "-d", str(self.folder)]
        run([*compiler, HERE / self.source], self.folder / "javac.log")

    def command(self) -> Sequence[str]:
        """Return the command line."""
        return [
            java(),
            "-Xmx1g",
            "-XX:+UseG1GC",
            *(f"--add-opens=java.base/java.{name}=ALL-UNNAMED" for name in _OPENED),
            "-classpath",
            f"{self.folder}:{self.libraries}/*",
            self.main_class,
            *self.arguments(),
        ]

    def answers(self) -> bool:
        """Return True: it has no clients."""
        return True

    @abstractmethod
    def own_settings(self) -> dict[str, str | int]:
        """Return what the others do not have in their files of settings."""

    @abstractmethod
    def arguments(self) -> Sequence[str]:
        """Return the arguments of the program."""

    @property
    def file(self) -> Path:
        """The file of settings."""
        return self.folder / "peer.properties"

    @property
    def libraries(self) -> Path:
        """The folder with its jars."""
        return jars(self.downloads, HERE / self.pom, f"{self.name} (Maven)")


class Maxwell(Peer):
    """Maxwell 1.22.6; it keeps its position in a database of its own on the same server."""

    name: ClassVar[str] = "maxwell"
    account: ClassVar[Account] = OWNER
    main_class: ClassVar[str] = "com.zendesk.maxwell.Maxwell"
    pom: ClassVar[str] = "maxwell.pom.xml"
    source: ClassVar[str] = "ScriptObjectMirror.java"

    def own_settings(self) -> dict[str, str | int]:
        """Return what the others do not have in their files of settings."""
        return {
            "log_level": "error",  # it warns of one event a transaction of MariaDB
            "producer": "kafka",
            "kafka_topic": self.topic,
            "filter": f"exclude: *.*, include: {DATABASE}.{self.table}",
            "client_id": self.topic,
            "replica_server_id": next(_server_ids),
        }

    def arguments(self) -> Sequence[str]:
        """Return the arguments of the program."""
        return [f"--config={self.file}"]


class FlinkCdc(Peer):
    """Flink CDC 3.5.0 on Flink 1.20: one job, in one process with Flink."""

    name: ClassVar[str] = "flink"
    account: ClassVar[Account] = CAPTURE
    main_class: ClassVar[str] = "FlinkCdc"
    pom: ClassVar[str] = "flink.pom.xml"
    source: ClassVar[str] = "FlinkCdc.java"

    def own_settings(self) -> dict[str, str | int]:
        """Return what the others do not have in their files of settings."""
        return {
            "database": DATABASE,
            "table": self.table,
            "topic": self.topic,
            "server.id": next(_server_ids),
            "schemas": "false",
        }

    def arguments(self) -> Sequence[str]:
        """Return the arguments of the program."""
        return [str(self.file)]
