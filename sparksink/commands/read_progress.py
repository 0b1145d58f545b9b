"""The offsets of batches, from Spark's checkpoint."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial

from sparksink.commands.lost_messages import committed_offsets
from sparksink.files import Files
from sparksink.sink import Sink
from sparksink.source import routed_tables
from sparksink.source.routes import Routes
from sparksink.state.snapshots import RECORDED, Offsets, ReadProgress


def read_progress(sink: Sink, batch: int) -> ReadProgress:
    """Return the progress of a running batch.

    Spark writes the offsets of a batch before it starts; the last line belongs to the first source.
    """
    if sink.config.source.kind == "file":
        return RECORDED
    checkpoint = sink.config.checkpoint.rstrip("/")
    text = Files(sink.spark).read(f"{checkpoint}/offsets/{batch}")
    reached: Offsets = json.loads(text.splitlines()[-1]) if text else {}
    return ReadProgress(reached, partial(present_offsets, sink))


def stored_progress(sink: Sink, also: Offsets | None = None) -> ReadProgress:
    """Return how far the stream has read, for messages that are applied again.

    ``also`` are the end offsets of partitions that are read from their beginning now.
    """
    if sink.config.source.kind == "file":
        return replace(RECORDED, streams=False)
    reached = {**committed_offsets(Files(sink.spark), sink.config.checkpoint.rstrip("/"))}
    for topic, partitions in (also or {}).items():
        before = reached.get(topic, {})
        ends = {number: max(end, before.get(number, 0)) for number, end in partitions.items()}
        reached[topic] = {**before, **ends}
    return ReadProgress(reached, partial(present_offsets, sink), streams=False)


def present_offsets(sink: Sink) -> Offsets:
    """Return the present end offsets of the stream's partitions; empty for recorded messages."""
    transactions = sink.config.source.transaction_topic
    if sink.config.source.kind == "file":
        return {}
    return {
        topic: {str(number): end for number, (_, end) in partitions.items()}
        for topic, partitions in sink.messages.offsets(sink.messages.pattern).items()
        if topic == transactions or sink.messages.is_table_topic(topic)
    }


def tables_behind(sink: Sink, read: Offsets, present: Offsets) -> set[str]:
    """Return the tables whose topics have unread messages."""
    late = {
        topic
        for topic, partitions in present.items()
        for partition, end in partitions.items()
        if end > read.get(topic, {}).get(partition, 0)
    }
    routes = Routes(sink.config)
    known = [name for name in sink.state.topics() if routed_tables.is_table(name)]
    return {routes.route(name).table for name in known if routed_tables.topic_of(name) in late}
