"""Connectors: list, create, delete, and what they do."""

from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Query, Request, Response

from connector.errors import NotFoundError
from connector.worker.herder import Herder
from connector.worker.rest_answers import RestAnswers
from connector.worker.rest_entities import ConnectorInfo, ConnectorStateInfo
from connector.worker.state import TargetState
from restapi.body import ConnectRoute
from restapi.errors import BadRequestError
from restapi.models import CreateConnectorRequest, Name, Truth


def connectors(herder: Herder) -> APIRouter:
    """Return the routes of connectors."""
    router = APIRouter(prefix="/connectors", route_class=ConnectRoute)
    answers = herder.answers

    @router.get("", response_model_exclude_none=True)
    def list_connectors(
        expand: Annotated[list[str] | None, Query()] = None,
    ) -> list[str] | dict[str, dict[str, ConnectorStateInfo | ConnectorInfo]]:
        if expand is None:
            return answers.names()
        return _expand(answers, set(expand))

    @router.post("", status_code=201)
    def create(body: CreateConnectorRequest, request: Request, response: Response) -> ConnectorInfo:
        if body.config is None:
            raise BadRequestError('The field "config" is missing or null')
        name = (body.name or "").strip()
        state = body.initial_state
        target = TargetState.STARTED if state is None else state.target
        info = herder.create(name, body.config, target)
        response.headers["Location"] = location(request, name)
        return info

    @router.get("/{name}")
    def get(name: Name) -> ConnectorInfo:
        return answers.info(name)

    @router.delete("/{name}", status_code=204)
    def delete(name: Name) -> None:
        herder.delete(name)

    return router


def states(herder: Herder) -> APIRouter:
    """Return the routes that show and change what connectors do."""
    router = APIRouter(prefix="/connectors/{name}", route_class=ConnectRoute)

    @router.get("/status", response_model_exclude_none=True)
    def status(name: Name) -> ConnectorStateInfo:
        return herder.answers.status(name)

    @router.put("/pause", status_code=202)
    def pause(name: Name) -> Response:
        herder.set_target(name, TargetState.PAUSED)
        return Response(status_code=202)

    @router.put("/resume", status_code=202)
    def resume(name: Name) -> Response:
        herder.set_target(name, TargetState.STARTED)
        return Response(status_code=202)

    @router.put("/stop", status_code=204)
    def stop(name: Name) -> None:
        herder.set_target(name, TargetState.STOPPED)

    @router.post("/restart", response_model=ConnectorStateInfo, response_model_exclude_none=True)
    def restart(
        name: Name,
        response: Response,
        include_tasks: Annotated[Truth, Query(alias="includeTasks")] = False,
        only_failed: Annotated[Truth, Query(alias="onlyFailed")] = False,
    ) -> Any:
        status = herder.restart(name, include_tasks=include_tasks, only_failed=only_failed)
        if status is None:
            return Response(status_code=204)
        response.status_code = 202
        return status

    return router


def _expand(
    answers: RestAnswers, parts: set[str]
) -> dict[str, dict[str, ConnectorStateInfo | ConnectorInfo]]:
    """Return the connectors by name; one that is deleted meanwhile is left out."""
    found = {}
    for name in answers.names():
        try:
            entry: dict[str, ConnectorStateInfo | ConnectorInfo] = {}
            if "status" in parts:
                entry["status"] = answers.status(name)
            if "info" in parts:
                entry["info"] = answers.info(name)
        except NotFoundError:
            continue
        found[name] = entry
    return found


def location(request: Request, name: str) -> str:
    """Return the absolute URL of a connector."""
    return f"{str(request.base_url).rstrip('/')}/connectors/{quote(name, safe='')}"
