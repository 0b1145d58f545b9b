"""The core gives large values to librdkafka instead of copying them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from confluent_kafka import KafkaError

from connector import native
from connector.converters.json import JsonConverter
from connector.data.record import Message
from connector.kafka.client import Client
from tests.fixtures.clients import Opened, Receipt, flush, mocked
from tests.unit.mysql.binlog import events_as_bytes as written
from tests.unit.native.orders import NO_SCHEMAS, options, orders
from tests.unit.native.row_messages import change, in_python
from tests.unit.native.row_messages import written as written_messages

pytestmark = pytest.mark.skipif(not native.AVAILABLE, reason="the native core is not built")
LARGE = 8 << 10  # of `messages.rs`
SIZES = [0, 10, LARGE - 500, LARGE - 1, LARGE, LARGE + 1, 100, 65_535, 65_536, 200_000, 1, LARGE]


@pytest.fixture
def opened() -> Iterator[Opened]:
    clients = Opened("native")
    yield clients
    clients.close()


def orders_of(*sizes: int) -> tuple[Sequence[Message], list[Message]]:
    """Return the messages of rows with texts of some sizes, as the core and as Python write them.

    Each delete is two messages, of which one is a tombstone.
    """
    known = orders()
    image = b"".join(
        known.table.image((number, b"x" * size), (True, True)) for number, size in enumerate(sizes)
    )
    event = known.event(written.DELETE, image)
    rows = known.plan().rows(event)
    assert native.is_native(rows)
    values = JsonConverter(NO_SCHEMAS)
    ours = written_messages(options(), values, change(known, event, rows))
    python = written_messages(options(), values, change(known, event, in_python(known, event)))
    assert not isinstance(ours, list)
    return ours, list(python)


def queue_all(client: Client, messages: Sequence[Message], topic: str) -> None:
    queued = client.queue(native.joined([messages]), {topic: 0}, Receipt())
    size = queued.size
    assert queued == (len(messages), size, None, None)
    flush(client)


def contents(messages: Sequence[Message]) -> list[tuple[bytes | None, bytes | None]]:
    return [(message.key, message.value) for message in messages]


def test_a_value_that_was_given_away_is_not_read_again(opened: Opened) -> None:
    """It must not look like a tombstone."""
    client = mocked(opened, topic=orders_of(1)[1][0].topic)
    for sizes in [(LARGE, LARGE), (LARGE, 1)]:
        ours, expected = orders_of(*sizes)
        assert list(ours) == expected
        queue_all(client, ours, expected[0].topic)
        with pytest.raises(ValueError, match="has been sent"):
            list(ours)
        again = client.queue(native.joined([ours]), {expected[0].topic: 0}, Receipt())
        assert (again.messages, type(again.error)) == (0, ValueError)
    small, expected = orders_of(1, 2)
    queue_all(client, small, expected[0].topic)
    assert list(small) == expected


def test_a_full_queue_refuses_a_large_value_and_leaves_those_behind_it(opened: Opened) -> None:
    ours, expected = orders_of(LARGE, LARGE, LARGE)
    topic = expected[0].topic
    client = mocked(opened, topic=topic, queue_buffering_max_messages=2)
    waiting = native.joined([ours])
    sent = 0
    while sent < len(expected):
        count, _, refused, error = client.queue(waiting, {topic: 0}, Receipt())
        sent += count
        assert refused == (expected[sent] if sent < len(expected) else None)
        if refused is not None:
            assert isinstance(error, KafkaError)
            flush(client)
            assert client.queue(iter([refused]), {topic: 0}, Receipt()).messages == 1
            sent += 1
            flush(client)


@pytest.mark.parametrize("partition", [0, 99])
def test_a_value_that_is_refused_can_still_be_read(opened: Opened, partition: int) -> None:
    """It is too large, or the topic has no such partition."""
    ours, expected = orders_of(20_000, LARGE)
    topic = expected[0].topic
    client = mocked(opened, topic=topic, message_max_bytes=100_000 if partition else 15_000)
    for _ in range(2):
        queued = client.queue(native.joined([ours]), {topic: partition}, Receipt())
        assert (queued.messages, queued.refused) == (0, expected[0])
    assert list(ours) == expected


def test_large_values_are_reported_as_they_were_given(opened: Opened) -> None:
    ours, expected = orders_of(*SIZES)
    assert list(ours) == expected
    client = opened.open(bootstrap_servers="127.0.0.1:1")
    receipt = Receipt()
    client.queue(native.joined([ours]), {expected[0].topic: 0}, receipt)
    client.purge()
    flush(client)
    found = [(one.key(), one.value()) for _, one in receipt.failed]
    assert sorted(found, key=str) == sorted(contents(expected), key=str)
