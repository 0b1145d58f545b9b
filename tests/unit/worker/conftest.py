"""A worker in memory, for each test."""

from __future__ import annotations

import pytest

from connector.worker.herder import Herder
from tests.fixtures.idle_worker import WorkerLogs


@pytest.fixture
def memory() -> WorkerLogs:
    return WorkerLogs()


@pytest.fixture
def herder(memory: WorkerLogs) -> Herder:
    providers = {
        "config.providers": "env",
        "config.providers.env.class": (
            "org.apache.kafka.common.config.provider.EnvVarConfigProvider"
        ),
    }
    return memory.herder(providers)
