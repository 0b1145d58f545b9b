"""A schema registry: Apicurio Registry, which also answers the API of Confluent's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import ClassVar

import httpx

from tools.stack.folders import Workspace
from tools.stack.http import http
from tools.stack.maven import registry_program
from tools.stack.ports import is_open
from tools.stack.programs import java
from tools.stack.server import Server


class SchemaRegistry(Server):
    """Apicurio Registry 2.6.13.Final; it keeps schemas in memory, so that a restart loses them."""

    name: ClassVar[str] = "registry"
    start_seconds: ClassVar[float] = 300  # a minute on two cores that start other servers, too

    def __init__(
        self, workspace: Workspace, *, heap: str = "384m", options: Sequence[str] = ()
    ) -> None:
        super().__init__(workspace)
        self._heap = heap
        self._options = options

    @property
    def url(self) -> str:
        """The address of Confluent's API, for `schema.registry.url`."""
        return f"http://{self.address}/apis/ccompat/v7"

    @property
    def apicurio_url(self) -> str:
        """The address of Apicurio's API, for `apicurio.registry.url`."""
        return f"http://{self.address}/apis/registry/v2"

    def prepare(self) -> None:
        """Fetch the program."""
        registry_program(self.downloads)

    def command(self) -> Sequence[str]:
        """Return the command line."""
        jar = next(registry_program(self.downloads).glob("*-runner.jar"))
        return [java(), f"-Xmx{self._heap}", *self._options, "-jar", str(jar)]

    def environment(self) -> Mapping[str, str]:
        """Return the settings of the registry."""
        return {"QUARKUS_HTTP_PORT": str(self.port), "QUARKUS_HTTP_HOST": self.host}

    def answers(self) -> bool:
        """Return whether schemas can be registered."""
        if not is_open(self.port):
            return False
        try:
            return http.get(f"{self.url}/subjects", timeout=5).status_code == HTTPStatus.OK
        except httpx.TransportError:
            return False
