"""The HTTP behavior of Connect's server where web frameworks differ, as one ASGI layer.

Paths are routed as they were sent, percent-encoded, so a name may hold ``%2F``; one slash at the
end is dropped without a redirect; HEAD works where GET does; OPTIONS lists the methods; request
and response bodies must be JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from restapi.errors import standard

_JSON_RANGES: Final = frozenset({"application/json", "application/*", "*/*"})
_TEXT_PATHS: Final = frozenset({"/metrics"})
_WITH_BODY: Final = frozenset({"POST", "PUT", "PATCH"})
_ORDER: Final = ("HEAD", "DELETE", "POST", "GET", "PUT", "PATCH", "OPTIONS")


class ConnectDialect:
    """Wraps an app whose ``routes`` are given."""

    def __init__(self, app: ASGIApp, routes: Sequence[BaseRoute]) -> None:
        self._app = app
        self._routes = routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer what needs no app, hand over the rest."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope["path"] = _routed(scope)
        methods = self._methods(scope)
        headers = Headers(scope=scope)
        if methods and scope["method"] == "OPTIONS":
            await _options(methods)(scope, receive, send)
        elif scope["method"] in methods and not _accepts_json(scope, headers):
            await standard(406)(scope, receive, send)
        elif scope["method"] in methods & _WITH_BODY and not _sends_json(headers):
            await standard(415)(scope, receive, send)
        elif scope["method"] == "HEAD":
            await self._app({**scope, "method": "GET"}, receive, _without_body(send))
        else:
            await self._app(scope, receive, send)

    def _methods(self, scope: Scope) -> set[str]:
        """Return the methods that the path knows, none for an unknown path."""
        found = {
            method
            for route in self._routes
            if route.matches(scope)[0] is not Match.NONE
            for method in getattr(route, "methods", None) or ()
        }
        if "GET" in found:
            found.add("HEAD")
        return found | {"OPTIONS"} if found else found


def _routed(scope: Scope) -> str:
    raw = scope.get("raw_path")
    path: str = raw.decode("latin-1") if raw else scope["path"]
    return path[:-1] if path.endswith("/") and path != "/" else path


def _options(methods: set[str]) -> PlainTextResponse:
    listed = [method for method in _ORDER if method in methods]
    return PlainTextResponse(", ".join(listed), headers={"Allow": ",".join(listed)})


def _accepts_json(scope: Scope, headers: Headers) -> bool:
    ranges = [
        item.partition(";")[0].strip().lower()
        for line in headers.getlist("accept")
        for item in line.split(",")
        if item.strip()
    ]
    return not ranges or scope["path"] in _TEXT_PATHS or not _JSON_RANGES.isdisjoint(ranges)


def _sends_json(headers: Headers) -> bool:
    sent = headers.get("content-type")
    if sent is None:  # fine without a body, as in Connect
        return "transfer-encoding" not in headers and headers.get("content-length", "0") == "0"
    return sent.partition(";")[0].strip().lower() == "application/json"


def _without_body(send: Send) -> Send:
    async def forward(message: Message) -> None:
        if message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await send(message)

    return forward
