"""Reads Kafka with librdkafka, for Spark without its Kafka jars: topics, offsets, messages.

Executors run this in Python workers, one consumer per task. Memory holds one Arrow batch and the
messages that the consumer has prefetched.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

import pyarrow as pa
from confluent_kafka import Consumer, IsolationLevel, KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec  # type: ignore[attr-defined] # documented

from sparksink.errors import ConfigError, DataLossError, SinkError
from sparksink.source.ranges import PartitionId, Range

EARLIEST: Final[Any] = OffsetSpec.earliest()  # type: ignore[no-untyped-call] # it has no types
LATEST: Final[Any] = OffsetSpec.latest()  # type: ignore[no-untyped-call] # it has no types
SCHEMA: Final = pa.schema(
    {
        "key": pa.binary(),
        "value": pa.binary(),
        "topic": pa.string(),
        "partition": pa.int32(),
        "offset": pa.int64(),
        "timestamp": pa.timestamp("us", "UTC"),
        "headers": pa.list_(pa.struct({"key": pa.string(), "value": pa.binary()})),
    }
)
"""The columns of Spark's Kafka source that the sink needs."""

_Response = TypeVar("_Response")
_END: Final = KafkaError._PARTITION_EOF  # noqa: SLF001 - its only name
_GONE: Final = KafkaError._AUTO_OFFSET_RESET  # noqa: SLF001 - as above
_PATIENCE: Final = 60.0
_TRIES: Final = 3
_AT_ONCE: Final = 256
_WAIT: Final = 0.1
_ROWS: Final = 4096
_BYTES: Final = 8 << 20
_DEFAULTS: Final = {
    "group.id": "millrace-sink",  # librdkafka requires one; nothing is committed to it
    "isolation.level": "read_committed",
    "queued.max.messages.kbytes": "16384",
}
_FIXED: Final = {
    "enable.auto.commit": "false",
    "enable.auto.offset.store": "false",
    "enable.partition.eof": "true",
}


class Client:
    """Lists topics and their offsets.

    :raises ConfigError: librdkafka refuses the settings.
    """

    def __init__(self, settings: Mapping[str, str]) -> None:
        # At the default log level it warns about each consumer setting.
        try:
            self._admin = AdminClient({"log_level": "3", **settings})
        except KafkaException as error:
            raise ConfigError(f"source.kafka: {error.args[0].str()}") from error
        uncommitted = settings.get("isolation.level") == "read_uncommitted"
        self._isolation = (
            IsolationLevel.READ_UNCOMMITTED if uncommitted else IsolationLevel.READ_COMMITTED
        )

    def partitions(self, pattern: str) -> list[PartitionId]:
        """Return the partitions of the topics whose names match.

        :raises SinkError: the brokers do not respond.
        """
        found = _retry(lambda: self._admin.list_topics(timeout=15).topics)
        return [
            PartitionId(topic, number)
            for topic, described in found.items()
            if re.fullmatch(pattern, topic)
            for number in described.partitions
        ]

    def offsets(self, partitions: Iterable[PartitionId], spec: Any) -> dict[PartitionId, int]:
        """Return an offset of each partition; -1 if no message is as late as a timestamp.

        :raises SinkError: the brokers do not respond.
        """
        specs = {TopicPartition(*one): spec for one in partitions}
        return _retry(lambda: self._list_offsets(specs)) if specs else {}

    def _list_offsets(self, specs: dict[TopicPartition, Any]) -> dict[PartitionId, int]:
        futures = self._admin.list_offsets(
            specs, isolation_level=self._isolation, request_timeout=15
        )
        return {
            PartitionId(one.topic, one.partition): future.result().offset
            for one, future in futures.items()
        }


def offset_at(millis: int) -> Any:
    """Return the offset spec of the first message at or after a time."""
    return OffsetSpec.for_timestamp(millis)


