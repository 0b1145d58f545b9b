"""Which messages have to wait for the first message to their partition."""

from __future__ import annotations

from connector.kafka.client import Failed
from connector.kafka.first_messages import BY_KEY, FirstMessages
from connector.kafka.partitioners import PARTITIONERS

ERROR = "an error"


class Reports:
    def __init__(self) -> None:
        self.found: list[object] = []

    def __call__(self, error: object, _message: object) -> None:
        self.found.append(error)


def admit(
    first: FirstMessages, failed: Reports, key: bytes = b"k", count: int = 1
) -> tuple[int, Failed]:
    admission = first.admit("t", None, key, count, failed)
    assert admission is not None
    return admission


def messages() -> FirstMessages:
    return FirstMessages(PARTITIONERS["murmur2_random"])


def test_others_wait_until_the_first_message_is_acknowledged() -> None:
    first, failed = messages(), Reports()
    sent = admit(first, failed)
    assert first.admit("t", None, b"k", 1, failed) is None
    assert first.known.get("t") is None
    del sent  # the library releases the callback
    assert first.known.get("t") == 0
    assert not failed.found


def test_after_a_failure_the_next_message_is_the_first() -> None:
    first, failed = messages(), Reports()
    sent = admit(first, failed)
    sent[1](ERROR, None)
    del sent
    assert failed.found == [ERROR]
    assert first.known.get("t") is None
    again = admit(first, failed)
    assert first.admit("t", None, b"k", 1, failed) is None
    first.withdraw("t", again[0])
    del again
    assert first.known.get("t") is None


def test_a_report_for_each_message_is_an_acknowledgement_too() -> None:
    first, failed = messages(), Reports()
    sent = admit(first, failed)
    sent[1](None, None)
    del sent
    assert failed.found == [None]
    assert first.known.get("t") == 0


def test_each_partition_has_a_first_message() -> None:
    first, failed = messages(), Reports()
    choose = PARTITIONERS["murmur2_random"]
    keys: dict[int, bytes] = {}
    for number in range(100):
        key = b"%d" % number
        keys.setdefault(choose(key, 3), key)
    for partition, key in keys.items():
        assert first.known.get("t") is None
        sent = admit(first, failed, key, 3)
        assert sent[0] == partition
        assert first.admit("t", None, key, 3, failed) is None
        assert first.admit("t", partition, b"another key", 3, failed) is None
        del sent
        assert admit(first, failed, key, 3) == (partition, failed)
    assert first.known.get("t") == BY_KEY


def test_what_is_forgotten_is_sent_alone_again() -> None:
    first, failed = messages(), Reports()
    sent = admit(first, failed)
    first.forget()
    assert first.admit("t", None, b"k", 1, failed) is None
    del sent
    first.forget()
    assert first.known.get("t") is None
