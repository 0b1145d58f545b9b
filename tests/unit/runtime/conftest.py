"""A worker without broker or files, whose connectors do nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from connector.plugins import PluginTable
from connector.runtime.claims import Claims
from connector.runtime.configs import ConfigStore
from connector.runtime.herder import Herder
from connector.runtime.instance import Workplace
from connector.runtime.launch import Launcher
from connector.runtime.offsets.places import OffsetPlaces
from connector.runtime.offsets.store import LogOffsetStore
from connector.runtime.providers import create_providers
from connector.runtime.statuses import StatusStore
from connector.runtime.storage.memory import MemoryLog
from connector.runtime.validation import Validator
from connector.runtime.worker_config import WorkerConfig, parse_worker_config
from tests.unit.runtime.idle import IDLE_ROWS

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
        launcher = Launcher(config, plugins, providers, places, lambda *_: None, claims)
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
