"""What is relied on of confluent-kafka beyond its documentation; pyproject.toml bounds it."""

from __future__ import annotations

import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from connector.kafka import receipts
from connector.kafka.producer import Producer

ROOT = Path(__file__).parents[3]


def test_its_versions_are_bounded() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    [needed] = [r for r in map(Requirement, project["dependencies"]) if r.name == "confluent-kafka"]
    assert any(part.operator == "<" for part in needed.specifier)
    assert needed.specifier.contains(version("confluent-kafka"))


def test_it_releases_receipts() -> None:
    assert receipts.releases_receipts()


@pytest.mark.parametrize("check", ["_releases_delivered", "_calls_for_failed"])
def test_delivery_reports_take_over_when_it_does_not(
    check: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Its behaviour cannot be changed here, only the answer of the check."""
    monkeypatch.setattr(receipts, check, lambda: False)
    receipts.releases_receipts.cache_clear()
    try:
        producer = Producer({"log_level": 0})
    finally:
        receipts.releases_receipts.cache_clear()
    assert producer._settings["delivery.report.only.error"] is False
    assert "Delivery to Kafka is tracked by a report for each message" in caplog.text
    producer.close()
