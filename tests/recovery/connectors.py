"""Configurations of connectors that capture one database of a test."""

from __future__ import annotations

import itertools
import os

from deploy.stack import CAPTURE, DatabaseServer, KafkaBroker

_server_ids = itertools.count(1_000_000 + os.getpid() * 100)


def connector(
    server: DatabaseServer, broker: KafkaBroker, prefix: str, database: str, **more: str
) -> dict[str, str]:
    """Return the configuration; underscores in the names of ``more`` stand for dots."""
    return {
        "connector.class": server.connector_class,
        "tasks.max": "1",
        "database.hostname": server.host,
        "database.port": str(server.port),
        "database.user": CAPTURE.user,
        "database.password": CAPTURE.password,
        "database.server.id": str(next(_server_ids)),
        "database.ssl.mode": {"mysql": "disabled", "mariadb": "disable"}[server.name],
        "database.include.list": database,
        "topic.prefix": prefix,
        "schema.history.internal.kafka.bootstrap.servers": broker.address,
        "schema.history.internal.kafka.topic": f"history.{prefix}",
        "schema.history.internal.store.only.captured.databases.ddl": "true",
        "key.converter": "org.apache.kafka.connect.json.JsonConverter",
        "value.converter": "org.apache.kafka.connect.json.JsonConverter",
        "key.converter.schemas.enable": "false",
        "value.converter.schemas.enable": "false",
        **{name.replace("_", "."): text for name, text in more.items()},
    }
