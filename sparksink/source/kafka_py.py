"""Kafka by librdkafka, for Spark without its Kafka jars: topics, offsets, messages of a range.

On executors this runs in Python's workers, one consumer a task. What is in memory is one Arrow
batch and what the consumer has fetched ahead.
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

EARLIEST: Final[Any] = OffsetSpec.earliest()  # type: ignore[no-untyped-call] # as it is
LATEST: Final[Any] = OffsetSpec.latest()  # type: ignore[no-untyped-call] # as it is
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
"""The columns of Spark's own Kafka source, as far as they are of use."""

_Answer = TypeVar("_Answer")
_END: Final = KafkaError._PARTITION_EOF  # noqa: SLF001 - what it is called
_GONE: Final = KafkaError._AUTO_OFFSET_RESET  # noqa: SLF001 - as above
_PATIENCE: Final = 60.0
_TRIES: Final = 3
_AT_ONCE: Final = 256
_WAIT: Final = 0.1
_ROWS: Final = 4096
_BYTES: Final = 8 << 20
_DEFAULTS: Final = {
    "group.id": "millrace-sink",  # librdkafka wants one; nothing is ever committed to it
    "isolation.level": "read_committed",
    "queued.max.messages.kbytes": "16384",
}
_FIXED: Final = {
    "enable.auto.commit": "false",
    "enable.auto.offset.store": "false",
    "enable.partition.eof": "true",
}


class Client:
    """Asks Kafka which topics there are and how far they reach.

    :raises ConfigError: librdkafka does not take the settings.
    """

    def __init__(self, settings: Mapping[str, str]) -> None:
        # Without a level it warns of each setting that is a consumer's.
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

        :raises SinkError: the brokers do not answer.
        """
        found = _retry(lambda: self._admin.list_topics(timeout=15).topics)
        return [
            PartitionId(topic, number)
            for topic, described in found.items()
            if re.fullmatch(pattern, topic)
            for number in described.partitions
        ]

    def offsets(self, places: Iterable[PartitionId], of: Any) -> dict[PartitionId, int]:
        """Return an offset of each partition; -1 where there is none at or after a moment.

        :raises SinkError: the brokers do not answer.
        """
        wanted = {TopicPartition(*place): of for place in places}
        return _retry(lambda: self._listed(wanted)) if wanted else {}

    def _listed(self, wanted: dict[TopicPartition, Any]) -> dict[PartitionId, int]:
        asked = self._admin.list_offsets(
            wanted, isolation_level=self._isolation, request_timeout=15
        )
        return {
            PartitionId(one.topic, one.partition): future.result().offset
            for one, future in asked.items()
        }


def offset_at(millis: int) -> Any:
    """Return what asks for the first message of a time or later."""
    return OffsetSpec.for_timestamp(millis)


def _retry(question: Callable[[], _Answer]) -> _Answer:
    """Ask again a few times, as leaders move and topics are just being made.

    :raises SinkError: there is no answer.
    """
    for attempt in range(_TRIES):
        try:
            return question()
        except KafkaException as error:
            fault = error.args[0]
            if attempt + 1 < _TRIES:
                time.sleep(1 + attempt)
    raise SinkError(f"Kafka does not answer: {fault.str()}")


def read_ranges(
    settings: Mapping[str, str], ranges: Sequence[Range], *, headers: bool, fails: bool
) -> Iterator[pa.RecordBatch]:
    """Yield all messages of some ranges; unless it ``fails`` those that are gone are passed over.

    :raises DataLossError: messages are gone.
    :raises SinkError: the brokers do not answer.
    """
    reset = {"auto.offset.reset": "error" if fails else "earliest"}
    consumer = Consumer({**_DEFAULTS, **settings, **_FIXED, **reset})
    try:
        for one in ranges:
            yield from _batches(_read_range(consumer, one, fails=fails), headers=headers)
    finally:
        consumer.close()


def _read_range(consumer: Consumer, wanted: Range, *, fails: bool) -> Iterator[Any]:
    """Yield the messages of a range, of which the last offsets may be marks of transactions.

    Behind those comes a message beyond the range, or the end of the partition.
    """
    consumer.assign([TopicPartition(*wanted.place, wanted.start)])
    at, error, patient_until = wanted.start, None, time.monotonic() + _PATIENCE
    while at < wanted.end:
        for message in _consume(consumer, wanted.end - at):
            error = message.error()
            if _belongs_to_range(message, wanted):
                at, patient_until = message.offset(), time.monotonic() + _PATIENCE
                if error is None and at < wanted.end:
                    if at >= wanted.start:
                        yield message
                    at += 1
        if time.monotonic() > patient_until:
            if not fails and error is not None and error.code() == _END:
                return  # it was made anew, and is shorter than it was
            raise SinkError(
                f"Kafka gives nothing of {_partition_name(wanted)} from {at} on: {error}"
            )


def _consume(consumer: Consumer, most: int) -> list[Any]:
    """Return what comes next; a list of no more waits for no more."""
    return consumer.consume(min(_AT_ONCE, most), _WAIT)


def _belongs_to_range(message: Any, wanted: Range) -> bool:
    """Return whether a message, or what came in its place, says where in the range reading is.

    :raises DataLossError: the range is no longer there.
    """
    error = message.error()
    if error is not None and error.code() == _GONE:
        raise DataLossError(
            f"Some data may have been lost: {_partition_name(wanted)} has no offset {wanted.start}."
        )
    of_it = error is None or error.code() == _END
    return of_it and (message.topic(), message.partition()) == wanted.place


def _partition_name(wanted: Range) -> str:
    return f"{wanted.place.topic}-{wanted.place.partition}"


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
