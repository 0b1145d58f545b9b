"""Who is measured: Millrace, and Kafka Connect with Debezium in two settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from tools.stack import (
    CAPTURE,
    ConnectWorker,
    DatabaseServer,
    KafkaBroker,
    MillraceWorker,
    SchemaRegistry,
    Workspace,
)

# What helps a task of Connect most: its producer neither compresses nor waits for a batch nor
# has a second request in flight by default. Millrace's producer does so by default.
_TUNED: Final = {
    "producer.override.compression.type": "lz4",
    "producer.override.linger.ms": "5",
    "producer.override.batch.size": "1048576",
    "producer.override.max.in.flight.requests.per.connection": "5",
}
_SSL_OFF: Final = {"mysql": "disabled", "mariadb": "disable"}


@dataclass(frozen=True, slots=True)
class Side:
    """One column of the result; ``settings`` come on top of every connector."""

    name: str
    kind: type[MillraceWorker | ConnectWorker]
    settings: Mapping[str, str] = field(default_factory=dict)

    def worker(self, workspace: Workspace, broker: KafkaBroker) -> MillraceWorker | ConnectWorker:
        """Return a worker of its own, not yet started."""
        group = self.name.lower().replace(" ", "-")
        return self.kind(workspace, broker, group=group)


MILLRACE: Final = Side("Millrace", MillraceWorker)
DEFAULT: Final = Side("Debezium default", ConnectWorker)
TUNED: Final = Side("Debezium tuned", ConnectWorker, _TUNED)


def connector(
    server: DatabaseServer, broker: KafkaBroker, name: str, server_id: int
) -> dict[str, str]:
    """Return what the connectors of all sides have in common; ``name`` is the topic prefix."""
    return {
        "connector.class": server.connector_class,
        "tasks.max": "1",
        "database.hostname": server.host,
        "database.port": str(server.port),
        "database.user": CAPTURE.user,
        "database.password": CAPTURE.password,
        "database.server.id": str(server_id),
        "database.ssl.mode": _SSL_OFF[server.name],
        "driver.allowPublicKeyRetrieval": "true",
        "topic.prefix": name,
        "schema.history.internal.kafka.bootstrap.servers": broker.address,
        "schema.history.internal.kafka.topic": f"history.{name}",
        "key.converter": "org.apache.kafka.connect.json.JsonConverter",
        "value.converter": "org.apache.kafka.connect.json.JsonConverter",
    }


def avro_converters(registry: SchemaRegistry) -> dict[str, str]:
    """Return settings for Avro with the converter that all sides have."""
    found = {}
    for part in ("key.converter", "value.converter"):
        found[part] = "io.apicurio.registry.utils.converter.AvroConverter"
        found[f"{part}.apicurio.registry.url"] = registry.apicurio_url
        found[f"{part}.apicurio.registry.auto-register"] = "true"
        found[f"{part}.apicurio.registry.headers.enabled"] = "false"
    return found
