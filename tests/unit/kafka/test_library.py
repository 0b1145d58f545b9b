"""Undocumented behavior of confluent-kafka that Millrace depends on; pyproject.toml bounds it."""

from __future__ import annotations

import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement

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
    producer = Producer({"log_level": 0}, tracking.uses_receipts)
    assert producer._settings["delivery.report.only.error"] is False
    assert "Delivery to Kafka is tracked by a report for each message" in caplog.text
    producer.close()
