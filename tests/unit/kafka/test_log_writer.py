"""What a writer of the worker's topics refuses, at a broker in memory of the Kafka library."""

from __future__ import annotations

import logging

import pytest

from connector.errors import ConfigError, StopError
from connector.kafka.log import KafkaLog, LogWriter
from connector.kafka.topics import Topics

LARGE = b"x" * 2_000_000  # the broker's default limit is 1 MB


@pytest.fixture
def writer() -> LogWriter:
    return LogWriter({"test.mock.num.brokers": 1, "allow.auto.create.topics": True})


def test_an_entry_that_is_too_large_is_refused(writer: LogWriter) -> None:
    with pytest.raises(StopError, match=r"Writing to topic t: .*Message size too large"):
        writer.write("t", [(b"a", b"1"), (b"b", LARGE)])
    writer.write("t", [(b"a", b"2")])


def test_a_posted_entry_that_is_too_large_is_dropped_with_a_warning(
    writer: LogWriter, caplog: pytest.LogCaptureFixture
) -> None:
    """A status with a long trace must not fail the task that reports it."""
    with caplog.at_level(logging.WARNING):
        writer.post("t", b"status-task-c-0", LARGE)
    assert "An entry for topic t was not stored" in caplog.text


def test_settings_that_the_library_refuses_are_a_fault_of_the_worker_file() -> None:
    settings = {"security.protocol": "SSL", "ssl.ca.pem": "no certificate"}
    with pytest.raises(ConfigError, match=r"ssl\.ca\.pem"):
        LogWriter(settings)
    with pytest.raises(StopError, match=r"ssl\.ca\.pem"):
        KafkaLog("t", settings, LogWriter({})).read()
    with pytest.raises(StopError, match=r"ssl\.ca\.pem"):
        Topics(settings).partitions("t")