def _retry(request: Callable[[], _Response]) -> _Response:
    """Retry a request a few times, while leaders move or topics are being created.

    :raises SinkError: Kafka does not respond.
    """
    for attempt in range(_TRIES):
        try:
            return request()
        except KafkaException as error:
            fault = error.args[0]
            if attempt + 1 < _TRIES:
                time.sleep(1 + attempt)
    raise SinkError(f"Kafka does not respond: {fault.str()}")


def read_ranges(
    settings: Mapping[str, str], ranges: Sequence[Range], *, headers: bool, fails: bool
) -> Iterator[pa.RecordBatch]:
    """Yield all messages of some ranges; without ``fails`` messages that are gone are skipped.

    :raises DataLossError: messages are gone.
    :raises SinkError: the brokers do not respond.
    """
    reset = {"auto.offset.reset": "error" if fails else "earliest"}
    consumer = Consumer({**_DEFAULTS, **settings, **_FIXED, **reset})
    try:
        for one in ranges:
            yield from _batches(_read_range(consumer, one, fails=fails), headers=headers)
    finally:
        consumer.close()


def _read_range(consumer: Consumer, offsets: Range, *, fails: bool) -> Iterator[Any]:
    """Yield the messages of a range, whose last offsets may be transaction markers.

    After these comes a message beyond the range, or the end of the partition.
    """
    consumer.assign([TopicPartition(*offsets.partition, offsets.start)])
    at, error, patient_until = offsets.start, None, time.monotonic() + _PATIENCE
    while at < offsets.end:
        for message in _consume(consumer, offsets.end - at):
            error = message.error()
            if _belongs_to_range(message, offsets):
                at, patient_until = message.offset(), time.monotonic() + _PATIENCE
                if error is None and at < offsets.end:
                    if at >= offsets.start:
                        yield message
                    at += 1
        if time.monotonic() > patient_until:
            if not fails and error is not None and error.code() == _END:
                return  # the topic was created again, and is shorter now
            name = _partition_name(offsets)
            raise SinkError(f"Kafka returns no messages of {name} from offset {at} on: {error}")


def _consume(consumer: Consumer, most: int) -> list[Any]:
    """Return the next messages, no more than ``most``, so that it does not wait for others."""
    return consumer.consume(min(_AT_ONCE, most), _WAIT)


def _belongs_to_range(message: Any, offsets: Range) -> bool:
    """Return whether a message, or the event instead of it, belongs to a range.

    :raises DataLossError: the start of the range is gone.
    """
    error = message.error()
    if error is not None and error.code() == _GONE:
        name = _partition_name(offsets)
        raise DataLossError(f"Some data may have been lost: {name} has no offset {offsets.start}.")
    is_progress = error is None or error.code() == _END
    return is_progress and (message.topic(), message.partition()) == offsets.partition


def _partition_name(offsets: Range) -> str:
    return f"{offsets.partition.topic}-{offsets.partition.number}"


def _batches(messages: Iterator[Any], *, headers: bool) -> Iterator[pa.RecordBatch]:
    rows: list[tuple[Any, ...]] = []
    size = 0
    for message in messages:
        key, value = message.key(), message.value()
        _, millis = message.timestamp()
        rows.append((
            key, value, message.topic(), message.partition(), message.offset(), millis * 1000,
            _headers(message) if headers else None,
        ))  # fmt: skip
        size += len(key or b"") + len(value or b"")
        if len(rows) == _ROWS or size >= _BYTES:
            yield _batch(rows)
            rows, size = [], 0
    if rows:
        yield _batch(rows)


def _headers(message: Any) -> list[dict[str, Any]] | None:
    given = message.headers()
    return None if given is None else [{"key": key, "value": value} for key, value in given]


def _batch(rows: Sequence[tuple[Any, ...]]) -> pa.RecordBatch:
    columns = zip(*rows, strict=True)
    arrays = [pa.array(column, kind) for column, kind in zip(columns, SCHEMA.types, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)
