"""Topics for records: the ``topic.creation.*`` groups of a connector (KIP-158).

With groups, the first whose patterns match a new topic gives its partitions, replicas and
settings, the group ``default`` last. Without groups a topic gets the broker's defaults.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from connector.config import (
    REQUIRED,
    ConfigDef,
    ConfigKey,
    Validator,
    invalid,
    settings_below,
)
from connector.data.java_regex import compile_java
from connector.errors import BrokerUnavailableError, ProduceError, StopError
from connector.fence import Fence
from connector.kafka.topics import BROKER_DEFAULT, Topics
from connector.worker.connector_config import list_names

PREFIX: Final = "topic.creation."
DEFAULT_GROUP: Final = "default"
_AGAIN: Final = 0.2  # seconds until the next request to a broker that did not answer
_REMEDY: Final = (
    "Ensure that the task is authorized to create topics or that the topic exists, "
    "and restart the task."
)
_OWN: Final = ("include", "exclude", "replication.factor", "partitions")


@dataclass(frozen=True, slots=True)
class Group:
    """Topics whose whole name matches one of ``include`` and none of ``exclude``."""

    name: str
    include: tuple[re.Pattern[str], ...]
    exclude: tuple[re.Pattern[str], ...]
    replicas: int
    partitions: int
    settings: Mapping[str, str] = field(default_factory=dict)

    def matches(self, topic: str) -> bool:
        """Return whether the group has this topic."""
        if any(pattern.fullmatch(topic) for pattern in self.exclude):
            return False
        return any(pattern.fullmatch(topic) for pattern in self.include)


_BROKERS_CHOICE: Final = Group("", (), (), BROKER_DEFAULT, BROKER_DEFAULT)


def _patterns(key: str, value: Any) -> str | None:
    for text in value or ():
        try:
            compile_java(text)
        except re.error as error:
            return str(invalid(key, text, f"Syntax error in regular expression: {error}"))
    return None


def _positive_or_broker(what: str) -> Validator:
    def check(key: str, value: Any) -> str | None:
        if value is None or value == BROKER_DEFAULT or value > 0:
            return None
        return str(invalid(key, value, f"{what}, or -1 to use the broker's default"))

    return check


_check_replicas = _positive_or_broker(
    "Replication factor must be positive and not larger than the number of brokers in the Kafka "
    "cluster"
)
_check_partitions = _positive_or_broker("Number of partitions must be positive")


def group_keys(config: Mapping[str, str | None]) -> ConfigDef:
    """Return the keys of the groups of one configuration, none when it has no groups."""
    if not any(key.startswith(PREFIX) for key in config if key != PREFIX + "groups"):
        return ConfigDef()
    return ConfigDef(key for name in _names(config) for key in _keys(name))


def _names(config: Mapping[str, str | None]) -> list[str]:
    groups = list_names(PREFIX + "groups", config.get(PREFIX + "groups"))
    return [DEFAULT_GROUP, *(name for name in groups if name != DEFAULT_GROUP)]


def _keys(group: str) -> list[ConfigKey]:
    """Return the keys of a group; what another group leaves out comes from ``default``."""
    default = group == DEFAULT_GROUP
    required = REQUIRED if default else None
    rows: list[tuple[str, Any, str, Validator]] = [
        ("include", [".*"] if default else REQUIRED, "Inclusion Topic Pattern", _patterns),
        ("exclude", [], "Exclusion Topic Pattern", _patterns),
        ("replication.factor", required, "Replication Factor for Topics", _check_replicas),
        ("partitions", required, "Partition Count for Topics", _check_partitions),
    ]
    return [
        ConfigKey(
            f"{PREFIX}{group}.{name}",
            "LIST" if number < 3 else ("SHORT" if number == 3 else "INT"),
            value,
            "LOW",
            f"{title} in the group {group}.",
            group,
            number,
            "LONG",
            f"{title} {'for' if number < 3 else 'in'} {group}",
            check,
        )
        for number, (name, value, title, check) in enumerate(rows, start=1)
    ]


def parse_groups(config: Mapping[str, str]) -> list[Group]:
    """Return the groups in the order they are tried; none when there are none.

    :raises ConfigError: a bad value, as validation reports it.
    """
    values = group_keys(config).parse(config)
    if not values:
        return []
    names = _names(config)
    ordered = [*names[1:], DEFAULT_GROUP]
    return [_group(name, values, config) for name in ordered]


def _group(name: str, values: Mapping[str, Any], config: Mapping[str, str]) -> Group:
    prefix, default = f"{PREFIX}{name}.", f"{PREFIX}{DEFAULT_GROUP}."
    include, exclude, replicas, partitions = (
        values[default + key] if values[prefix + key] is None else values[prefix + key]
        for key in _OWN
    )
    below = settings_below(config, prefix)
    settings = {key: text for key, text in below.items() if key not in _OWN}
    return Group(name, _compile(include), _compile(exclude), replicas, partitions, settings)


def _compile(texts: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    return tuple(map(compile_java, texts))


class GroupTopicCreator:
    """Creates the topics of one task; requests the metadata of each topic once."""

    def __init__(
        self,
        topics: Topics,
        groups: Sequence[Group],
        *,
        enabled: bool,
        fence: Fence | None = None,
    ) -> None:
        self._topics = topics
        self._fence = fence or Fence()
        self._groups = groups
        self._enabled = enabled
        self._partitions: dict[str, int] = {}

    def ensure(self, topic: str) -> int:
        """Return the number of partitions of a topic, after creating it if need be."""
        known = self._partitions.get(topic)
        if known is None:
            try:
                known = self._find_or_create(topic)
            except StopError as error:
                # That of a refused message speaks of settings, which are not the cause here.
                remedy = "" if isinstance(error, ProduceError) else error.remedy
                text = f"Topic {topic} cannot be used: {error}"
                raise type(error)(text, remedy or _REMEDY) from None
            self._partitions[topic] = known
        return known

    def _find_or_create(self, topic: str) -> int:
        """Find or create a topic, retrying for as long as the broker does not answer.

        A restart of the task would not help, and would repeat messages.
        """
        while True:
            try:
                return self._topics.partitions(topic) or self._create(topic)
            except BrokerUnavailableError as error:
                self._fence.wait(f"Waiting for Kafka: {error}")
                time.sleep(_AGAIN)

    def forget(self, topic: str) -> None:
        """Request the metadata of a topic again at its next use."""
        self._partitions.pop(topic, None)

    def reachable(self) -> bool:
        """Return whether the cluster has just answered; never waits."""
        return self._topics.reachable()

    def writable(self, topics: Sequence[str]) -> bool:
        """Return whether all partitions have a leader and all their replicas; never waits."""
        return self._topics.writable(topics)

    def close(self) -> None:
        """End the connections; a later call connects again."""
        self._topics.close()

    def _create(self, topic: str) -> int:
        if not self._enabled:
            raise StopError(
                "it does not exist, and the worker must not create it "
                "(topic.creation.enable=false).",
                "Create the topic, then restart the task.",
            )
        groups = (item for item in self._groups if item.matches(topic))
        group = next(groups, _BROKERS_CHOICE)
        self._topics.create(topic, group.partitions, group.replicas, group.settings)
        return self._topics.partitions(topic) or max(group.partitions, 1)
