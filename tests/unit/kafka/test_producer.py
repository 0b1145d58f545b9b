"""The state that the producer reports."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from weakref import ref

import pytest

from connector.data.record import Message
from connector.kafka import producer as producers
from connector.kafka.producer import Producer
from connector.kafka.producer_defaults import DEFAULTS


def _ignore(_error: object, _message: object) -> None:
    pass


def test_the_capacity_is_that_of_the_queue() -> None:
    assert Producer({"log_level": 0}).capacity == 100_000
    mock = {"test.mock.num.brokers": 1, "allow.auto.create.topics": True}
    small = Producer({"log_level": 0, "queue.buffering.max.messages": 2, **mock})
    assert small.send((Message("topic", None, None, b""),), lambda _: 1, _ignore) is None
    assert small.flush(10)
    messages = [Message("topic", None, None, value) for value in (b"1", b"22", b"333", b"4444")]
    waiting = iter(messages)
    refused = small.send(waiting, lambda _: 1, _ignore)
    assert refused is messages[2]
    assert list(waiting) == messages[3:]
    assert (small.capacity, len(small), small.sent, small.sent_bytes) == (2, 2, 3, 3)
    small.close()


def test_what_is_given_with_a_message_is_held_until_its_fate_is_known() -> None:
    class Receipt:
        def __init__(self) -> None:
            self.errors: list[object] = []

        def __call__(self, error: object, _message: object) -> None:
            self.errors.append(error)

    mock = {"test.mock.num.brokers": 1, "allow.auto.create.topics": True}
    producer = Producer({"log_level": 0, **mock})
    delivered, refused = Receipt(), Receipt()
    held, errors = ref(delivered), refused.errors
    message = Message("topic", None, b"k", b"v", [("h", b"1")])
    assert producer.send([message], lambda _: 1, delivered) is None
    del delivered
    assert held() is not None
    assert producer.flush(10)
    assert held() is None

    assert producer.send([Message("topic", 0, b"k", b"v")], lambda _: 1, refused) is None
    held = ref(refused)
    del refused
    producer.close()  # drops what is queued
    assert held() is None
    assert len(errors) == 1


@pytest.mark.parametrize("own", [{}, {"linger.ms": 60_000}, {"queue.buffering.max.ms": 60_000}])
def test_a_push_sends_what_waits_for_others_unless_the_user_says_how_long(
    own: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(producers, "DEFAULTS", {**DEFAULTS, "linger.ms": 60_000})
    mock = {"test.mock.num.brokers": 1, "allow.auto.create.topics": True}
    producer = Producer({"log_level": 0, **mock, **own})

    def send(value: bytes) -> None:
        assert producer.send([Message("topic", 0, None, value)], lambda _: 1, _ignore) is None

    send(b"first")
    assert producer.flush(10)  # the library knows the topic now
    send(b"second")
    producer.poll(0.2)
    assert len(producer) == 1
    for _ in range(20 if own else 5_000):
        producer.push()
        if not len(producer):
            break
    assert bool(len(producer)) == bool(own)
    producer.close()


@pytest.mark.parametrize("native", [True, False])
def test_an_error_of_the_messages_does_not_keep_what_was_sent_with_it(native: bool) -> None:
    """Until Python collects cycles, it would keep the receipt and all messages."""

    class Receipt:
        def __call__(self, _error: object, _message: object) -> None: ...

    def broken() -> Iterator[Message]:
        raise ArithmeticError
        yield

    producer = Producer({"log_level": 0}, native=native)

    def send() -> ref[Receipt]:
        receipt = Receipt()
        with pytest.raises(ArithmeticError):
            producer.send(broken(), lambda _: 1, receipt)
        return ref(receipt)

    gc.collect()
    gc.disable()
    try:
        assert send()() is None
    finally:
        gc.enable()
        producer.close()
