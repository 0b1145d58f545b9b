"""Millrace itself as one of the servers."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Final

from tools.stack.connect_client import is_healthy
from tools.stack.distributed import distributed_settings
from tools.stack.folders import Workspace
from tools.stack.jvm import write_properties
from tools.stack.kafka import KafkaBroker
from tools.stack.ports import is_open
from tools.stack.server import Server

_ROOT: Final = Path(__file__).parents[2]


class MillraceWorker(Server):
    """A Millrace daemon on a broker, which must run. Keeps everything in three topics.

    ``properties`` are worker settings that win over those made here; ``group`` prefixes the
    topics.
    """

    name: ClassVar[str] = "millrace"
    start_seconds: ClassVar[float] = 30
    stop_seconds: ClassVar[float] = 15

    def __init__(
        self,
        workspace: Workspace,
        broker: KafkaBroker,
        *,
        group: str = "millrace",
        properties: Mapping[str, str | int] | None = None,
    ) -> None:
        super().__init__(workspace)
        self._broker = broker
        self._group = group
        self._properties = dict(properties or {})

    @property
    def url(self) -> str:
        """The address of the REST API, without a slash at its end."""
        return f"http://{self.address}"

    def prepare(self) -> None:
        """Write the settings."""
        write_properties(self._settings, self._base_properties() | self._properties)

    def command(self) -> Sequence[str | Path]:
        """Return the command line."""
        return (sys.executable, "-m", "connector", self._settings)

    def environment(self) -> Mapping[str, str]:
        """Return what makes the working tree importable from everywhere."""
        return {"PYTHONPATH": str(_ROOT)}

    def answers(self) -> bool:
        """Return whether connectors are taken."""
        return is_open(self.port) and is_healthy(self.url)

    @property
    def _settings(self) -> Path:
        return self.folder / "worker.properties"

    def _base_properties(self) -> dict[str, str | int]:
        return {
            **distributed_settings(self._broker, self._group, self.url),
            "offset.flush.interval.ms": 5000,
        }
