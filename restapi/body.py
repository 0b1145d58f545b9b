"""Request bodies: JSON read with the coercions of Connect's JSON reader.

Scalars become texts where a text is expected, exactly as written in the body: ``1.50`` stays
``1.50`` and ``1e3`` stays ``1e3``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Coroutine
from typing import Any, Final, Self

from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool

from restapi.errors import BodyError

_LARGE: Final = 1 << 16  # bytes; smaller bodies are read at once, larger ones in a thread
_MOST_ELEMENTS: Final = 200_000
_DEEPEST: Final = 100
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"')
_PUNCTUATION: Final = re.compile(r"[^\[\]{}]+")
_ESCAPED_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")


class WrittenFloat(float):
    """A number that remembers how it was written."""

    text: str

    def __new__(cls, text: str) -> Self:
        """Read the number."""
        number = super().__new__(cls, text)
        number.text = text
        return number


def as_text(value: Any) -> str | None:
    """Return a scalar as a text, null as None.

    :raises TypeError: an object or array.
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, WrittenFloat):
        return value.text
    if isinstance(value, int):
        return str(value)
    raise TypeError(type(value).__name__)


def parse(body: bytes) -> Any:
    """Parse a body.

    :raises JSONDecodeError: it is not JSON.
    :raises BodyError: it is not UTF-8, nests too deeply, or holds NaN or half of a surrogate pair.
    """
    try:
        text = body.decode(json.detect_encoding(body))
    except UnicodeDecodeError as error:
        raise BodyError(f"Invalid UTF-8 at byte {error.start}") from None
    _check_structure(text)
    try:
        value = json.loads(text, parse_float=WrittenFloat, parse_constant=_refuse_constant)
    except ValueError as error:
        if isinstance(error, json.JSONDecodeError):
            raise
        raise BodyError("A number has too many digits") from None
    if _ESCAPED_SURROGATE.search(text):
        _check_surrogates(value)
    return value


def _refuse_constant(name: str) -> Any:
    raise BodyError(f"{name} is no number of JSON")


def is_finite(value: Any) -> bool:
    """Whether all numbers of a parsed body can be written as JSON; 1e999 cannot."""
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return False
    return True


def _check_structure(text: str) -> None:
    """Refuse what takes long to parse, before it is parsed: other requests wait meanwhile."""
    opening = text.count("[") + text.count("{")
    if opening <= _DEEPEST and text.count(",") <= _MOST_ELEMENTS:
        return
    outline = _STRING.sub("", text)
    opening = outline.count("[") + outline.count("{")
    if opening + outline.count(",") > _MOST_ELEMENTS:
        raise BodyError(f"The body has more than {_MOST_ELEMENTS} elements")
    depth = 0
    for bracket in _PUNCTUATION.sub("", outline):
        depth += 1 if bracket in "[{" else -1
        if depth > _DEEPEST:
            raise BodyError(f"The body is nested more than {_DEEPEST} levels deep")


def _check_surrogates(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise BodyError("A text holds half of a surrogate pair, which is no character") from None


class ConnectRequest(Request):
    """A request whose JSON keeps the text of its numbers."""

    async def json(self) -> Any:
        """Parse the body; a large one in a thread, so that other requests are answered."""
        body = await self.body()
        return parse(body) if len(body) < _LARGE else await run_in_threadpool(parse, body)


class ConnectRoute(APIRoute):
    """A route that reads bodies so."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Wrap FastAPI's handler."""
        handle = super().get_route_handler()

        async def read_and_handle(request: Request) -> Response:
            return await handle(ConnectRequest(request.scope, request.receive))

        return read_and_handle
