"""What both libraries that send messages do: confluent-kafka, and the native core."""

from __future__ import annotations

import logging
import random
import threading
import uuid
from collections.abc import Iterator
from typing import Any
from weakref import WeakSet

import pytest
from confluent_kafka import KafkaError, KafkaException

from connector import native
from connector.data.record import Message
from connector.kafka.client import Client
from connector.kafka.partitioners import murmur2
from tests.fixtures.clients import Opened, Receipt, flush, mocked
from tests.fixtures.topics import Topics


@pytest.fixture(params=["python", "native"])
def opened(request: pytest.FixtureRequest) -> Iterator[Opened]:
    if request.param == "native" and not native.AVAILABLE:
        pytest.skip("the native core is not built")
    clients = Opened(request.param)
    yield clients
    clients.close()


def test_messages_arrive_as_they_were_sent(opened: Opened, topics: Topics) -> None:
    """Random messages to several partitions, in the order in which they were sent."""
    chance = random.Random(opened.library)
    name = f"clients-{uuid.uuid4().hex}"
    topics.create(name, partitions=3)
    sent = [message(chance, name, number) for number in range(3000)]
    client = opened.open(bootstrap_servers=topics.bootstrap)
    receipt = Receipt()
    queued = client.queue(iter(sent), {name: -1}, receipt)
    assert queued == (len(sent), sum(len(one.value or b"") for one in sent), None, None)
    flush(client)
    arrived = topics.read(name)
    assert not receipt.failed
    for partition in range(3):
        expected = [one for one in sent if partition_of(one) == partition]
        found = [one for one in arrived if one.partition == partition and number_of(one) != b"?"]
        assert [(one.key, one.value, one.headers) for one in found] == [
            (one.key, one.value, tuple(one.headers or ())) for one in expected
        ]
        for one, other in zip(expected, found, strict=True):
            assert one.timestamp in (None, other.timestamp)
    without_key = [one for one in sent if partition_of(one) is None]
    assert len(arrived) == len(sent)
    assert sorted(number_of(one) for one in arrived).count(b"?") == len(without_key)
    topics.delete([name])


def message(chance: random.Random, topic: str, number: int) -> Message:
    """Return a message; the partition of one that has neither a key nor a number is random."""
    key = chance.choice([None, b"", b"k", b"%d" % number, "é€".encode(), bytes(range(256))])
    partition = chance.choice([None, None, None, 0, 2])
    text = b"?" if key is None and partition is None else b"%d" % number
    values: list[bytes | None] = [text, text, text + b" " * 5000, text + bytes(3)]
    value = chance.choice(values if text == b"?" else [*values, None, b""])
    headers = chance.choice([None, [], [("a", b"1"), ("é", None), ("a", b"")], [("", text)]])
    return Message(topic, partition, key, value, headers, chance.choice([None, 1, 1764270000123]))


def number_of(one: Any) -> bytes:
    return (one.value or b"")[:1]


def partition_of(one: Message) -> int | None:
    if one.partition is not None:
        return one.partition
    return None if one.key is None else murmur2(one.key) % 3


def test_a_full_queue_refuses_a_message_and_leaves_those_behind_it(opened: Opened) -> None:
    client = mocked(opened, queue_buffering_max_messages=2)
    messages = [Message("t", None, b"k", value) for value in (b"1", b"22", b"333", b"4444")]
    waiting = iter(messages)
    count, size, refused, error = client.queue(waiting, {"t": 0}, Receipt())
    assert (count, size, refused) == (2, 3, messages[2])
    assert isinstance(error, KafkaError)
    assert error.name() == "_QUEUE_FULL"
    assert list(waiting) == messages[3:]
    assert len(client) == 2
    flush(client)


def test_a_topic_whose_partitions_are_not_known_ends_the_queuing(opened: Opened) -> None:
    client = mocked(opened)
    messages = [Message("t", None, None, b"1"), Message("other", 0, None, b"2")]
    waiting = iter([*messages, Message("t", None, None, b"3")])
    assert client.queue(waiting, {"t": 0}, Receipt()) == (1, 1, messages[1], None)
    assert len(list(waiting)) == 1
    flush(client)


