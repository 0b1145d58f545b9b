"""Signals of a connector: an addition to Kafka Connect's API."""

import uuid
from collections.abc import Mapping, Sequence

from fastapi import APIRouter

from connector.worker.herder import Herder
from restapi.body import ConnectRoute, is_finite
from restapi.errors import BadRequestError
from restapi.models import Name, SignalRequest


def signals(herder: Herder) -> APIRouter:
    """Return the routes of signals."""
    router = APIRouter(prefix="/connectors/{name}/signals", route_class=ConnectRoute)

    @router.get("")
    def list_signals(name: Name) -> dict[str, Sequence[Mapping[str, object]]]:
        herder.answers.tasks(name)  # refuses unknown names
        return {"signals": herder.tasks.signals(name)}

    @router.post("", status_code=202)
    def add_signal(name: Name, body: SignalRequest) -> Mapping[str, object]:
        herder.answers.tasks(name)
        if not body.type or not body.type.strip():
            raise BadRequestError("A signal needs a type")
        if not is_finite(body.data):
            raise BadRequestError("The data of the signal has a number that is too large")
        identity = body.id or str(uuid.uuid4())
        return herder.tasks.add_signal(name, identity, body.type, body.data or {})

    return router
