"""Lists topics and their offsets with the Kafka client in Spark's JVM."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped] # it has no types
from pyspark.sql import SparkSession

from sparksink.config.source import Source
from sparksink.errors import SinkError

Offsets = Mapping[str, Mapping[int, tuple[int, int]]]
"""Topic → partition → offsets of the first message and after the last."""

_BYTES = "org.apache.kafka.common.serialization.ByteArrayDeserializer"


def read_offsets(spark: SparkSession, source: Source, topics: str) -> Offsets:
    """Return the matching topics with the offsets of each partition.

    :raises SinkError: the brokers do not respond.
    """
    jvm: Any = spark._jvm  # noqa: SLF001 - the only way to Spark's Kafka client
    settings = jvm.java.util.Properties()
    for key, value in _settings(source).items():
        settings.put(key, value)
    try:
        consumer = jvm.org.apache.kafka.clients.consumer.KafkaConsumer(settings)
        try:
            return _list_offsets(jvm, consumer, topics)
        finally:
            consumer.close()
    except Py4JJavaError as error:
        raise SinkError(f"Kafka does not respond: {error.java_exception.getMessage()}") from error


def _settings(source: Source) -> Mapping[str, str]:
    return {
        "bootstrap.servers": source.bootstrap_servers,
        "key.deserializer": _BYTES,
        "value.deserializer": _BYTES,
        "default.api.timeout.ms": "15000",
        **source.kafka,
    }


def _list_offsets(jvm: Any, consumer: Any, topics: str) -> Offsets:
    partitions = jvm.java.util.ArrayList()
    for topic, infos in dict(consumer.listTopics()).items():
        if re.fullmatch(topics, topic):
            for info in infos:
                partitions.add(jvm.org.apache.kafka.common.TopicPartition(topic, info.partition()))
    starts, ends = consumer.beginningOffsets(partitions), consumer.endOffsets(partitions)
    found: dict[str, dict[int, tuple[int, int]]] = {}
    for partition in partitions:
        bounds = (int(starts[partition]), int(ends[partition]))
        found.setdefault(partition.topic(), {})[partition.partition()] = bounds
    return found
