"""Starts a worker: opens and reads its storage, then starts its connectors."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from typing import Final, Protocol

from connector.errors import TransientError
from connector.worker.herder import Herder
from connector.worker.requests import RequestTimeoutError, Stages
from connector.worker.storage.worker_storage import Storage

_log = logging.getLogger(__name__)

PATIENCE: Final = 60.0  # seconds for a broker that does not answer
_PAUSE: Final = 2.0
_READING: Final = "initializing and reading to the end of internal topics"


class Store(Protocol):
    """A store that has to read its log before it can be used."""

    def open(self) -> None:
        """Read the log; raises as `Log.read` does."""


class Startup:
    """The start of one worker; requests that come before its end wait for it."""

    def __init__(
        self, storage: Storage, stores: Sequence[Store], herder: Herder, patience: float = PATIENCE
    ) -> None:
        self._storage = storage
        self._stores = stores
        self._herder = herder
        self._patience = patience
        self._stages = Stages()
        self._ready = threading.Event()

    @property
    def ready(self) -> bool:
        """Whether the start is over."""
        return self._ready.is_set()

    def summary(self) -> str:
        """Describe the present stage of the start."""
        return self._stages.summary()

    def run(self) -> None:
        """Start the worker.

        :raises TransientError: the broker did not answer for ``patience`` seconds.
        :raises StopError: the storage cannot be used.
        """
        with self._stages.begin(_READING):
            self._open()
        self._herder.start()
        self._ready.set()

    def wait(self, timeout: float) -> None:
        """Wait for the end of the start.

        :raises RequestTimeoutError: it takes longer.
        """
        if not self._ready.wait(timeout):
            raise RequestTimeoutError(f"Request timed out. {self._stages.summary()}")

    def _open(self) -> None:
        deadline = time.monotonic() + self._patience
        while True:
            try:
                self._storage.prepare()
                for store in self._stores:
                    store.open()
            except TransientError as error:
                if time.monotonic() > deadline:
                    raise
                _log.warning("The worker's storage cannot be opened yet: %s", error)
                time.sleep(_PAUSE)
            else:
                return