def test_a_partition_that_a_topic_does_not_have_is_refused(opened: Opened) -> None:
    client = mocked(opened)
    wrong = Message("t", 99, None, b"1")
    count, _, refused, error = client.queue(iter([wrong]), {"t": 0}, Receipt())
    assert (count, refused) == (0, wrong)
    assert isinstance(error, KafkaError)
    assert error.name() == "_UNKNOWN_PARTITION"


def test_a_message_that_is_too_large_is_refused(opened: Opened) -> None:
    client = mocked(opened, message_max_bytes=1000)
    large = Message("t", 0, None, bytes(2000))
    error = client.queue(iter([large]), {"t": 0}, Receipt()).error
    assert isinstance(error, KafkaError)
    assert error.code() == KafkaError.MSG_SIZE_TOO_LARGE
    assert error.str() == "Unable to produce message: Broker: Message size too large"


def test_an_error_of_the_iterator_keeps_what_was_queued(opened: Opened) -> None:
    client = mocked(opened)

    def broken() -> Iterator[Message]:
        yield Message("t", None, None, b"1")
        raise BufferError("broken")  # not that of a full queue

    count, size, refused, error = client.queue(broken(), {"t": 0}, Receipt())
    assert (count, size, refused) == (1, 1, None)
    assert isinstance(error, BufferError)
    assert len(client) == 1
    flush(client)


def test_receipts_are_held_until_their_messages_have_arrived(opened: Opened) -> None:
    """Each of many receipts by itself, with some messages each, in any order."""
    client = mocked(opened)
    held: WeakSet[Receipt] = WeakSet()
    chance = random.Random(1)
    receipts = [Receipt() for _ in range(50)]
    held.update(receipts)
    for number in range(500):
        one = Message("t", None, b"%d" % number, b"v")
        assert client.queue(iter([one]), {"t": 0}, chance.choice(receipts)).messages == 1
    receipts.clear()
    assert len(held) > 40
    flush(client)
    assert not held


def test_a_refused_message_leaves_no_receipt(opened: Opened) -> None:
    client = mocked(opened)
    receipt = Receipt()
    held = WeakSet([receipt])
    for _ in range(3):
        assert client.queue(iter([Message("t", 99, None, b"1")]), {"t": 0}, receipt).error
        assert client.queue_first(Message("t", 99, None, b"1"), 99, receipt)
    del receipt
    assert not held


def test_purged_messages_fail(opened: Opened) -> None:
    client = mocked(opened, linger_ms=60_000)
    failed: list[tuple[Any, Any]] = []
    messages = [Message("t", None, b"k", b"v%d" % number) for number in range(3)]
    client.queue(iter(messages), {"t": 0}, Receipt(failed))
    client.queue(iter([Message("t", None, None, None)]), {"t": 0}, Receipt(failed))
    purge = threading.Thread(target=client.purge)
    purge.start()
    purge.join()
    flush(client)
    assert {(m.topic(), m.key(), m.value()) for _, m in failed} == {
        ("t", b"k", b"v0"),
        ("t", b"k", b"v1"),
        ("t", b"k", b"v2"),
        ("t", None, None),
    }
    assert len(failed) == 4
    names = {"_PURGE_QUEUE": "Local: Purged in queue", "_PURGE_INFLIGHT": "Local: Purged in flight"}
    assert {(error.name(), error.str()) for error, _ in failed} <= set(names.items())


def test_messages_expire(opened: Opened) -> None:
    client = opened.open(message_timeout_ms=50, bootstrap_servers="127.0.0.1:1", linger_ms=1)
    receipt = Receipt()
    assert client.queue_first(Message("t", 0, b"k", b"v"), 0, receipt) is None
    flush(client)
    [(error, _)] = receipt.failed
    assert error.name() == "_MSG_TIMED_OUT"
    assert any(error.name() == "_TRANSPORT" for error in opened.errors)


