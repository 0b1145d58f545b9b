"""The connectors of a worker by name, and who may change one of them at a time."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Final

from connector.errors import MillraceError, NotFoundError
from connector.worker.instance import Instance
from connector.worker.requests import RequestTimeoutError, in_background

if TYPE_CHECKING:
    from collections.abc import Iterator

    from connector.worker.instance import Workplace

NOT_FOUND: Final = "Connector {} not found"


class ShuttingDownError(MillraceError):
    """The worker stops and takes no more commands."""


class Instances:
    """A table of connectors, each with a lock; ``timeout`` limits the wait for one."""

    def __init__(self, workplace: Workplace, timeout: float) -> None:
        self._workplace = workplace
        self._timeout = timeout
        self._instances: dict[str, Instance] = {}
        self._lock = threading.Lock()
        self._stopping = False

    @contextmanager
    def existing(self, name: str, missing: str = NOT_FOUND) -> Iterator[Instance]:
        """Hold the lock of a connector that exists; ``missing`` is the text when it does not.

        :raises NotFoundError: there is no such connector.
        :raises RequestTimeoutError: another command holds the lock for too long.
        """
        if self._workplace.configs.get(name) is None:
            raise NotFoundError(missing.format(name))
        with self.exclusive(name) as instance:
            if self._workplace.configs.get(name) is None:
                raise NotFoundError(missing.format(name))
            yield instance

    @contextmanager
    def exclusive(self, name: str) -> Iterator[Instance]:
        """Hold the lock of a name, whether or not there is such a connector."""
        instance = self._acquire(name)
        try:
            yield instance
        finally:
            instance.lock.release()

    def _acquire(self, name: str) -> Instance:
        while True:
            with self._lock:
                if self._stopping:
                    raise ShuttingDownError("Worker is shutting down")
                instance = self._instances.setdefault(name, Instance(name, self._workplace))
            if not instance.lock.acquire(timeout=self._timeout):
                raise RequestTimeoutError(
                    f"Request timed out. Another request for connector {name} is still at work."
                )
            with self._lock:
                if self._instances.get(name) is instance:
                    return instance
            instance.lock.release()  # deleted while we waited: the name begins anew

    def remove(self, instance: Instance) -> None:
        """Forget a connector whose lock is held."""
        with self._lock:
            del self._instances[instance.name]

    def responds(self, timeout: float) -> bool:
        """Whether the table is free within ``timeout`` seconds."""
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
            in_background(f"stop-{item.name}", partial(_end, item, timeout, ended))
            for item in instances
        ]
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return len(ended) == len(instances)


def _end(instance: Instance, timeout: float, ended: list[str]) -> None:
    if instance.lock.acquire(timeout=timeout):
        clean = instance.end()
        instance.unassign()
        if clean:
            ended.append(instance.name)
