"""What all servers have in common: a life."""

from __future__ import annotations

import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Final, Self

from tools.stack.child import Child
from tools.stack.errors import StackError
from tools.stack.folders import Workspace
from tools.stack.ports import HOST, free_port

_POLL_SECONDS: Final = 0.1
_REPORT_SECONDS: Final = 5.0

log = logging.getLogger(__name__)


class Server(ABC):
    """One server with a folder and a port of its own; both stay the same over restarts.

    Fetching the program and making the data folder wait for the first `start`. Not thread
    safe, but different servers may be started at the same time. As a context manager it runs
    for the block.
    """

    name: ClassVar[str]
    start_seconds: ClassVar[float] = 90
    stop_seconds: ClassVar[float] = 20

    def __init__(self, workspace: Workspace) -> None:
        self.downloads = workspace.downloads
        self.folder = workspace.folder(self.name)
        self.host = HOST
        self.port = free_port()
        self._prepared = False
        self._child: Child | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def address(self) -> str:
        """Where clients connect, ``host:port``."""
        return f"{self.host}:{self.port}"

    @property
    def running(self) -> bool:
        """Whether the process runs."""
        return self._child is not None and self._child.running

    @property
    def pid(self) -> int:
        """The id of the running process.

        :raises StackError: when it does not run.
        """
        if self._child is None or not self._child.running:
            raise StackError(f"{self.name} does not run.")
        return self._child.pid

    @property
    def log(self) -> Path:
        """The file with everything that the server printed."""
        return self.folder / "server.log"

    def tail(self) -> str:
        """Return the last lines of the log."""
        return self._child.tail() if self._child else ""

    def start(self) -> None:
        """Start the server and wait until it answers clients; nothing when it runs.

        :raises StackError: when it ends or does not answer in time; with the end of its log.
        """
        if self.running:
            return
        begun = time.monotonic()
        if not self._prepared:
            self.prepare()
            self._prepared = True
        log.info("%s: starting", self.name)
        self._child = Child(self.command(), self.log, environment=self.environment())
        try:
            self._await(self._child, begun)
        except BaseException:
            self._child.kill()
            raise
        log.info("%s: ready on %s after %.1f s", self.name, self.address, time.monotonic() - begun)

    def stop(self) -> None:
        """Shut the server down cleanly, or by force if that fails; nothing if it does not run."""
        if self._child is not None:
            self._child.stop(self.stop_seconds)

    def kill(self) -> None:
        """End the server as a crash would (SIGKILL)."""
        if self._child is not None:
            self._child.kill()

    def restart(self) -> None:
        """Stop and start again, on the same port with the same data."""
        self.stop()
        self.start()

    @abstractmethod
    def prepare(self) -> None:
        """Fetch the program and make the data folder; called once."""

    @abstractmethod
    def command(self) -> Sequence[str | Path]:
        """Return the command line."""

    @abstractmethod
    def answers(self) -> bool:
        """Return whether clients are served."""

    def environment(self) -> Mapping[str, str]:
        """Return variables to add to the process's environment."""
        return {}

    def _await(self, child: Child, begun: float) -> None:
        reported = time.monotonic()
        while not self.answers():
            if not child.running:
                raise StackError(f"{self.name} ended while starting:\n{child.tail()}")
            now = time.monotonic()
            if now - begun > self.start_seconds:
                raise StackError(
                    f"{self.name} does not answer after {self.start_seconds:.0f} s:\n{child.tail()}"
                )
            if now - reported > _REPORT_SECONDS:
                log.info("%s: waiting for %s", self.name, self.address)
                reported = now
            time.sleep(_POLL_SECONDS)
