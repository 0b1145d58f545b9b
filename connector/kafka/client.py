"""What a task's producer needs of a library that sends messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

from confluent_kafka import KafkaError

from connector.data.record import Message

Failed = Callable[[Any, Any], None]  # error and message


class Queued(NamedTuple):
    """How many messages were queued, how many bytes their values have, and what ended it.

    ``refused`` is the message that was not queued: for ``error``, or, without one, because nothing
    says where the messages of its topic go. An ``error`` without a message comes from the iterator.
    """

    messages: int
    size: int
    refused: Message | None = None
    error: KafkaError | BaseException | None = None


class Client(Protocol):
    """Sends messages. One thread uses it; any may ask for its length, and purge.

    Messages that fail are reported to their ``failed`` during `poll` and `flush`, which is held
    until a message is delivered or has failed. These raise `confluent_kafka.KafkaException` for
    errors that concern no message, or pass them to the setting ``error_cb``.
    """

    def queue(
        self, messages: Iterator[Message], partitions: dict[str, int], failed: Failed
    ) -> Queued:
        """Queue messages until one is refused; ``partitions`` is where those of a topic go."""
        ...

    def queue_first(self, message: Message, partition: int, failed: Failed) -> KafkaError | None:
        """Queue the message for a partition; return why that is not possible."""
        ...

    def poll(self, seconds: float) -> None:
        """Wait so long for a report."""

    def flush(self, seconds: float) -> None:
        """Send what is queued without waiting for more; wait so long until all is answered."""

    def purge(self) -> None:
        """Drop all messages, which fail; any thread may do so."""

    def close(self) -> None:
        """End the threads of the library, whatever is queued."""

    def __len__(self) -> int: ...
