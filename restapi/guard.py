"""Refuses requests that must not reach the API: too large, ambiguous, or sent by foreign sites."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from restapi.errors import answer

_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_OWN_SITE: Final = frozenset({"same-origin", "none"})
_CLOSE: Final = {"Connection": "close"}


class RequestGuard:
    """Wraps an app; ``origins`` matches the foreign sites that may call it, None is none."""

    def __init__(self, app: ASGIApp, origins: re.Pattern[str] | None, largest_body: int) -> None:
        self._app = app
        self._origins = origins
        self._largest_body = largest_body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on a request with its whole body, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope["method"], headers)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        messages = await self._read(receive)
        if messages is None:
            await self._too_large()(scope, receive, send)
            return
        await self._app(scope, _replay(messages, receive), send)

    def _refusal(self, method: str, headers: Headers) -> Response | None:
        if "transfer-encoding" in headers and "content-length" in headers:
            text = "A request has either Content-Length or Transfer-Encoding, not both"
            return answer(400, text, _CLOSE)
        if int(headers.get("content-length", "0")) > self._largest_body:
            return self._too_large()
        if method not in _SAFE and not self._is_own_site(headers):
            return answer(
                403,
                "Requests from other sites are refused; access.control.allow.origin lists the "
                "origins that may call",
            )
        return None

    def _too_large(self) -> Response:
        text = (
            f"The body is larger than {self._largest_body} bytes (millrace.rest.max.body.bytes "
            "in the worker file)"
        )
        return answer(413, text, _CLOSE)

    def _is_own_site(self, headers: Headers) -> bool:
        """Decide by the headers that a browser adds; other clients send neither of them."""
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if origin is not None and self._origins is not None and self._origins.fullmatch(origin):
            return True
        if site is not None:
            return site in _OWN_SITE
        return origin is None or urlsplit(origin).netloc == headers.get("host")

    async def _read(self, receive: Receive) -> list[Message] | None:
        """Return the messages of a body, None when it is too large."""
        messages, size = [], 0
        while True:
            message = await receive()
            messages.append(message)
            size += len(message.get("body", b""))
            if size > self._largest_body:
                return None
            if not message.get("more_body", False):
                return messages


def _replay(messages: list[Message], receive: Receive) -> Receive:
    waiting = iter(messages)

    async def replay() -> Message:
        message = next(waiting, None)
        return await receive() if message is None else message

    return replay
