"""Undocumented behavior of confluent-kafka that Millrace depends on; pyproject.toml bounds it."""

from __future__ import annotations

import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from connector.data.record import Message
from connector.kafka.delivery_tracking import DeliveryTracking, library_uses_receipts
from connector.kafka.producer import Producer

ROOT = Path(__file__).parents[3]


def test_its_versions_are_bounded() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    [needed] = [r for r in map(Requirement, project["dependencies"]) if r.name == "confluent-kafka"]
    assert any(part.operator == "<" for part in needed.specifier)
    assert needed.specifier.contains(version("confluent-kafka"))


def test_it_releases_receipts() -> None:
    assert library_uses_receipts()


def test_delivery_reports_are_used_when_it_does_not(caplog: pytest.LogCaptureFixture) -> None:
    """The library cannot be changed here, only the answer of a check."""
    tracking = DeliveryTracking([lambda: True, lambda: False])
    mock = {"log_level": 0, "test.mock.num.brokers": 1, "allow.auto.create.topics": True}
    producer = Producer(mock, tracking.uses_receipts, native=False)
    assert "Delivery to Kafka is tracked by a report for each message" in caplog.text
    reported: list[object] = []

    def report(error: object, _message: object) -> None:
        reported.append(error)

    message = Message("topic", None, b"k", b"v")
    assert producer.send([message], lambda _: 1, report) is None
    assert producer.flush(10)
    assert reported == [None]
    producer.close()
