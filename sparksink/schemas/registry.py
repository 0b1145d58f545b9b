"""A client of Confluent's schema registry."""

from __future__ import annotations

import math
import time
from functools import cached_property
from typing import Final

import httpx

from sparksink.config.source import Registry
from sparksink.errors import SinkError, TableError

_TRIES: Final = 6
_TIMEOUT_SECONDS: Final = 10


class SchemaRegistryClient:
    """Reads schemas by id and caches them: forever by default, as they never change."""

    def __init__(self, config: Registry | None) -> None:
        self._config = config
        self._seconds = (config and config.cache_ttl) or math.inf
        self._known: dict[int, tuple[str, float]] = {}

    def schema(self, identifier: int) -> str:
        """Return an Avro schema as JSON.

        :raises TableError: the schema does not exist, or no registry is configured.
        :raises SinkError: the registry does not answer.
        """
        text, read_at = self._known.get(identifier, ("", -math.inf))
        if not text or time.monotonic() - read_at > self._seconds:
            text = self._read(identifier)
            self._known[identifier] = (text, time.monotonic())
        return text

    def check(self) -> None:
        """Check that the registry responds.

        :raises SinkError: it does not respond, or with an error.
        """
        assert self._config is not None
        answer = self._get(f"{self._config.url.rstrip('/')}/subjects")
        if answer.is_error:
            raise SinkError(f"The schema registry responds with status {answer.status_code}.")

    def _read(self, identifier: int) -> str:
        if self._config is None:
            raise TableError("Messages are in Avro.", "Set source.schema.registry.url.")
        answer = self._get(f"{self._config.url.rstrip('/')}/schemas/ids/{identifier}")
        if answer.status_code == httpx.codes.NOT_FOUND:
            raise TableError(f"The schema registry has no schema {identifier}.")
        if answer.is_error:
            raise SinkError(f"The schema registry responds with status {answer.status_code}.")
        return str(answer.json()["schema"])

    @cached_property
    def _client(self) -> httpx.Client:
        """One client for all requests: corrupt messages may ask for any number of schemas."""
        assert self._config is not None
        user, _, password = (self._config.basic_auth or "").partition(":")
        auth = httpx.BasicAuth(user, password) if user else None
        return httpx.Client(auth=auth, timeout=_TIMEOUT_SECONDS)

    def _get(self, url: str) -> httpx.Response:
        for attempt in range(_TRIES):
            try:
                return self._client.get(url)
            except httpx.TransportError as error:
                if attempt == _TRIES - 1:
                    raise SinkError(f"The schema registry does not respond: {error}") from error
                time.sleep(2**attempt)
        raise AssertionError("unreachable")
