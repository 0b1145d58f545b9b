"""Java client settings → librdkafka settings.

A key of the Java client is translated; one that only tunes the Java client (serializers,
interceptors, metrics) is left out; any other key must be one of librdkafka's that are allowed.
Nothing is opened here, neither a client nor a connection.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final

from connector.config import convert, invalid, one_of
from connector.errors import ConfigError
from connector.kafka.client_key import ClientKey
from connector.kafka.delivery_settings import reconcile_delivery
from connector.kafka.keys import CLIENT_KEYS, KNOWN_CLIENT_KEYS, ClientKind
from connector.kafka.librdkafka_keys import LIBRDKAFKA_KEYS, REFUSED
from connector.kafka.security import security_config

__all__ = ["KNOWN_CLIENT_KEYS", "client_config", "client_settings"]

_log = logging.getLogger(__name__)

_LONGEST_BACKOFF: Final = 10_000  # librdkafka's default
_COMPRESSION_LEVELS: Final = {"compression.gzip.level": "gzip", "compression.lz4.level": "lz4"}
_PARTITIONERS: Final = {
    "org.apache.kafka.clients.producer.internals.DefaultPartitioner": "murmur2_random",
}


def client_config(properties: Mapping[str, str], kind: ClientKind) -> dict[str, str | int]:
    """Translate the settings of one client; ``kind`` is producer, consumer or admin.

    :raises ConfigError: a bad value, something that librdkafka cannot do, or an unknown key.
        The text names the key, never a secret's value.
    """
    keys = CLIENT_KEYS[kind]
    config: dict[str, str | int] = {}
    own: dict[str, str | int] = {}
    for name, text in properties.items():
        key = keys.get(name)
        if name == "partitioner.class":
            config["partitioner"] = _partitioner(text)
        elif key is None:
            own[name] = _own_value(name, text)
        elif key.translated:
            _translate(key, text, config, properties)
    _report_left_out(properties, keys)
    config |= own | security_config(properties)
    _raise_longest_backoff(config)
    return reconcile_delivery(config) if kind == "producer" else config


def _raise_longest_backoff(config: dict[str, str | int]) -> None:
    """Let the longest wait follow the first one, as in Java; librdkafka refuses a shorter one."""
    first = int(config.get("reconnect.backoff.ms", 0))
    if first > int(config.get("reconnect.backoff.max.ms", _LONGEST_BACKOFF)):
        config["reconnect.backoff.max.ms"] = first


def _translate(
    key: ClientKey, text: str, config: dict[str, str | int], properties: Mapping[str, str]
) -> None:
    codec = _COMPRESSION_LEVELS.get(key.name)
    if codec is not None and properties.get("compression.type") != codec:
        return
    config[key.target] = _value(key, text)


def _value(key: ClientKey, text: str) -> str | int:
    value = _convert(key, text)
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


def _own_value(name: str, text: str) -> str | int:
    """Check a setting that Java does not know against the list of librdkafka's allowed ones."""
    if name in REFUSED:
        raise ConfigError(f"Client setting {name} is not allowed: {REFUSED[name]}.")
    key = LIBRDKAFKA_KEYS.get(name)
    if key is None:
        raise ConfigError(
            f"Invalid client setting {name}: it is neither a setting of Kafka's Java client nor "
            "one of librdkafka's that are allowed here. Correct the name or remove the setting."
        )
    value = _value(key, text)
    if isinstance(value, int) and value != int(text):
        raise invalid(name, text.strip(), f"Value must be between {key.low} and {key.high}")
    return value


def _convert(key: ClientKey, text: str) -> Any:
    """Convert a text; a secret's text is left out of the error."""
    value = convert(key.name, key.type, text)
    if isinstance(value, str) and "\0" in value:
        raise ConfigError(f"Invalid value for configuration {key.name}: it holds a NUL character.")
    if key.allowed and (fault := one_of(*key.allowed)(key.name, value)):
        raise ConfigError(fault)
    return value


def client_settings(worker: Mapping[str, str], kind: ClientKind) -> dict[str, str]:
    """Return the Java settings of the worker's own clients: the top level of its file.

    Keys of other kinds of clients, and what is no client setting, stay out.
    """
    return {name: text for name, text in worker.items() if name in CLIENT_KEYS[kind]}
