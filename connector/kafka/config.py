"""Java client settings → librdkafka settings.

A key of the Java client is translated; one that only tunes the Java client (serializers,
interceptors, metrics) is left out; any other key is taken for librdkafka's own and tried.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from confluent_kafka import KafkaException, Producer

from connector.config import convert
from connector.errors import ConfigError
from connector.kafka.keys import CLIENT_KEYS, KNOWN_CLIENT_KEYS, ClientKey, Kind
from connector.kafka.security import security_config

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["KNOWN_CLIENT_KEYS", "client_config", "client_settings"]

_log = logging.getLogger(__name__)

_COMPRESSION_LEVELS: Final = {"compression.gzip.level": "gzip", "compression.lz4.level": "lz4"}
_PARTITIONERS: Final = {
    "org.apache.kafka.clients.producer.internals.DefaultPartitioner": "murmur2_random",
}


def client_config(properties: Mapping[str, str], kind: Kind) -> dict[str, str | int]:
    """Translate the settings of one client; ``kind`` is producer, consumer or admin.

    :raises ConfigError: a bad value, something that librdkafka cannot do, or an unknown key.
        The text names the key, never a secret's value.
    """
    keys = CLIENT_KEYS[kind]
    config: dict[str, str | int] = {}
    own: dict[str, str] = {}
    for name, text in properties.items():
        key = keys.get(name)
        if name == "partitioner.class":
            config["partitioner"] = _partitioner(text)
        elif key is None:
            own[name] = text
        elif key.translated:
            _translate(key, text, config, properties)
    _report_left_out(properties, keys)
    _check_own(own)
    return config | own | security_config(properties)


def _translate(
    key: ClientKey, text: str, config: dict[str, str | int], properties: Mapping[str, str]
) -> None:
    codec = _COMPRESSION_LEVELS.get(key.name)
    if codec is not None and properties.get("compression.type") != codec:
        return
    config[key.target] = _value(key, text)


def _value(key: ClientKey, text: str) -> str | int:
    value = convert(key.name, key.type, text)
    if key.type == "LIST":
        return ",".join(value)
    if key.type == "BOOLEAN":
        return "true" if value else "false"
    if not isinstance(value, int):
        return str(value)
    if key.name == "buffer.memory":
        value = value // 1024
    low = value if key.low is None else key.low
    high = value if key.high is None else key.high
    return min(max(value, low), high)


def _partitioner(class_name: str) -> str:
    if class_name in _PARTITIONERS:
        return _PARTITIONERS[class_name]
    raise ConfigError(
        f"Invalid value {class_name} for configuration partitioner.class: Java classes cannot be "
        "loaded here; leave the key out for Java's default partitioning."
    )


def _report_left_out(properties: Mapping[str, str], keys: Mapping[str, ClientKey]) -> None:
    secured = {name for name in properties if name.startswith(("ssl.", "sasl.", "security."))}
    for name in properties.keys() & keys.keys() - secured:
        if not keys[name].translated:
            _log.debug("The client setting %s has no meaning outside the Java client.", name)


def _check_own(own: Mapping[str, str]) -> None:
    """Try keys that Java does not know as librdkafka's own, on a client that never connects."""
    for name, text in own.items():
        try:
            Producer({"log_level": 0, name: text})
        except (KafkaException, TypeError) as error:
            known = "No such configuration property" not in str(error)
            reason = "it refuses the value" if known else "it has no such key"
            raise ConfigError(
                f"Invalid client setting {name}: it is not a setting of Kafka's Java client, "
                f"and tried as librdkafka's own {reason}."
            ) from None


def client_settings(worker: Mapping[str, str], kind: Kind) -> dict[str, str]:
    """Return the Java settings of the worker's own clients: the top level of its file.

    Keys of other kinds of clients, and what is no client setting, stay out.
    """
    return {name: text for name, text in worker.items() if name in CLIENT_KEYS[kind]}
