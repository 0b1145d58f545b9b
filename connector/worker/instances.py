"""The connectors of a worker by name, each with the lock that its commands take."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final

from connector.errors import MillraceError, NotFoundError
from connector.plugin import Task
from connector.worker.instance import ConnectorInstance, WorkerContext
from connector.worker.requests import RequestTimeoutError, run_in_background

NOT_FOUND: Final = "Connector {} not found"


class ShuttingDownError(MillraceError):
    """The worker stops and accepts no more commands."""


class ConnectorInstances:
    """A table of connectors, each with a lock; ``timeout`` limits the wait for one."""

    def __init__(self, context: WorkerContext, timeout: float) -> None:
        self._context = context
        self._timeout = timeout
        self._instances: dict[str, ConnectorInstance] = {}
        self._lock = threading.Lock()
        self._stopping = False

    @contextmanager
    def existing(self, name: str, missing: str = NOT_FOUND) -> Iterator[ConnectorInstance]:
        """Hold the lock of an existing connector; ``missing`` is the error text without one.

        :raises NotFoundError: there is no such connector.
        :raises RequestTimeoutError: another command holds the lock for too long.
        """
        if self._context.configs.get(name) is None:
            raise NotFoundError(missing.format(name))
        with self.exclusive(name) as instance:
            if self._context.configs.get(name) is None:
                raise NotFoundError(missing.format(name))
            yield instance

    @contextmanager
    def exclusive(self, name: str) -> Iterator[ConnectorInstance]:
        """Hold the lock of a name, whether or not the connector exists."""
        instance = self._acquire(name)
        try:
            yield instance
        finally:
            instance.lock.release()

    def _acquire(self, name: str) -> ConnectorInstance:
        while True:
            with self._lock:
                if self._stopping:
                    raise ShuttingDownError("Worker is shutting down")
                instance = self._instances.setdefault(name, ConnectorInstance(name, self._context))
            if not instance.lock.acquire(timeout=self._timeout):
                raise RequestTimeoutError(
                    f"Request timed out. Another request for connector {name} is still in progress."
                )
            with self._lock:
                if self._instances.get(name) is instance:
                    return instance
            instance.lock.release()  # deleted while we waited: another instance has the name

    def running_task(self, name: str) -> Task | None:
        """Return the task of a connector that runs here; waits for no command."""
        with self._lock:
            instance = self._instances.get(name)
        return None if instance is None else instance.running_task

    def remove(self, instance: ConnectorInstance) -> None:
        """Remove a connector whose lock is held."""
        with self._lock:
            del self._instances[instance.name]

    def responds(self, timeout: float) -> bool:
        """Return whether the table's lock is free within ``timeout`` seconds."""
        free = self._lock.acquire(timeout=timeout)
        if free:
            self._lock.release()
        return free

    def stop(self, timeout: float) -> bool:
        """Stop all tasks at the same time; False when some had to be abandoned."""
        with self._lock:
            self._stopping = True
            instances = list(self._instances.values())
        deadline = time.monotonic() + timeout
        ended: list[str] = []
        threads = [
            run_in_background(f"stop-{item.name}", partial(_stop, item, timeout, ended))
            for item in instances
        ]
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return len(ended) == len(instances)


def _stop(instance: ConnectorInstance, timeout: float, ended: list[str]) -> None:
    if instance.lock.acquire(timeout=timeout):
        clean = instance.stop_task()
        instance.unassign()
        if clean:
            ended.append(instance.name)
