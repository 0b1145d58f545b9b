"""What the settings of Kafka Connect's worker and of Millrace's have in common."""

from __future__ import annotations

from typing import Final

from tools.stack.kafka import KafkaBroker

_CONVERTER: Final = "org.apache.kafka.connect.json.JsonConverter"


def distributed_settings(broker: KafkaBroker, group: str, url: str) -> dict[str, str | int]:
    """Return the settings of a worker that keeps everything in three topics.

    :param group: the name of the worker's group, with which the names of the topics begin.
    :param url: where its REST API listens.
    """
    return {
        "bootstrap.servers": broker.address,
        "group.id": group,
        "key.converter": _CONVERTER,
        "value.converter": _CONVERTER,
        "offset.storage.topic": f"{group}-offsets",
        "offset.storage.replication.factor": 1,
        "offset.storage.partitions": 1,
        "config.storage.topic": f"{group}-configs",
        "config.storage.replication.factor": 1,
        "status.storage.topic": f"{group}-status",
        "status.storage.replication.factor": 1,
        "status.storage.partitions": 1,
        "listeners": url,
    }
