"""Topics that a connector has written to (KIP-558)."""

from fastapi import APIRouter, Response

from connector.worker.herder import Herder
from restapi.body import ConnectRoute
from restapi.errors import ForbiddenError
from restapi.models import Name


def topics(herder: Herder, *, tracked: bool, resettable: bool) -> APIRouter:
    """Return the routes of active topics; the worker file may switch them off."""
    router = APIRouter(prefix="/connectors/{name}/topics", route_class=ConnectRoute)

    def refuse_untracked() -> None:
        if not tracked:
            raise ForbiddenError("Topic tracking is disabled.")

    @router.get("")
    def get(name: Name) -> dict[str, dict[str, list[str]]]:
        refuse_untracked()
        return {name: {"topics": herder.answers.topics(name)}}

    @router.put("/reset", status_code=202)
    def reset(name: Name) -> Response:
        refuse_untracked()
        if not resettable:
            raise ForbiddenError("Topic tracking reset is disabled.")
        herder.reset_topics(name)
        return Response(status_code=202)

    return router
