"""MariaDB's sets of global transaction ids: the last one of each replication domain.

They are immutable, as MySQL's are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Self

from connector.errors import ConfigError
from connector.mysql.position.gtid import GtidPosition


class MariaDbGtidSet:
    """MariaDB's position: the last transaction of each replication domain.

    A GTID is ``domain-server-sequence``; a set is a comma-separated list of them.
    """

    __slots__ = ("_last",)

    def __init__(self, last: Mapping[int, tuple[int, int]] | None = None) -> None:
        self._last = last or {}

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a position.

        :raises ConfigError: when the text is none.
        """
        last = {}
        for gtid in re.sub(r"\s", "", text).split(","):
            if gtid:
                domain, server, sequence = _parts_of(gtid)
                last[domain] = (server, sequence)
        return cls(last)

    def with_all(self, gtids: Iterable[str]) -> MariaDbGtidSet:
        """Return the position with some more transactions."""
        found = dict(self._last)
        for gtid in gtids:
            domain, server, sequence = _parts_of(gtid)
            found[domain] = (server, sequence)
        return MariaDbGtidSet(found)

    def contains(self, other: GtidPosition) -> bool:
        """Whether this position is at or behind the other one in every domain."""
        if not isinstance(other, MariaDbGtidSet):
            return False
        return all(
            domain in self._last and self._last[domain][1] >= sequence
            for domain, (_, sequence) in other.domains().items()
        )

    def only(self, keep: Callable[[str], bool]) -> MariaDbGtidSet:
        """Return the position in those streams whose ``domain-server`` passes the test."""
        last = self._last.items()
        return MariaDbGtidSet({d: (s, n) for d, (s, n) in last if keep(f"{d}-{s}")})

    def without(self, drop: Callable[[str], bool]) -> MariaDbGtidSet:
        """Return the position in those streams whose ``domain-server`` does not pass the test."""
        return self.only(lambda stream: not drop(stream))

    def joined(self, other: MariaDbGtidSet) -> MariaDbGtidSet:
        """Return the position in the domains of both; where both have one, that of the other."""
        return MariaDbGtidSet({**self._last, **other._last})

    def domains(self) -> dict[int, tuple[int, int]]:
        """Return server and sequence of the last transaction of each domain."""
        return dict(self._last)

    def __bool__(self) -> bool:
        return bool(self._last)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MariaDbGtidSet) and self._last == other._last

    def __hash__(self) -> int:
        return hash(frozenset(self._last.items()))

    def __str__(self) -> str:
        return ",".join(f"{d}-{server}-{seq}" for d, (server, seq) in self._last.items())

    def __repr__(self) -> str:
        return f"MariaDbGtidSet({self})"


def _parts_of(gtid: str) -> tuple[int, int, int]:
    try:
        domain, server, sequence = map(int, gtid.split("-"))
    except ValueError:
        raise ConfigError(f"{gtid!r} is not a MariaDB GTID (domain-server-sequence)") from None
    return domain, server, sequence
