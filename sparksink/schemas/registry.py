"""Schemas from a Confluent schema registry."""

from __future__ import annotations

import math
import time
from typing import Final

import httpx

from sparksink.config.source import Registry
from sparksink.errors import SinkError, TableError

_TRIES: Final = 6
_TIMEOUT_SECONDS: Final = 10


class SchemaRegistryClient:
    """Asks for schemas by id and keeps them: for good, as they never change, or as long as told."""

    def __init__(self, config: Registry | None) -> None:
        self._config = config
        self._seconds = (config and config.cache_ttl) or math.inf
        self._known: dict[int, tuple[str, float]] = {}

    def schema(self, identifier: int) -> str:
        """Return the text of an Avro schema.

        :raises TableError: there is no such schema, or no registry is configured.
        :raises SinkError: the registry does not answer.
        """
        text, asked = self._known.get(identifier, ("", -math.inf))
        if not text or time.monotonic() - asked > self._seconds:
            text = self._ask(identifier)
            self._known[identifier] = (text, time.monotonic())
        return text

    def ask(self) -> None:
        """Check that the registry answers.

        :raises SinkError: it does not, or with an error.
        """
        assert self._config is not None
        answer = self._get(f"{self._config.url.rstrip('/')}/subjects")
        if answer.is_error:
            raise SinkError(f"The schema registry answers with {answer.status_code}.")

    def _ask(self, identifier: int) -> str:
        if self._config is None:
            raise TableError(
                "Messages are in Avro.", "Set source.schema.registry to the registry's address."
            )
        answer = self._get(f"{self._config.url.rstrip('/')}/schemas/ids/{identifier}")
        if answer.status_code == httpx.codes.NOT_FOUND:
            raise TableError(f"The schema registry has no schema {identifier}.")
        if answer.is_error:
            raise SinkError(f"The schema registry answers with {answer.status_code}.")
        return str(answer.json()["schema"])

    def _get(self, url: str) -> httpx.Response:
        assert self._config is not None
        user, _, password = (self._config.basic_auth or "").partition(":")
        auth = httpx.BasicAuth(user, password) if user else None
        for attempt in range(_TRIES):
            try:
                return httpx.get(url, auth=auth, timeout=_TIMEOUT_SECONDS)
            except httpx.TransportError as error:
                if attempt == _TRIES - 1:
                    raise SinkError(f"The schema registry does not answer: {error}") from error
                time.sleep(2**attempt)
        raise AssertionError("unreachable")
