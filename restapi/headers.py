"""Headers of every answer, and the access log."""

from __future__ import annotations

import csv
import logging
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from email.utils import formatdate
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from connector.errors import ConfigError

_access = logging.getLogger("restapi.access")

_KEY: Final = "response.http.headers.config"
# A name is a token, and a value has no control characters (RFC 9110, 5.1 and 5.5).
_RULE: Final = re.compile(
    r"(?i)\s*(add|set|addDate|setDate)\s+([!#$%&'*+.^_`|~0-9a-z-]+)\s*:"
    r"\s*([\t\x20-\x7e\x80-\xff]*?)\s*",
    re.ASCII,
)
_LATEST: Final = 253_402_300_799_999  # the last millisecond of the year 9999


@dataclass(frozen=True, slots=True)
class HeaderRule:
    """One header of every answer. ``set`` replaces a header, ``add`` adds another of that name."""

    name: str
    value: str
    replaces: bool
    dated: bool

    def apply(self, headers: MutableHeaders) -> None:
        """Put the header into an answer; a date is its value in milliseconds since 1970."""
        value = formatdate(int(self.value) / 1000, usegmt=True) if self.dated else self.value
        if self.replaces:
            headers[self.name] = value
        else:
            headers.append(self.name, value)


def parse_rules(text: str) -> list[HeaderRule]:
    """Parse ``response.http.headers.config``: rules joined by commas, quoted where they hold one.

    :raises ConfigError: naming the rule.
    """
    fields = next(csv.reader([text], skipinitialspace=True), [])
    return [_rule(item) for item in fields if item.strip()]


def _rule(text: str) -> HeaderRule:
    match = _RULE.fullmatch(text)
    dated = match is not None and match[1].lower().endswith("date")
    if match is None or (dated and not _is_moment(match[3])):
        raise ConfigError(
            f"Invalid value {text} for configuration {_KEY}: a rule is written as "
            "'[add|set|addDate|setDate] name: value', the value of a date in milliseconds."
        )
    return HeaderRule(match[2], match[3], match[1].lower().startswith("set"), dated)


def _is_moment(text: str) -> bool:
    return text.isdecimal() and int(text[:20]) <= _LATEST


class ResponseHeaders:
    """Adds the configured headers to each answer and writes a line to the access log."""

    def __init__(self, app: ASGIApp, rules: Sequence[HeaderRule]) -> None:
        self._app = app
        self._rules = rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        method, path = scope["method"], _path_as_sent(scope)
        client = (scope.get("client") or ("-",))[0]

        async def forward(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for rule in self._rules:
                    rule.apply(headers)
                taken = round((time.perf_counter() - began) * 1000)
                size = headers.get("content-length", "0")
                _access.info(
                    '%s "%s %s" %d %s %d ms', client, method, path, message["status"], size, taken
                )
            await send(message)

        await self._app(scope, receive, forward)


def _path_as_sent(scope: Scope) -> str:
    """Return the path still percent-encoded: decoded, it may hold line breaks."""
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    return raw.decode("latin-1")
