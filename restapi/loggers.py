"""Log levels while the worker runs (KIP-495, KIP-976)."""

from typing import Any

from fastapi import APIRouter, Response

from connector.errors import NotFoundError
from connector.logs import LogLevels
from restapi.body import ConnectRoute
from restapi.errors import BadRequestError
from restapi.models import LoggerLevel, Name


def loggers(levels: LogLevels) -> APIRouter:
    """Return the routes of loggers."""
    router = APIRouter(prefix="/admin/loggers", route_class=ConnectRoute)

    @router.get("")
    def list_loggers() -> dict[str, LoggerLevel]:
        return {
            name: LoggerLevel(level=found.level, last_modified=found.modified)
            for name, found in levels.all().items()
        }

    @router.get("/{logger}")
    def get(logger: Name) -> LoggerLevel:
        found = levels.get(logger)
        if found is None:
            raise NotFoundError(f"Logger {logger} not found.")
        return LoggerLevel(level=found.level, last_modified=found.modified)

    @router.put("/{logger}", response_model=list[str])
    def put(logger: Name, body: dict[str, str | None], scope: str = "worker") -> Any:
        level = body.get("level")
        if level is None:
            raise BadRequestError("Desired 'level' parameter was not specified in request.")
        affected = levels.put(logger, level)
        return Response(status_code=204) if scope.lower() == "cluster" else affected

    return router
