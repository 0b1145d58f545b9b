"""What the producer tells of itself."""

from __future__ import annotations

from connector.data.record import Message
from connector.kafka.producer import Producer


def test_the_capacity_is_that_of_the_queue() -> None:
    assert Producer({"log_level": 0}).capacity == 100_000
    small = Producer(
        {"log_level": 0, "queue.buffering.max.messages": 2, "test.mock.num.brokers": 1}
    )
    message = Message("topic", None, None, b"v")
    taken = [small.send(message, -1, lambda _error, _message: None) for _ in range(3)]
    assert taken == [True, True, False]
    assert (small.capacity, len(small)) == (2, 2)
    small.close()
