"""Assigns the names of target tables to topics, so that no table gets the rows of two topics."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable

from sparksink.config.keys import SinkConfig
from sparksink.errors import ConfigError, TableError
from sparksink.source.routed_tables import is_table
from sparksink.source.routes import Route, Routes


class TargetNames:
    """A name belongs to the first topic that claims it, whatever its case: catalogs ignore case.

    ``applied`` returns the topics that earlier jobs have applied, which claim first; ``exists``
    returns whether a target table exists. A mirror or a history that the settings disable keeps its
    name while it exists: tables without a key have a history regardless of the settings.
    """

    def __init__(
        self,
        config: SinkConfig,
        exists: Callable[[str], bool],
        applied: Callable[[], Collection[str]],
    ) -> None:
        self._config = config
        self._exists = exists
        self._applied = applied
        self._routes = Routes(config)
        self._earlier: set[str] | None = None
        self._tables: dict[str, str] = {}
        self._owners: dict[str, str] = {}
        self._disabled: dict[str, Route] = {}
        self._errors: dict[str, TableError | None] = {}
        self._lock = threading.Lock()

    def claim(self, topics: Iterable[str]) -> None:
        """Claim the names of topics, in the order of the topics' names.

        :raises ConfigError: two topics have messages of one table.
        """
        with self._lock:
            if self._earlier is None:
                self._earlier = {*self._applied()}
                self._claim_new(self._earlier, earlier=True)
            self._claim_new(topics, earlier=False)

    def check(self, topic: str) -> None:
        """Refuse to write the tables of a topic if one belongs to another topic.

        :raises TableError: it does.
        """
        self.claim([topic])
        if error := self._errors.get(topic):
            raise error

    def owns(self, topic: str) -> bool:
        """Return whether the tables of a topic are its own."""
        self.claim([topic])
        return self._errors.get(topic) is None

    def claim_history(self, route: Route) -> None:
        """Claim the name of a history that the settings disable.

        :raises TableError: it belongs to another topic.
        """
        with self._lock:
            self._take(route, [route.history], earlier=route.topic in (self._earlier or ()))

    def _claim_new(self, topics: Iterable[str], *, earlier: bool) -> None:
        for topic in sorted({*filter(is_table, topics)} - self._errors.keys()):
            route = self._routes.route(topic)
            other = self._tables.setdefault(route.table, topic)
            if other != topic:
                raise ConfigError(f"source.topics: {other} and {topic} are both {route.table}.")
            self._errors[topic] = self._claim_enabled(route, earlier=earlier)

    def _claim_enabled(self, route: Route, *, earlier: bool) -> TableError | None:
        """Claim the enabled names of a route; return the error if one belongs to another topic."""
        rules = self._config.table(route.table)
        is_enabled = {route.mirror: rules.mirror.enabled, route.history: rules.history.enabled}
        if earlier:
            disabled = (name for name, enabled in is_enabled.items() if not enabled)
            self._disabled |= {name.lower(): route for name in disabled}
        try:
            names = [name for name, enabled in is_enabled.items() if enabled]
            self._take(route, names, earlier=earlier)
        except TableError as error:
            return error
        return None

    def _take(self, route: Route, names: Collection[str], *, earlier: bool) -> None:
        """Let names belong to a route.

        :raises TableError: one belongs to another topic.
        """
        for name in names:
            given = name.lower()
            owner = self._owners.get(given) or (None if earlier else self._kept_by(given))
            if owner not in {None, route.topic}:
                raise TableError(
                    f"{route.table} would be written to {name}, which belongs to {owner}.",
                    "Set target.name or target.history.name for it in tables, and run park replay.",
                )
        self._owners |= {name.lower(): route.topic for name in names}

    def _kept_by(self, name: str) -> str | None:
        """Return the topic with a disabled table of this name that exists."""
        route = self._disabled.get(name)
        given = (route.mirror, route.history) if route else ()
        there = any(self._exists(one) for one in given if one.lower() == name)
        return route.topic if route and there else None
