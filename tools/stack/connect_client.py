"""A client for the Connect REST API: enough to run connectors and to see how they are."""

from __future__ import annotations

import time
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote

import httpx

from tools.stack.errors import StackError
from tools.stack.http import UNVERIFIED, http

_POLL_SECONDS: Final = 0.1
_HEALTH_SECONDS: Final = 5
_TRACE_SHOWN: Final = 2000


def is_healthy(url: str) -> bool:
    """Return whether a worker takes connectors."""
    try:
        answer = http.get(f"{url}/health", timeout=_HEALTH_SECONDS)
    except httpx.TransportError:
        return False
    return answer.status_code == HTTPStatus.OK


class ConnectClient:
    """Talks to one worker, Kafka Connect's or Millrace's."""

    def __init__(self, url: str, timeout: float = 90) -> None:
        self.url = url
        self._http = httpx.Client(base_url=url, timeout=timeout, verify=UNVERIFIED)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def call(self, method: str, path: str, body: object = None) -> Any:
        """Call the API and return the decoded answer.

        :raises StackError: for an error answer; with its text.
        """
        answer = self._http.request(method, path, json=body)
        if answer.status_code >= HTTPStatus.BAD_REQUEST:
            raise StackError(f"{method} {path}: {answer.status_code} {answer.text[:_TRACE_SHOWN]}")
        return answer.json() if answer.content else None

    def create(self, name: str, config: Mapping[str, str]) -> None:
        """Create a connector."""
        self.call("POST", "/connectors", {"name": name, "config": dict(config)})

    def delete(self, name: str) -> None:
        """Delete a connector."""
        self.call("DELETE", f"/connectors/{quote(name, safe='')}")

    def put(self, name: str, verb: str) -> None:
        """Pause, resume or stop a connector."""
        self.call("PUT", f"/connectors/{quote(name, safe='')}/{verb}")

    def state(self, name: str) -> tuple[str, str]:
        """Return the state and trace of the first task, or of the connector without one."""
        answer = self._http.get(f"/connectors/{quote(name, safe='')}/status")
        if answer.status_code == HTTPStatus.NOT_FOUND:
            return "UNKNOWN", ""
        status = answer.json()
        shown = status["tasks"][0] if status["tasks"] else status["connector"]
        if not status["tasks"] and shown["state"] == "RUNNING":
            return "STARTING", ""
        return shown["state"], shown.get("trace", "")

    def wait_for(self, name: str, state: str, seconds: float = 60) -> None:
        """Wait until the task of a connector is in a state.

        :raises StackError: when it fails instead, or time runs out; with the trace.
        """
        until = time.monotonic() + seconds
        while True:
            found, trace = self.state(name)
            if found == state:
                return
            if found == "FAILED" or time.monotonic() > until:
                raise StackError(f"{name} is {found}, not {state}: {trace[:_TRACE_SHOWN]}")
            time.sleep(_POLL_SECONDS)
