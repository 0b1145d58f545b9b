"""Sets of global transaction ids: MySQL's (with tags), and what MariaDB's have in common with them.

They are immutable: positions keep the set of their moment for the price of a small copy.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple, Protocol, Self

from connector.errors import ConfigError
from connector.mysql.types.result_cache import ResultCache

_TAG = re.compile("[A-Za-z_][A-Za-z0-9_]{0,31}")
_INTERVAL = re.compile("([0-9]+)(?:-([0-9]+))?")
Interval = tuple[int, int]  # first and last number, both included


class GtidSource(NamedTuple):
    """Who numbers the transactions: a server's UUID and a tag, which may be empty."""

    uuid: str
    tag: str = ""


def _source(numbering: str) -> GtidSource:
    server, _, tag = numbering.partition(":")
    return GtidSource(server.lower(), tag)


_sources = ResultCache(_source)


def source_of(gtid: str) -> str:
    """Return what source filters are asked about: a UUID, or MariaDB's ``domain-server``."""
    server, colon, _ = gtid.partition(":")
    return server if colon else gtid.rpartition("-")[0]


class GtidPosition(Protocol):
    """What the binlog reader and the position need of a set of either kind."""

    def with_all(self, gtids: Iterable[str]) -> GtidPosition:
        """Return the set with some more transactions."""
        ...

    def contains(self, other: GtidPosition) -> bool:
        """Whether every transaction of the other set is in this one."""
        ...

    def __bool__(self) -> bool: ...


