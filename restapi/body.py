"""Request bodies: JSON read the way Connect's JSON reader coerces it.

Scalars become texts where a text is wanted, exactly as they stand in the body: ``1.50`` stays
``1.50`` and ``1e3`` stays ``1e3``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Self

from fastapi import Request, Response
from fastapi.routing import APIRoute

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine


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


class ConnectRequest(Request):
    """A request whose JSON keeps the text of its numbers."""

    async def json(self) -> Any:
        """Parse the body."""
        return json.loads(await self.body(), parse_float=WrittenFloat)


class ConnectRoute(APIRoute):
    """A route that reads bodies so."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Wrap FastAPI's handler."""
        handle = super().get_route_handler()

        async def read_and_handle(request: Request) -> Response:
            return await handle(ConnectRequest(request.scope, request.receive))

        return read_and_handle
