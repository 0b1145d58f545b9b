"""Checks what a job needs: topics, registry and databases. Writes nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from sparksink.apply.batches import target_names
from sparksink.errors import ConfigError, SinkError, TableError
from sparksink.schemas.registry import SchemaRegistryClient
from sparksink.sink import Sink
from sparksink.source.kafka import Offsets
from sparksink.source.routes import Routes
from sparksink.tables.database import Database


def run_checks(sink: Sink, found: Offsets) -> Iterator[str]:
    """Yield a line for each topic and each server.

    :param found: the topics of tables.
    :raises SinkError: something is missing, or does not respond.
    :raises ConfigError: two topics would be written to one table.
    """
    source, target = sink.config.source, sink.config.target
    if not found:
        raise SinkError(f"No topic matches {source.topics}.")
    yield from _topics(sink, found)
    yield from _named_topics(sink)
    if source.schema_registry is not None:
        yield _check_server(
            "source.schema.registry", SchemaRegistryClient(source.schema_registry).check
        )
    databases = {"source.database": source.database, "target.jdbc": target.jdbc}
    for key, settings in databases.items():
        if settings is not None:
            yield _check_server(key, partial(Database(sink.spark, settings).query, "SELECT 1"))


def _check_server(key: str, request: Callable[[], object]) -> str:
    request()
    return f"{key}: available"


def _topics(sink: Sink, found: Offsets) -> Iterator[str]:
    routes, by_topic = Routes(sink.config), sink.config.source.route == "topic"
    if by_topic:
        _check_names(sink, found)
    for topic, partitions in sorted(found.items()):
        messages = sum(end - start for start, end in partitions.values())
        where = "the tables that its messages name"
        if by_topic:
            route = routes.route(topic)
            rules = sink.config.table(route.table)
            kinds = {route.mirror: rules.mirror.enabled, route.history: rules.history.enabled}
            where = " and ".join(name for name, is_kept in kinds.items() if is_kept)
        yield f"{topic} → {where}: {len(partitions)} partitions, {messages:,} messages"


def _check_names(sink: Sink, topics: Iterable[str]) -> None:
    """Refuse topics that would be written to the table of another one.

    :raises ConfigError: there is one.
    """
    names = target_names(sink.config, sink.lake, sink.state)
    names.claim(topics)
    for topic in sorted(topics):
        try:
            names.check(topic)
        except TableError as error:
            raise ConfigError(error.args[0], error.remedy) from error


def _named_topics(sink: Sink) -> Iterator[str]:
    source = sink.config.source
    named = {
        "source.ddl.topic": source.ddl_topic,
        "source.transaction.topic": source.transaction_topic,
    }
    if source.kind == "file":
        return
    for key, topic in named.items():
        if topic is not None:
            present = sink.messages.offsets(re.escape(topic)).get(topic)
            if present is None:
                raise SinkError(f"{key}: the topic {topic} does not exist.")
            messages = sum(end - start for start, end in present.values())
            yield f"{key}: {topic}, {messages:,} messages"
