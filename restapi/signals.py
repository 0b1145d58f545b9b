"""Signals of a connector: an addition to Kafka Connect's API."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any, Protocol

from fastapi import APIRouter

from connector.worker.herder import Herder
from restapi.body import ConnectRoute
from restapi.errors import BadRequestError
from restapi.models import Name, SignalRequest


class SignalInbox(Protocol):
    """Where the tasks of this worker take signals."""

    def add_signal(
        self, connector: str, identity: str, type_: str, data: Mapping[str, Any]
    ) -> Mapping[str, object]:
        """Hand a signal to the task of a connector; return it as `signals` does.

        :raises ConflictError: its task does not run here, or takes no signals of the REST API.
        """

    def signals(self, connector: str) -> list[Mapping[str, object]]:
        """Return the last signals of a connector's tasks."""


def signals(herder: Herder, inbox: SignalInbox) -> APIRouter:
    """Return the routes of signals."""
    router = APIRouter(prefix="/connectors/{name}/signals", route_class=ConnectRoute)

    @router.get("")
    def list_signals(name: Name) -> dict[str, list[Mapping[str, object]]]:
        herder.answers.tasks(name)  # refuses unknown names
        return {"signals": inbox.signals(name)}

    @router.post("", status_code=202)
    def add_signal(name: Name, body: SignalRequest) -> Mapping[str, object]:
        herder.answers.tasks(name)
        if not body.type or not body.type.strip():
            raise BadRequestError("A signal needs a type")
        return inbox.add_signal(name, body.id or str(uuid.uuid4()), body.type, body.data or {})

    return router