def test_a_fatal_error_is_reported_once_and_ends_the_client(opened: Opened, topics: Topics) -> None:
    """With this setting, a batch that a broker refuses for good is fatal."""
    name = f"clients-{uuid.uuid4().hex}"
    topics.create(name, max_message_bytes=1000)
    client = opened.open(bootstrap_servers=topics.bootstrap, enable_gapless_guarantee=True)
    receipt = Receipt()
    assert client.queue_first(Message(name, 0, b"k", bytes(5000)), 0, receipt) is None
    raised: list[KafkaError] = []
    for _ in range(100):
        try:
            client.poll(0.1)
        except KafkaException as error:  # confluent-kafka
            raised.append(error.args[0])
        fatal = [error for error in [*opened.errors, *raised] if error.fatal()]
        if fatal and receipt.failed:
            break
    assert [error.name() for error in fatal] == ["_GAPLESS_GUARANTEE"]
    [(refusal, _)] = receipt.failed
    assert refusal.name() == "MSG_SIZE_TOO_LARGE"
    refused = client.queue(iter([Message(name, 0, b"k", b"v")]), {name: 0}, receipt).error
    assert isinstance(refused, KafkaError)
    assert refused.name() == "_FATAL"
    client.close()
    topics.delete([name])


def test_lines_of_the_library_are_logged(opened: Opened, caplog: pytest.LogCaptureFixture) -> None:
    client = opened.open(bootstrap_servers="127.0.0.1:1", quiet=False)
    with caplog.at_level(logging.INFO):
        for _ in range(50):
            client.poll(0.1)
            if caplog.messages:
                break
    [line, *_] = [one for one in caplog.messages if "Connect to ipv4#127.0.0.1:1 failed" in one]
    assert line.startswith("FAIL [rdkafka#producer-")


def test_refused_settings_say_why(opened: Opened) -> None:
    with pytest.raises(KafkaException, match="Invalid value for configuration property"):
        opened.open(acks="some")
    with pytest.raises(KafkaException, match=r'No such configuration property: "no\.such\.key"'):
        opened.open(no_such_key=1)
    with pytest.raises(KafkaException, match="must be"):
        opened.open(enable_idempotence="true", max_in_flight=6)


def test_a_closed_client_is_empty_and_may_be_purged(opened: Opened) -> None:
    client = mocked(opened, linger_ms=60_000)
    receipt = Receipt()
    held = WeakSet([receipt])
    client.queue(iter([Message("t", None, None, b"1")]), {"t": 0}, receipt)
    client.purge()
    client.poll(0)
    client.close()
    del receipt
    assert not held
    assert len(client) == 0
    client.purge()
    client.close()


def test_other_threads_ask_for_the_length_while_it_is_closed(opened: Opened) -> None:
    for _ in range(20):
        client = mocked(opened)
        ended = threading.Event()

        def ask(client: Client = client, ended: threading.Event = ended) -> None:
            while not ended.is_set():
                len(client)
                client.purge()

        threads = [threading.Thread(target=ask) for _ in range(3)]
        for thread in threads:
            thread.start()
        client.queue(iter([Message("t", None, None, b"1")] * 100), {"t": 0}, Receipt())
        client.poll(0.01)
        client.close()
        ended.set()
        for thread in threads:
            thread.join(10)
            assert not thread.is_alive()


def test_an_iterator_of_messages_may_poll_its_own_client(opened: Opened) -> None:
    """It waits for a schema registry: what it yielded before may have arrived meanwhile."""
    client = mocked(opened)
    receipts = [Receipt(), Receipt()]
    held = WeakSet(receipts)

    def waiting() -> Iterator[Message]:
        for number in range(20):
            yield Message("t", None, b"k", b"v")
            if number % 5 == 0:
                client.queue(iter([Message("t", 0, b"k", b"o")]), {"t": 0}, receipts[1])
                flush(client)

    assert client.queue(waiting(), {"t": 0}, receipts[0]).messages == 20
    assert len(held) == 2
    receipts.clear()
    flush(client)
    assert not held
