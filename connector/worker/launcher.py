"""Builds a task from a configuration: secrets, converters, transforms and Kafka clients."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from connector.config import settings_below
from connector.errors import ConfigError
from connector.fence import Fence
from connector.kafka.config import client_config
from connector.kafka.keys import ClientKind
from connector.kafka.topics import Topics
from connector.plugin import (
    Component,
    Converter,
    HeaderConverter,
    MetricsRegistry,
    Plugins,
    Predicate,
    Report,
    Task,
    TaskContext,
    TaskConverters,
    Transform,
    TransformStep,
)
from connector.worker.claims import Claims
from connector.worker.client_overrides import overrides
from connector.worker.config_providers import Providers
from connector.worker.connector_config import CONVERTERS
from connector.worker.nested_plugins import Groups, aliases, group_by_alias
from connector.worker.offsets.stores import OffsetStores
from connector.worker.topic_creation import GroupTopicCreator, parse_groups
from connector.worker.worker_config import WorkerConfig

# Java's default partitioner: a key must go to the partition it went to before.
_PRODUCER: Final = {"acks": "all", "partitioner": "murmur2_random"}


class Launcher:
    """Builds the tasks of one worker."""

    def __init__(
        self,
        worker: WorkerConfig,
        plugins: Plugins,
        providers: Providers,
        offsets: OffsetStores,
        metrics: MetricsRegistry,
        claims: Claims,
    ) -> None:
        self._worker = worker
        self._plugins = plugins
        self._providers = providers
        self._offsets = offsets
        self._metrics = metrics
        self.claims = claims

    def create_task(
        self,
        name: str,
        raw: Mapping[str, str | None],
        report: Report,
        topics_used: Callable[[Iterable[str]], None],
    ) -> Task:
        """Build the task of a connector.

        :raises ConfigError: a secret, class or setting cannot be used; the text names it.
        :raises StopError: another connector holds what this one claims.
        :raises TransientError: the connector's own offsets topic cannot be read.
        """
        for fault in self._providers.find_unresolved(raw).values():
            raise ConfigError(fault)
        config = self._providers.resolve(raw)
        connector = self._plugins.connector(config["connector.class"])
        self.claims.reserve(name, connector.claims(config))
        clients = {kind: self._client(name, config, kind) for kind in _CLIENTS}
        fence = Fence()
        context = TaskContext(
            connector=name,
            task=0,
            config=config,
            worker=self._worker.properties,
            offsets=self._offsets.store_of(config),
            topics=self._topic_creator(config, clients["admin"], fence),
            report=report,
            topics_used=topics_used,
            converters=self._converters(config),
            transforms=self._transforms(config),
            producer=clients["producer"],
            consumer=clients["consumer"],
            admin=clients["admin"],
            metrics=self._metrics,
            flush_interval=self._worker.seconds("offset.flush.interval.ms"),
            flush_timeout=self._worker.seconds("offset.flush.timeout.ms"),
            fence=fence,
        )
        return connector.create_task(context)

    def _topic_creator(
        self, config: Mapping[str, str], admin: Mapping[str, Any], fence: Fence
    ) -> GroupTopicCreator:
        enabled = self._worker["topic.creation.enable"]
        groups = parse_groups(config) if enabled else []
        return GroupTopicCreator(Topics(admin, fence), groups, enabled=enabled, fence=fence)

    def _client(self, name: str, config: Mapping[str, str], kind: ClientKind) -> dict[str, Any]:
        """Merge as Connect does: worker's prefix above its brokers, the connector above both."""
        settings = {
            "client.id": f"connector-{_CLIENTS[kind]}-{name}-0",
            **self._worker.client_settings(kind),
            **overrides(config, kind),
        }
        base = _PRODUCER if kind == "producer" else {}
        return {**base, **client_config(settings, kind)}

    def _converters(self, config: Mapping[str, str]) -> TaskConverters:
        header = self._component("header", config)
        if not isinstance(header, HeaderConverter):
            raise _unusable(header, "header converter")
        return TaskConverters(
            self._converter("key", config), self._converter("value", config), header
        )

    def _converter(self, role: str, config: Mapping[str, str]) -> Converter:
        component = self._component(role, config)
        if not isinstance(component, Converter):
            raise _unusable(component, "converter")
        return component

    def _component(self, role: str, config: Mapping[str, str]) -> Component:
        """Build a converter; one that the connector names takes no settings from the worker."""
        key = f"{role}.converter"
        source = config if key in config else self._worker.properties
        class_name = source.get(key) or self._worker[key]
        component = self._plugins.component(class_name, CONVERTERS[key])
        return component({**settings_below(source, key + "."), "converter.type": role})

    def _transforms(self, config: Mapping[str, str]) -> list[TransformStep]:
        found = group_by_alias(config, "transforms", aliases(config, "transforms"))
        predicates = group_by_alias(config, "predicates", aliases(config, "predicates"))
        return [self._step(alias, found[alias], predicates) for alias in found]

    def _step(
        self, alias: str, settings: Mapping[str, str], predicates: Groups[str]
    ) -> TransformStep:
        transform = self._plugins.component(settings.get("type", ""), "transformation")(settings)
        if not isinstance(transform, Transform):
            raise _unusable(transform, "transform")
        predicate = settings.get("predicate")
        return TransformStep(
            alias,
            transform,
            self._predicate(predicate, predicates) if predicate else None,
            settings.get("negate", "false").strip().lower() == "true",
        )

    def _predicate(self, alias: str, predicates: Groups[str]) -> Predicate:
        settings = predicates.get(alias)
        if settings is None:
            raise ConfigError(f"The predicate '{alias}' is not listed under 'predicates'.")
        predicate = self._plugins.component(settings.get("type", ""), "predicate")(settings)
        if not isinstance(predicate, Predicate):
            raise _unusable(predicate, "predicate")
        return predicate


def _unusable(component: Component, role: str) -> ConfigError:
    return ConfigError(f"{type(component).__name__} cannot be used as a {role}.")


_CLIENTS: Final[dict[ClientKind, str]] = {
    "producer": "producer",
    "consumer": "consumer",
    "admin": "adminclient",
}
