"""A Kafka broker: one KRaft node that is broker and controller."""

from __future__ import annotations

import base64
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from tools.stack.child import run
from tools.stack.folders import Workspace
from tools.stack.jvm import SHORT_LIVED, java_command, write_properties
from tools.stack.maven import kafka_libraries
from tools.stack.ports import free_port, is_open
from tools.stack.server import Server


class KafkaBroker(Server):
    """Kafka 4.3.0. ``properties`` are broker settings that win over those made here.

    Clients of ``proxied_port`` are sent to the address that `advertise` names, so that all their
    connections pass a proxy. Other clients connect directly. ``cluster`` is the id of its cluster.
    ``options`` are those of its JVM.
    """

    name: ClassVar[str] = "broker"

    def __init__(
        self,
        workspace: Workspace,
        *,
        properties: Mapping[str, str | int] | None = None,
        heap: str = "768m",
        options: Sequence[str] = SHORT_LIVED,
    ) -> None:
        super().__init__(workspace)
        self.cluster = cluster_id()
        self._controller_port = free_port()
        self.proxied_port = free_port()
        self._advertised = f"{self.host}:{self.proxied_port}"
        self._properties = dict(properties or {})
        self._heap = heap
        self._options = options

    def advertise(self, address: str) -> None:
        """Set the address of the proxy in front of ``proxied_port``; before the first start."""
        self._advertised = address

    def prepare(self) -> None:
        """Write the settings and format the storage folder."""
        write_properties(self._settings, self._base_properties() | self._properties)
        run(
            self._java("kafka.tools.StorageTool", "format", "-t", self.cluster, "-c"),
            self.folder / "format.log",
        )

    def command(self) -> Sequence[str]:
        """Return the command line."""
        return self._java("kafka.Kafka")

    def answers(self) -> bool:
        """Return whether the broker is in the cluster's list, thus takes topics and records."""
        if not is_open(self.port):
            return False
        client = AdminClient({"bootstrap.servers": self.address, "log_level": 0})
        try:
            return bool(client.list_topics(timeout=5).brokers)
        except KafkaException:
            return False

    @property
    def voter(self) -> str:
        """The controller of this node, as other nodes of the cluster name it."""
        return f"1@{self.host}:{self._controller_port}"

    @property
    def _settings(self) -> Path:
        return self.folder / "broker.properties"

    def _java(self, main_class: str, *arguments: str) -> list[str]:
        libraries = kafka_libraries(self.downloads)
        return java_command(
            libraries, self._heap, main_class, *arguments, self._settings, options=self._options
        )

    def _base_properties(self) -> dict[str, str | int]:
        return {
            "process.roles": "broker,controller",
            "node.id": 1,
            "controller.quorum.voters": self.voter,
            "listeners": (
                f"PLAINTEXT://{self.address},PROXIED://{self.host}:{self.proxied_port},"
                f"CONTROLLER://{self.host}:{self._controller_port}"
            ),
            "advertised.listeners": f"PLAINTEXT://{self.address},PROXIED://{self._advertised}",
            "controller.listener.names": "CONTROLLER",
            "inter.broker.listener.name": "PLAINTEXT",
            "listener.security.protocol.map": (
                "PLAINTEXT:PLAINTEXT,PROXIED:PLAINTEXT,CONTROLLER:PLAINTEXT"
            ),
            "log.dirs": str(self.folder / "data"),
            "num.partitions": 1,
            "offsets.topic.replication.factor": 1,
            "offsets.topic.num.partitions": 3,
            "transaction.state.log.replication.factor": 1,
            "transaction.state.log.min.isr": 1,
            "transaction.state.log.num.partitions": 3,
            "group.initial.rebalance.delay.ms": 0,
            "message.max.bytes": 104857600,
            "log.cleaner.dedupe.buffer.size": 16777216,
            # A killed broker may come back only when its old session is over: 9 s by default.
            "broker.session.timeout.ms": 4000,
            "broker.heartbeat.interval.ms": 1000,
        }


def cluster_id() -> str:
    """Return a new cluster id: 16 random bytes in base64 for URLs, not starting with a dash."""
    return base64.urlsafe_b64encode(b"\0" + uuid.uuid4().bytes[1:]).decode().rstrip("=")
