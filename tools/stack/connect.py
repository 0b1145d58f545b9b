"""Kafka Connect with Debezium: the original that Millrace is measured against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from tools.stack.connect_client import is_healthy
from tools.stack.distributed import distributed_settings
from tools.stack.folders import Workspace
from tools.stack.jvm import java_command, write_properties
from tools.stack.kafka import KafkaBroker
from tools.stack.maven import kafka_libraries
from tools.stack.oracle.plugins import connect_plugins
from tools.stack.ports import is_open
from tools.stack.server import Server


class ConnectWorker(Server):
    """A distributed Kafka Connect 4.3.0 worker on a broker, which must run.

    It offers Debezium's MySQL connector 3.6.1.Final and MariaDB connector 3.5.0.Final, and the
    converters of Apicurio Registry.
    ``properties`` are worker settings that win over those made here; ``group`` names the
    worker's group and prefixes its three topics.
    """

    name: ClassVar[str] = "connect"

    def __init__(
        self,
        workspace: Workspace,
        broker: KafkaBroker,
        *,
        group: str = "oracle",
        properties: Mapping[str, str | int] | None = None,
        heap: str = "1g",
        options: Sequence[str] = (),
    ) -> None:
        super().__init__(workspace)
        self._broker = broker
        self._group = group
        self._properties = dict(properties or {})
        self._heap = heap
        self._options = options

    @property
    def url(self) -> str:
        """The address of the REST API, without a slash at its end."""
        return f"http://{self.address}"

    def prepare(self) -> None:
        """Fetch the connectors and write the settings."""
        plugins = connect_plugins(self.downloads)
        settings = self._base_properties(plugins) | self._properties
        write_properties(self._settings, settings)

    def command(self) -> Sequence[str]:
        """Return the command line."""
        return java_command(
            kafka_libraries(self.downloads),
            self._heap,
            "org.apache.kafka.connect.cli.ConnectDistributed",
            self._settings,
            options=self._options,
        )

    def answers(self) -> bool:
        """Return whether the worker has joined its group and takes connectors."""
        return is_open(self.port) and is_healthy(self.url)

    @property
    def _settings(self) -> Path:
        return self.folder / "connect.properties"

    def _base_properties(self, plugins: Path) -> dict[str, str | int]:
        return {
            **distributed_settings(self._broker, self._group, self.url),
            "plugin.path": str(plugins),
            "plugin.discovery": "service_load",
            # After a kill the tasks shall come back at once, not after five minutes.
            "scheduled.rebalance.max.delay.ms": 0,
        }
