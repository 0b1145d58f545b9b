"""A worker without broker or files, whose connectors do nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from connector.metrics import WorkerMetrics
from connector.plugin_table import PluginTable
from connector.worker.claims import Claims
from connector.worker.config_providers import create_providers
from connector.worker.config_store import ConfigStore
from connector.worker.herder import Herder
from connector.worker.instance import Workplace
from connector.worker.launcher import Launcher
from connector.worker.offsets.log_store import LogOffsetStore
from connector.worker.offsets.stores import OffsetPlaces
from connector.worker.status_store import StatusStore
from connector.worker.storage.memory import MemoryLog
from connector.worker.validation import Validator
from connector.worker.worker_config import WorkerConfig, parse_worker_config
from tests.fixtures.idle_connector import IDLE_ROWS

WORKER = {"bootstrap.servers": "127.0.0.1:1", "offset.storage.file.filename": "unused"}


def worker_config(**more: str) -> WorkerConfig:
    return parse_worker_config(WORKER | {key.replace("_", "."): text for key, text in more.items()})


@dataclass
class Memory:
    """The logs of a worker, which outlive it."""

    configs: MemoryLog = field(default_factory=MemoryLog)
    statuses: MemoryLog = field(default_factory=MemoryLog)
    offsets: MemoryLog = field(default_factory=MemoryLog)

    def herder(self, worker: Mapping[str, str] | None = None, timeout: float = 5) -> Herder:
        """Start a worker on these logs."""
        properties = {**WORKER, "task.shutdown.graceful.timeout.ms": "200", **(worker or {})}
        config = parse_worker_config(properties)
        plugins = PluginTable(IDLE_ROWS)
        providers = create_providers(properties, {"SECRET": "s3cret-value", "USER": "alice"})
        configs = ConfigStore(self.configs)
        statuses = StatusStore(self.statuses, lambda: 1795259724288)
        offsets = LogOffsetStore(self.offsets)
        for store in (configs, statuses, offsets):
            store.open()
        places = OffsetPlaces(offsets, lambda *_: MemoryLog(), configs)
        claims = Claims()
        launcher = Launcher(config, plugins, providers, places, WorkerMetrics(), claims)
        grace = config.seconds("task.shutdown.graceful.timeout.ms")
        workplace = Workplace("w:1", configs, statuses, plugins, providers, launcher, grace)
        herder = Herder(workplace, Validator(config, plugins, providers, claims), places, timeout)
        herder.start()
        return herder


@pytest.fixture
def memory() -> Memory:
    return Memory()


@pytest.fixture
def herder(memory: Memory) -> Herder:
    providers = {
        "config.providers": "env",
        "config.providers.env.class": (
            "org.apache.kafka.common.config.provider.EnvVarConfigProvider"
        ),
    }
    return memory.herder(providers)
