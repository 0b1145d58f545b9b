"""The servers that ``database.hostname`` names, one of which is used at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from connector.config import invalid

_KEY: Final = "database.hostname"
_MEMBER: Final = re.compile(r"(\[(?P<v6>[^\[\]]+)\]|(?P<host>[^\s:\[\]]+))(:(?P<port>\d{1,5}))?")


@dataclass(frozen=True, slots=True)
class Address:
    """Host name or address, and port."""

    host: str
    port: int

    def __str__(self) -> str:
        """Return the address as the configuration has it."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class Addresses:
    """All sessions of a capture share them; used by its thread."""

    def __init__(self, addresses: Sequence[Address]) -> None:
        self._all = addresses
        self.current = addresses[0]

    def __len__(self) -> int:
        """Return how many servers there are."""
        return len(self._all)

    def __iter__(self) -> Iterator[Address]:
        """Yield all, as they are configured."""
        return iter(self._all)

    def others(self) -> Iterator[Address]:
        """Yield all but the present one, beginning with the one after it."""
        start = self._all.index(self.current) + 1
        yield from (one for one in (*self._all[start:], *self._all[:start]) if one != self.current)


def parse_addresses(text: str, port: int) -> list[Address]:
    """Read a list of ``host`` or ``host:port``; a single one may be anything without a comma.

    :raises ConfigError: a member of a list has another form.
    """
    members = [part.strip() for part in text.split(",")]
    if len(members) == 1:
        found = _MEMBER.fullmatch(members[0])
        if found is None or found["port"] is None:
            return [Address(members[0], port)]
    return list(dict.fromkeys(_address(member, port, text) for member in members))


def _address(member: str, port: int, text: str) -> Address:
    found = _MEMBER.fullmatch(member)
    if found is None:
        raise invalid(
            _KEY,
            text,
            f"{member or 'an empty name'} is not of the form host, host:port or [IPv6]:port",
        )
    number = int(found["port"] or port)
    if not 0 < number < 1 << 16:
        raise invalid(_KEY, text, f"{number} is not a port")
    return Address(found["v6"] or found["host"], number)