class GtidSet:
    """A set of MySQL transactions, in the notation of ``gtid_executed``.

    >>> str(GtidSet.parse("3E11FA47-71CA-11E1-9E33-C80AA9429562:5-7:1-3").with_all(
    ...     ["3e11fa47-71ca-11e1-9e33-c80aa9429562:4"]))
    '3e11fa47-71ca-11e1-9e33-c80aa9429562:1-7'
    """

    __slots__ = ("_intervals",)

    def __init__(self, intervals: Mapping[GtidSource, tuple[Interval, ...]] | None = None) -> None:
        self._intervals = intervals or {}

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a set; line breaks and spaces are ignored.

        :raises ConfigError: when the text is no set of GTIDs.
        """
        found: dict[GtidSource, list[Interval]] = {}
        for member in re.sub(r"\s", "", text).split(","):
            if member:
                for source, interval in _member(member):
                    found.setdefault(source, []).append(interval)
        return cls({source: _merged(intervals) for source, intervals in found.items()})

    def with_all(self, gtids: Iterable[str]) -> GtidSet:
        """Return the set with some more transactions ``uuid[:tag]:number``."""
        found = dict(self._intervals)
        for numbering, first, last in _runs(gtids):
            source = _sources[numbering]
            intervals = found.get(source, ())
            if intervals and intervals[-1][1] + 1 == first:  # the next one: the usual case
                found[source] = (*intervals[:-1], (intervals[-1][0], last))
            else:
                found[source] = _merged([*intervals, (first, last)])
        return GtidSet(found)

    def union(self, other: GtidSet) -> GtidSet:
        """Return the transactions of both sets."""
        sources = [*self._intervals, *(s for s in other._intervals if s not in self._intervals)]
        return GtidSet(
            {source: _merged([*self._of(source), *other._of(source)]) for source in sources}
        )

    def subtract(self, other: GtidSet) -> GtidSet:
        """Return the transactions of this set that are not in the other."""
        left = {}
        for source, intervals in self._intervals.items():
            rest = list(_without(intervals, other._of(source)))
            if rest:
                left[source] = tuple(rest)
        return GtidSet(left)

    def contains(self, other: GtidPosition) -> bool:
        """Whether every transaction of the other set is in this one."""
        return isinstance(other, GtidSet) and not other.subtract(self)

    def only(self, keep: Callable[[str], bool]) -> GtidSet:
        """Return the transactions of those servers whose UUID passes the test."""
        return GtidSet({s: i for s, i in self._intervals.items() if keep(s.uuid)})

    def sources(self) -> set[GtidSource]:
        """Return the sources that have a transaction in this set."""
        return set(self._intervals)

    def of_sources(self, sources: Iterable[GtidSource]) -> GtidSet:
        """Return the transactions of some sources."""
        selected = set(sources)
        return GtidSet({s: i for s, i in self._intervals.items() if s in selected})

    def encode(self) -> bytes:
        """Return the set as COM_BINLOG_DUMP_GTID takes it (MySQL's sql/rpl_gtid_set.cc).

        Without tags the payload starts with the number of UUIDs in eight bytes. With tags it
        starts with the format 1, the count shifted by one byte, and the format again.
        """
        tagged = any(source.tag for source in self._intervals)
        count = len(self._intervals)
        head = count if not tagged else 1 | count << 8 | 1 << 56
        parts = [head.to_bytes(8, "little")]
        for source in sorted(self._intervals):
            parts.append(uuid.UUID(source.uuid).bytes)
            if tagged:
                tag = source.tag.encode("ascii")
                parts.append(bytes([len(tag) << 1]) + tag)
            intervals = self._intervals[source]
            parts.append(len(intervals).to_bytes(8, "little"))
            for first, last in intervals:
                parts.append(first.to_bytes(8, "little") + (last + 1).to_bytes(8, "little"))
        return b"".join(parts)

    def _of(self, source: GtidSource) -> tuple[Interval, ...]:
        return self._intervals.get(source, ())

    def __bool__(self) -> bool:
        return bool(self._intervals)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GtidSet) and self._intervals == other._intervals

    def __hash__(self) -> int:
        return hash(frozenset(self._intervals.items()))

    def __str__(self) -> str:
        """Every interval as ``first-last``; the tags of a server follow its own intervals."""
        servers: dict[str, list[str]] = {}
        for source, intervals in sorted(self._intervals.items()):
            parts = servers.setdefault(source.uuid, [])
            if source.tag:
                parts.append(source.tag)
            parts.extend(f"{first}-{last}" for first, last in intervals)
        uuids = dict.fromkeys(source.uuid for source in self._intervals)
        return ",".join(":".join([server, *servers[server]]) for server in uuids)

    def __repr__(self) -> str:
        return f"GtidSet({self})"


def _runs(gtids: Iterable[str]) -> Iterator[tuple[str, int, int]]:
    """Yield runs of transactions with consecutive numbers: who numbers them, first and last one."""
    run, first, last = "", 0, 0
    for gtid in gtids:
        numbering, _, digits = gtid.rpartition(":")
        number = int(digits)
        if number != last + 1 or numbering != run:
            if run:
                yield run, first, last
            run, first = numbering, number
        last = number
    if run:
        yield run, first, last


def _member(text: str) -> Iterator[tuple[GtidSource, Interval]]:
    server, *parts = text.split(":")
    try:
        server = str(uuid.UUID(server))
    except ValueError:
        raise ConfigError(f"{text!r} is not a GTID set: {server!r} is not a UUID") from None
    tag = ""
    for part in parts:
        if _TAG.fullmatch(part):
            tag = part.lower()
            continue
        match = _INTERVAL.fullmatch(part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 0 < first <= last:
            raise ConfigError(f"{text!r} is not a GTID set: {part!r} is no interval")
        yield GtidSource(server, tag), (first, last)


def _merged(intervals: Iterable[Interval]) -> tuple[Interval, ...]:
    merged: list[Interval] = []
    for first, last in sorted(intervals):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return tuple(merged)


def _without(intervals: Iterable[Interval], taken: Iterable[Interval]) -> Iterator[Interval]:
    holes = sorted(taken)
    for first, last in intervals:
        start = first
        for hole_first, hole_last in holes:
            if hole_last < start or hole_first > last:
                continue
            if hole_first > start:
                yield start, hole_first - 1
            start = hole_last + 1
        if start <= last:
            yield start, last
