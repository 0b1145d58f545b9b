"""Errors → status and ``{"error_code", "message"}``, with Connect's texts."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from connector.errors import (
    AlreadyExistsError,
    ConfigError,
    ConflictError,
    MillraceError,
    NotFoundError,
)
from connector.worker.herder import StaleConfigError

_log = logging.getLogger(__name__)


class BadRequestError(MillraceError):
    """A request that makes no sense."""


class ForbiddenError(MillraceError):
    """The worker file does not allow the request."""


class BodyError(HTTPException):
    """A body that cannot be read, with the reason."""

    def __init__(self, reason: str) -> None:
        super().__init__(400, reason)


_STATUSES: Final[Mapping[type[MillraceError], int]] = {
    ConfigError: 400,
    ConflictError: 400,
    BadRequestError: 400,
    ForbiddenError: 403,
    NotFoundError: 404,
    AlreadyExistsError: 409,
    StaleConfigError: 409,
}


def install(app: FastAPI) -> None:
    """Register the handlers of an app."""
    app.add_exception_handler(HTTPException, _http)  # type: ignore[arg-type] # typed by its class
    app.add_exception_handler(RequestValidationError, _body)  # type: ignore[arg-type] # the same
    app.add_exception_handler(MillraceError, _ours)  # type: ignore[arg-type] # the same
    app.add_exception_handler(Exception, _unexpected)


def answer(
    status: int, message: str | None, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """Return the body that every error has."""
    return JSONResponse({"error_code": status, "message": message}, status, headers)


def standard(status: int) -> JSONResponse:
    """Return an error that HTTP itself defines, such as 404 or 415."""
    return answer(status, f"HTTP {status} {HTTPStatus(status).phrase}")


def _http(_: Request, error: HTTPException) -> JSONResponse:
    if isinstance(error, BodyError):
        return answer(error.status_code, error.detail)
    return standard(error.status_code)


def _ours(_: Request, error: MillraceError) -> JSONResponse:
    found = (status for kind, status in _STATUSES.items() if isinstance(error, kind))
    return answer(next(found, 500), str(error))


def _unexpected(request: Request, error: Exception) -> JSONResponse:
    _log.error("%s %s failed.", request.method, request.url.path, exc_info=error)
    return answer(500, f"{type(error).__name__}: {error}")


def _body(_: Request, error: RequestValidationError) -> JSONResponse:
    first = error.errors()[0]
    if first["loc"][0] == "path":
        return standard(404)
    if first["type"] == "json_invalid":
        return answer(400, _syntax(first, str(error.body)))
    return answer(400, _describe(first))


def _describe(error: Mapping[str, Any]) -> str:
    """Describe in the words of Connect's JSON reader what is wrong with a body."""
    kind, found = error["type"], error.get("input")
    place = ".".join(str(part) for part in error["loc"][1:]) or "the body"
    if kind == "missing" or (found is None and len(error["loc"]) == 1):
        return "The request needs a JSON body"
    if kind == "extra_forbidden":
        return f'Unrecognized field "{error["loc"][-1]}" (at {place})'
    if kind == "enum":
        return f"Cannot construct instance of `InitialState`: no such value (at {place})"
    if isinstance(found, list):
        return (
            f"Cannot deserialize value of type `{_java_type(kind)}` from Array value (at {place})"
        )
    if isinstance(found, dict):
        return (
            f"Cannot deserialize value of type `{_java_type(kind)}` from Object value (at {place})"
        )
    return f"Cannot construct instance of `{_java_type(kind)}` from a scalar value (at {place})"


_JAVA_TYPES: Final = {"string_type": "String", "list_type": "List", "dict_type": "Map"}


def _java_type(kind: str) -> str:
    return _JAVA_TYPES.get(kind, "Object")


def _syntax(error: Mapping[str, Any], body: str) -> str:
    """Describe a truncated body or a wrong character; the position counts from 0."""
    position, reason = error["loc"][-1], error["ctx"]["error"]
    if position >= len(body.rstrip()):
        return f"Unexpected end-of-input: {reason}"
    char = body[position]
    return f"Unexpected character ('{char}' (code {ord(char)})) at position {position}: {reason}"
