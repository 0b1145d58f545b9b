"""Settings that only one connector may use, such as its topics: sharing them corrupts both."""

from __future__ import annotations

import threading
from collections.abc import Mapping

from connector.errors import StopError


class Claims:
    """The claims of the tasks that run in one worker, by key and value of a setting."""

    def __init__(self) -> None:
        self._holders: dict[tuple[str, str], str] = {}
        self._lock = threading.Lock()

    def reserve(self, connector: str, claims: Mapping[str, str]) -> None:
        """Reserve settings for a connector, all or none.

        :raises StopError: another connector holds one of them.
        """
        with self._lock:
            for text in self._conflicts(connector, claims).values():
                raise StopError(text, "Change the setting, or stop the other connector.")
            self._holders |= dict.fromkeys(claims.items(), connector)

    def release(self, connector: str) -> None:
        """Release all settings that a connector reserved."""
        with self._lock:
            self._holders = {
                claim: holder for claim, holder in self._holders.items() if holder != connector
            }

    def conflicts(self, connector: str, claims: Mapping[str, str]) -> dict[str, str]:
        """Return why a connector cannot reserve its claims, by key."""
        with self._lock:
            return self._conflicts(connector, claims)

    def _conflicts(self, connector: str, claims: Mapping[str, str]) -> dict[str, str]:
        found = {}
        for key, value in claims.items():
            holder = self._holders.get((key, value), connector)
            if holder != connector:
                found[key] = f"The connector {holder} of this worker runs with the same {key}"
        return found
