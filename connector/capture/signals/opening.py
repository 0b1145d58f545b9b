"""From the ``signal…`` keys to the channels that they name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from connector.capture.incremental.chunk_source import ChunkSource
from connector.capture.incremental.pace import IncrementalOptions
from connector.capture.incremental.read_only import PositionedChunks, ReadOnlySnapshot
from connector.capture.incremental.snapshot import IncrementalSnapshot
from connector.capture.notifications import Notifications
from connector.capture.selection import signal_table
from connector.capture.signals.actions import StreamControl
from connector.capture.signals.custom import CustomActions, InstalledChannel, channel_faults
from connector.capture.signals.file_channel import FileChannel
from connector.capture.signals.kafka_channel import KafkaChannel
from connector.capture.signals.new_tables import NewTables
from connector.capture.signals.processor import SignalOptions, Signals
from connector.capture.signals.rest_channel import RestChannel
from connector.capture.signals.signal import SignalChannel
from connector.config import settings_below
from connector.errors import ConfigError
from connector.kafka.config import client_config
from connector.kafka.followed_topic import FollowedTopic

CHANNELS: Final = ("source", "kafka", "file", "rest")
_CONSUMER: Final = "signal.consumer."


def open_signals(
    values: Mapping[str, Any],
    config: Mapping[str, str],
    notifications: Notifications,
    chunks: ChunkSource | None,
    stream: StreamControl,
    new_tables: NewTables | None = None,
) -> Signals | None:
    """Build the signals of a connector, None if it has no channel; nothing is connected yet.

    :param chunks: reads the chunks of incremental snapshots, None if there is no table of signals;
        the windows of `PositionedChunks` are marked by positions of the log.
    """
    enabled = values["signal.enabled.channels"] or []
    channels = list(_channels(enabled, values, config))
    if chunks is None and not channels and new_tables is None:
        return None
    return Signals(
        SignalOptions(
            signal_table(config.get("signal.data.collection")),
            reads_table="source" in enabled,
            reads_deletes=deletes_marks(values),
            interval=values["signal.poll.interval.ms"] / 1000,
        ),
        channels,
        None if chunks is None else _incremental_snapshot(values, notifications, chunks),
        stream,
        CustomActions(config),
        new_tables,
    )


def _incremental_snapshot(
    values: Mapping[str, Any], notifications: Notifications, chunks: ChunkSource
) -> IncrementalSnapshot:
    options = IncrementalOptions(
        values["incremental.snapshot.chunk.size"],
        values["skip.messages.without.change"],
        values["millrace.incremental.snapshot.chunk.ms"] / 1000,
        values["millrace.incremental.snapshot.max.lag.ms"] / 1000,
        values["millrace.incremental.snapshot.threads"],
    )
    if isinstance(chunks, PositionedChunks):
        return ReadOnlySnapshot(chunks, notifications, options)
    return IncrementalSnapshot(chunks, notifications, options)


def deletes_marks(values: Mapping[str, Any]) -> bool:
    """Whether the end of a window is the deletion of its first mark."""
    return bool(values["incremental.snapshot.watermarking.strategy"].upper() == "INSERT_DELETE")


def marks_by_position(values: Mapping[str, Any]) -> bool:
    """Whether positions of the log mark the windows of chunks; otherwise rows of a table do."""
    reads_initial = values["millrace.snapshot.resumable"] and not values["signal.data.collection"]
    return bool(values["read.only"] or reads_initial)


def client_faults(config: Mapping[str, str]) -> dict[str, str]:
    """Return what is wrong with the settings of the consumer of signals, and of custom channels."""
    own = settings_below(config, _CONSUMER)
    try:
        client_config(own, "consumer")
    except ConfigError as error:
        named = next((name for name in own if name in str(error)), next(iter(own)))
        return {_CONSUMER + named: str(error)}
    return channel_faults(config)


def _channels(
    enabled: list[str], values: Mapping[str, Any], config: Mapping[str, str]
) -> Iterator[SignalChannel]:
    prefix = values["topic.prefix"]
    if "kafka" in enabled:
        servers = values["signal.kafka.bootstrap.servers"]
        settings = {
            "bootstrap.servers": servers,
            "group.id": values["signal.kafka.groupId"],
            **settings_below(config, _CONSUMER),
        }
        wait = values["signal.kafka.poll.timeout.ms"] / 1000
        topic = values["signal.kafka.topic"] or f"{prefix}-signal"
        yield KafkaChannel(FollowedTopic(topic, client_config(settings, "consumer"), wait), prefix)
    if "file" in enabled:
        yield FileChannel(Path(values["signal.file"]))
    if "rest" in enabled:
        yield RestChannel()
    for name in enabled:
        if name not in CHANNELS:
            yield InstalledChannel(name, config)
