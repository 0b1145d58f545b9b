"""The storage of a worker: three files, or three topics of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, Protocol

from connector.errors import StopError
from connector.kafka.config import client_config, client_settings
from connector.kafka.keys import KINDS
from connector.kafka.log import KafkaLog, LogWriter, check_compacted
from connector.kafka.topics import Topics
from connector.worker.client_overrides import overrides
from connector.worker.storage import Log
from connector.worker.storage.file import FileLog, JsonFormat
from connector.worker.storage.java_map import JavaMapFormat
from connector.worker.storage.lease import Lease
from connector.worker.storage.lock import FileLock
from connector.worker.worker_config import WorkerConfig
from connector.worker.worker_keys import STORES

_OWN_KEYS: Final = frozenset({"topic", "partitions", "replication.factor", "file.filename"})


class Storage(Protocol):
    """The three logs of a worker. `prepare` comes before any of them is read."""

    configs: Log
    offsets: Log
    statuses: Log

    def prepare(self) -> None:
        """Create the files or topics if needed, and check them.

        :raises TransientError: the storage does not answer.
        :raises StopError: it cannot be used; the text names the remedy.
        """

    def close(self, timeout: float) -> None:
        """Store the entries in flight, within ``timeout`` seconds."""


class FileStorage:
    """Files: offsets as Connect's standalone worker keeps them, the rest beside them in JSON."""

    def __init__(self, offsets: Path) -> None:
        self._offsets = offsets
        self._lock = FileLock(offsets.with_name(offsets.name + ".lock"), f"the file {offsets}")
        self.offsets: Log = FileLog(offsets, JavaMapFormat())
        self.configs: Log = FileLog(offsets.with_name(offsets.name + ".configs.json"), JsonFormat())
        self.statuses: Log = FileLog(offsets.with_name(offsets.name + ".status.json"), JsonFormat())

    def prepare(self) -> None:
        """Create the directory, and take the lock that refuses other workers."""
        try:
            self._offsets.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StopError(
                f"The directory of {self._offsets} cannot be created: {error.strerror}.",
                "Set offset.storage.file.filename to a path that the worker's user may write to.",
            ) from None
        self._lock.acquire()

    def close(self, timeout: float) -> None:  # noqa: ARG002 - every write is complete
        """Release the lock, so that another worker can use the files."""
        self._lock.release()


class KafkaStorage:
    """Compacted topics, with the records of a distributed Connect worker."""

    def __init__(self, worker: WorkerConfig, lost: Callable[[str], None]) -> None:
        self._worker = worker
        settings = worker.properties
        self._topics = Topics(client_config(client_settings(settings, "admin"), "admin"))
        self._writer = LogWriter(client_config(client_settings(settings, "producer"), "producer"))
        self._reader = client_config(client_settings(settings, "consumer"), "consumer")
        self.configs: Log = self._log("config")
        self.offsets: Log = self._log("offset")
        self.statuses: Log = self._log("status")
        self._lease = Lease(self._log("config"), worker["config.storage.topic"], lost)

    def _log(self, store: str) -> KafkaLog:
        return KafkaLog(self._worker[f"{store}.storage.topic"], self._reader, self._writer)

    def prepare(self) -> None:
        """Create missing topics, refuse those that are not compacted, take the lease."""
        for store in STORES:
            topic = self._worker[f"{store}.storage.topic"]
            _ensure(self._worker, self._topics, store, topic)
        self._lease.acquire()

    def close(self, timeout: float) -> None:
        """Release the lease and wait for the posted entries."""
        self._lease.release()
        self._writer.close(timeout)


def _ensure(worker: WorkerConfig, topics: Topics, store: str, topic: str) -> None:
    """Check a topic of the worker, or create it with its ``<store>.storage.*`` settings."""
    partitions = topics.partitions(topic)
    if partitions is None:
        _create(worker, topics, store, topic)
        return
    check_compacted(topic, topics.setting(topic, "cleanup.policy"))
    if store == "config" and partitions != 1:
        raise StopError(
            f"Topic {topic} has more than one partition, so its order is lost.",
            "Set config.storage.topic to a topic with one partition.",
        )


def _create(worker: WorkerConfig, topics: Topics, store: str, topic: str) -> None:
    if not worker["internal.topics.automatic.creation.enable"]:
        raise StopError(
            f"Topic {topic} does not exist, and the worker must not create it "
            "(internal.topics.automatic.creation.enable=false).",
            f"Create {topic} with cleanup.policy=compact.",
        )
    partitions = 1 if store == "config" else worker[f"{store}.storage.partitions"]
    extra = {
        key: text for key, text in worker.under(f"{store}.storage.").items() if key not in _OWN_KEYS
    }
    replicas = worker[f"{store}.storage.replication.factor"]
    topics.create(topic, partitions, replicas, {**extra, "cleanup.policy": "compact"})


def open_storage(worker: WorkerConfig, lost: Callable[[str], None]) -> Storage:
    """Return the storage that a worker file configures; nothing is connected or read yet.

    :param lost: called when another worker has taken over the storage.
    """
    if worker.standalone:
        return FileStorage(Path(worker["offset.storage.file.filename"]))
    return KafkaStorage(worker, lost)


def connector_offsets_log(worker: WorkerConfig, topic: str, config: Mapping[str, str]) -> Log:
    """Return the log of a connector's ``offsets.storage.topic``, creating the topic.

    It lies on the cluster that the connector writes to (KIP-618).
    """
    clients = {
        kind: client_config({**worker.client_settings(kind), **overrides(config, kind)}, kind)
        for kind in KINDS
    }
    _ensure(worker, Topics(clients["admin"]), "offset", topic)
    return KafkaLog(topic, clients["consumer"], LogWriter(clients["producer"]))
