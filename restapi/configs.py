"""Configurations of connectors."""

from typing import Annotated

from fastapi import APIRouter, Body, Request, Response

from connector.worker.herder import Herder
from connector.worker.rest_entities import ConnectorInfo
from restapi.body import ConnectRoute
from restapi.connectors import location
from restapi.models import ConfigMap, Name


def configs(herder: Herder) -> APIRouter:
    """Return the routes of configurations."""
    router = APIRouter(prefix="/connectors/{name}/config", route_class=ConnectRoute)

    @router.get("")
    def get_config(name: Name) -> dict[str, str | None]:
        return dict(herder.answers.config(name))

    @router.put("")
    def put_config(
        name: Name, config: Annotated[ConfigMap, Body()], request: Request, response: Response
    ) -> ConnectorInfo:
        created, info = herder.put_config(name, config)
        if created:
            response.status_code = 201
            response.headers["Location"] = location(request, name)
        return info

    @router.patch("")
    def patch_config(name: Name, patch: Annotated[ConfigMap, Body()]) -> ConnectorInfo:
        return herder.patch_config(name, patch)

    return router
