"""The broker's limit: the same records sent again, by a producer that does nothing else."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable
from typing import Final

from confluent_kafka import Producer

from bench.topics import Content, Topics
from connector.kafka.producer_defaults import DEFAULTS

_KEPT: Final = 20_000
"""The records that are kept in memory and sent in turn: for the broker all are new."""


def replay(topics: Topics, topic: str, first: int, rows: int) -> tuple[str, float]:
    """Send as many records as a topic has from an offset on; return their topic and the CPU.

    The settings are those of Millrace, the library is confluent-kafka.
    """
    records = topics.records(topic, first, min(rows, _KEPT))
    target = f"{topic}.replayed"
    topics.create(target)
    settings = {**DEFAULTS, "bootstrap.servers": topics.bootstrap, "log_level": 0}
    producer = Producer(settings)
    begun = time.process_time()
    _send(producer, target, itertools.islice(itertools.cycle(records), rows))
    return target, time.process_time() - begun


def _send(producer: Producer, topic: str, records: Iterable[Content]) -> None:
    for key, value, headers in records:
        while True:
            try:
                producer.produce(topic, value, key, 0, headers=headers)
                break
            except BufferError:
                producer.poll(0.02)
    producer.flush()
