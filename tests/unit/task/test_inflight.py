"""The offset moves only behind acknowledgements, in whatever order they come."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from connector.task.inflight import IDLE_SECONDS, DeliveryReceipt, Inflight


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Sent:
    """A message that a producer has: it holds the receipt until it knows what became of it."""

    receipt: DeliveryReceipt | None

    def delivered(self) -> None:
        self.receipt = None

    def refused(self, error: str, message: str) -> None:
        assert self.receipt is not None
        self.receipt(error, message)
        self.receipt = None


@dataclass
class Task:
    """Sends messages as a task does; what becomes of them is up to the tests."""

    clock: Clock = field(default_factory=Clock)
    failures: list[tuple[Any, Any]] = field(default_factory=list)
    goes_on: bool = False

    def __post_init__(self) -> None:
        self.inflight = Inflight(self._fail, self.clock)

    def _fail(self, error: Any, message: Any) -> bool:
        self.failures.append((error, message))
        return self.goes_on

    def send(self) -> Sent:
        span = self.inflight.span
        span.sent += 1
        return Sent(span.receipt)

    def close(self, number: int, *, is_due: bool = False) -> None:
        self.inflight.close(lambda: {"pos": number}, is_due=is_due)

    def committable(self) -> int | None:
        offset = self.inflight.committable()
        return None if offset is None else int(offset["pos"])


SENT = st.lists(st.integers(0, 3), min_size=1, max_size=6)  # messages between two positions


@settings(max_examples=100)
@given(SENT, st.data())
def test_an_offset_is_stored_when_all_before_it_is_acknowledged(
    sizes: list[int], data: st.DataObject
) -> None:
    task = Task()
    sent: list[tuple[int, Sent]] = []
    for number, size in enumerate(sizes):
        sent += [(number, task.send()) for _ in range(size)]
        task.close(number)
    order = data.draw(st.permutations(sent))
    open_numbers = [number for number, _ in sent]
    stored = -1
    for number, message in order:
        message.delivered()
        open_numbers.remove(number)
        if data.draw(st.booleans()):
            found = task.committable()
            stored = stored if found is None else found
            assert all(stored < other for other in open_numbers)
            bound = min(open_numbers, default=len(sizes))
            done = [number for number in range(bound) if sizes[number]]
            assert stored == max(done, default=-1)
    found = task.committable()
    stored = stored if found is None else found
    assert stored == max((n for n, size in enumerate(sizes) if size), default=-1)
    assert task.committable() is None


def test_a_position_that_is_due_is_stored_though_nothing_was_sent_before_it() -> None:
    task = Task()
    task.close(1)
    assert task.committable() is None
    task.close(2, is_due=True)
    assert task.committable() == 2


def test_a_span_that_is_not_closed_is_not_stored() -> None:
    task = Task()
    task.send().delivered()
    assert task.committable() is None
    task.close(1)
    assert task.committable() == 1


def test_an_offset_is_given_once() -> None:
    task = Task()
    task.send().delivered()
    task.close(1)
    assert [task.committable(), task.committable()] == [1, None]


def test_a_message_that_is_never_delivered_holds_the_offset_back() -> None:
    task = Task()
    lost = task.send()
    task.close(1)
    later = task.send()
    task.close(2)
    later.delivered()
    lost.refused("too large", "message")
    assert task.failures == [("too large", "message")]
    assert task.committable() is None


def test_a_receipt_that_somebody_keeps_does_not_matter_when_the_producer_has_nothing() -> None:
    task = Task()
    kept = task.send()
    task.close(1)
    assert task.committable() is None
    assert task.inflight.committable(settled=True) == {"pos": 1}
    lost = task.send()
    task.close(2)
    lost.refused("too large", "message")
    assert task.inflight.committable(settled=True) is None
    assert kept.receipt is not None


def test_with_reports_for_all_messages_nothing_has_to_be_released() -> None:
    task = Task()
    kept = [task.send(), task.send()]
    receipts = [message.receipt for message in kept]
    task.close(1)
    for receipt in receipts:
        assert task.committable() is None
        assert receipt is not None
        receipt(None, "message")
    assert task.committable() == 1
    assert task.failures == []


def test_a_message_that_is_given_up_counts_as_done() -> None:
    task = Task(goes_on=True)
    task.send().refused("too large", "message")
    task.close(1)
    assert task.committable() == 1


def test_a_position_with_nothing_sent_is_stored_after_a_while() -> None:
    task = Task()
    task.close(1)
    assert task.committable() is None
    task.clock.now += IDLE_SECONDS - 0.1
    task.close(2)
    assert task.committable() is None
    task.clock.now += 0.1
    task.close(3)
    assert task.committable() == 3
    task.close(4)
    assert task.committable() is None


def test_sending_restarts_the_idle_time() -> None:
    task = Task()
    task.clock.now += IDLE_SECONDS - 1
    task.send().delivered()
    task.close(1)
    assert task.committable() == 1
    task.clock.now += 2
    task.close(2)
    assert task.committable() is None


def test_an_idle_position_waits_for_what_was_sent_before() -> None:
    task = Task()
    slow = task.send()
    task.close(1)
    task.clock.now += IDLE_SECONDS
    task.close(2)
    assert task.committable() is None
    slow.delivered()
    assert task.committable() == 2


def test_an_offset_map_is_built_only_when_it_is_needed() -> None:
    task = Task()
    built = []

    def offset() -> dict[str, Any]:
        built.append(1)
        return {}

    for _ in range(3):
        task.inflight.close(offset)
    assert built == []
    for _ in range(3):
        task.send().delivered()
        task.inflight.close(offset)
    assert built == []
    assert task.inflight.committable() == {}
    assert built == [1]


def test_offsets_do_not_pile_up_until_one_is_stored() -> None:
    task = Task()
    for number in range(1000):
        task.send().delivered()
        task.close(number)
    slow = task.send()
    task.close(1000)
    for number in range(1001, 2000):
        task.send().delivered()
        task.close(number)
    assert len(task.inflight._closed) == 1001
    assert task.committable() == 999
    slow.delivered()
    task.send().delivered()
    task.close(2000)
    assert len(task.inflight._closed) == 1
    assert task.committable() == 2000
