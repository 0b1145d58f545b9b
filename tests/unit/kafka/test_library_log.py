"""The library's lines are repeated once in ten seconds; our own are left alone."""

import logging

from connector.kafka.library_log import RepeatedLineFilter

FAILED = "FAIL [rdkafka#producer-{}] [thrd:127.0.0.1:9092/1]: Connect failed (after {}ms)"


def test_the_same_line_with_other_numbers_comes_once_in_ten_seconds() -> None:
    now = 100.0
    filtered = RepeatedLineFilter(lambda: now)

    def passes(message: str) -> bool:
        return filtered.filter(logging.LogRecord("k", 30, "f", 1, message, None, None))

    assert passes(FAILED.format(1, 20))
    assert not passes(FAILED.format(2, 1000))
    assert passes("REQTMOUT [rdkafka#producer-1] [thrd:main]: Timed out")
    assert passes("Created topic t1.")
    assert passes("Created topic t2.")
    now += 10
    assert passes(FAILED.format(1, 30))
