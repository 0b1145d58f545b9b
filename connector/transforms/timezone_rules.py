"""The rules of Debezium's TimezoneConverter: which fields of which tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from connector.errors import ConfigError

_FORM: Final = re.compile(
    r'\[(?:source|topic|[".\w\s]+):(?:[".\w\s]+(?::[".\w\s]+)?(?:,|\]$))+', re.ASCII
)
_PARTS: Final = ("source", "before", "after")


class Fields(NamedTuple):
    """The fields of an event to convert: all, some, or all but some."""

    names: frozenset[str]
    excluded: bool

    def of(self, part: str) -> frozenset[str] | None:
        """Return the names within a struct of the event, None if it is left alone."""
        found = set()
        for name in self.names:
            struct, dot, inner = name.partition(".")
            if dot and struct in _PARTS:
                if struct == part:
                    found.add(inner)
            elif part != "source":
                found.add(name)
        return None if part == "source" and not found else frozenset(found)

    def includes(self, part: str, name: str) -> bool:
        """Return whether a field is converted."""
        if not self.names:
            return True
        return (name in (self.of(part) or ())) is not self.excluded


_ALL: Final = Fields(frozenset(), excluded=True)


class TimezoneRules:
    """The settings include.list and exclude.list.

    :raises ConfigError: both are set, or a rule has another form.
    """

    def __init__(self, include: Sequence[str], exclude: Sequence[str]) -> None:
        if include and exclude:
            raise ConfigError(
                "Both include and exclude lists are specified. Please specify only one."
            )
        for kind, rules in (("include", include), ("exclude", exclude)):
            if rules and not _FORM.fullmatch(f"[{', '.join(rules)}]"):
                raise ConfigError(
                    f"Invalid {kind} list format. Please specify a list of rules in the format of "
                    '"source:<tablename>:<fieldnames>", "topic:<topicname>:<fieldnames>", '
                    '"<matchname>:<fieldnames>"'
                )
        self._excludes = bool(exclude)
        self._is_empty = not include and not exclude
        self._topics: dict[str, set[str]] = {}
        self._tables: dict[str, set[str]] = {}
        self._either: dict[str, set[str]] = {}
        self._collect(exclude or include)

    def _collect(self, rules: Sequence[str]) -> None:
        kind = None  # a rule without one has that of the rule before
        for rule in rules:
            parts = rule.split(":")
            if len(parts) > 1 and parts[0].lower() in ("source", "topic"):
                kind, *parts = parts
            chosen = {"topic": self._topics, "source": self._tables}.get(kind or "", self._either)
            fields = chosen.setdefault(parts[0], set())
            fields.update(parts[1:2])

    def of(self, topic: str, table: str | None) -> Fields | None:
        """Return the fields to convert in events of a table, None for none."""
        if self._is_empty:
            return _ALL
        fields = self._find(topic, table or "")
        if fields is None:
            return _ALL if self._excludes else None
        if not fields:
            return None if self._excludes else _ALL
        return Fields(frozenset(fields), self._excludes)

    def _find(self, topic: str, table: str) -> set[str] | None:
        for rules, name in (
            (self._topics, topic),
            (self._tables, table),
            (self._either, topic),
            (self._either, table),
        ):
            if name in rules:
                return rules[name]
        return None
