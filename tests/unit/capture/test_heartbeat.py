"""When a heartbeat is due."""

from __future__ import annotations

from connector.capture.heartbeat import Heartbeat


class _Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_heartbeat_is_due_once_an_interval() -> None:
    clock = _Clock()
    heartbeat = Heartbeat(10, clock)
    found = []
    for _ in range(25):
        clock.now += 1
        found.append(heartbeat.due())
    assert [number for number, due in enumerate(found, 1) if due] == [10, 20]


def test_a_long_silence_is_made_up_for_by_one_heartbeat_only() -> None:
    clock = _Clock()
    heartbeat = Heartbeat(10, clock)
    clock.now += 95
    assert [heartbeat.due(), heartbeat.due()] == [True, False]


def test_a_requested_heartbeat_restarts_the_interval() -> None:
    clock = _Clock()
    heartbeat = Heartbeat(10, clock)
    clock.now += 9
    assert heartbeat.due(now=True)
    clock.now += 9
    assert not heartbeat.due()
    clock.now += 1
    assert heartbeat.due()


def test_without_an_interval_there_is_none() -> None:
    clock = _Clock()
    heartbeat = Heartbeat(0, clock)
    clock.now += 1000
    assert not heartbeat.due()
    assert not heartbeat.due(now=True)
