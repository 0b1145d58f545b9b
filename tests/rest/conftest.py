"""One worker for all tests that only talk to it; tests that stop one make their own."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fixtures.certificates import identity
from tests.fixtures.topics import Topics
from tests.fixtures.worker import WorkerProcess
from tests.rest.ticker import CLASS
from tools.stack import KafkaBroker

MODULE = "tests.rest.ticker_worker"


@pytest.fixture(scope="session")
def worker(
    broker: KafkaBroker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[WorkerProcess]:
    """A worker with files for its state."""
    folder = tmp_path_factory.mktemp("worker")
    properties = {
        "offset.storage.file.filename": str(folder / "offsets"),
        "offset.flush.interval.ms": "100",
        "config.providers": "file,env",
        "config.providers.file.class": (
            "org.apache.kafka.common.config.provider.FileConfigProvider"
        ),
        "config.providers.env.class": (
            "org.apache.kafka.common.config.provider.EnvVarConfigProvider"
        ),
    }
    with WorkerProcess(folder, broker.address, properties, MODULE) as process:
        yield process


@pytest.fixture
def name() -> str:
    """A name that no other test uses, for connectors and topics."""
    return f"t{uuid.uuid4().hex[:10]}"


@pytest.fixture
def ticker(worker: WorkerProcess, topics: Topics, name: str) -> Iterator[dict[str, str]]:
    """A configuration of a ticker of that name; its connector and topic are removed."""
    yield {"connector.class": CLASS, "topic": name, "messages": "20"}
    worker.http.delete(worker.path(name))
    topics.delete(topics.names(name))


@pytest.fixture
def pem(tmp_path: Path) -> Path:
    """A certificate for 127.0.0.1 and its key, with the password "secret"."""
    own = identity("millrace", address="127.0.0.1")
    file = tmp_path / "worker.pem"
    file.write_bytes(own.key_pem("secret") + own.certificate_pem)
    return file


@pytest.fixture
def kafka_worker(
    broker: KafkaBroker, topics: Topics, tmp_path: Path, name: str
) -> Iterator[WorkerProcess]:
    """A worker of its own, not started, with topics for its state."""
    properties = {
        "group.id": name,
        **{
            key: text
            for store in ("config", "offset", "status")
            for key, text in (
                (f"{store}.storage.topic", f"{name}-{store}"),
                (f"{store}.storage.replication.factor", "1"),
            )
        },
    }
    process = WorkerProcess(tmp_path, broker.address, properties, MODULE)
    yield process
    process.kill()
    topics.delete(topics.names(name))
