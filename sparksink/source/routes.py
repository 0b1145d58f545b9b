"""Maps topics to tables."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sparksink.config.keys import SinkConfig
from sparksink.source import routed_tables


@dataclass(frozen=True, slots=True)
class Route:
    """The target tables of a topic; ``table`` is ``db.table`` at the source."""

    topic: str
    table: str
    mirror: str
    history: str


class Routes:
    """Names the tables of topics: ``prefix.db.table`` is the topic of ``db.table``.

    Each routed table of a topic has its own route. `TargetNames` finds routes to the same table.
    """

    def __init__(self, config: SinkConfig) -> None:
        self._config = config
        self._target = config.target

    def route(self, topic: str) -> Route:
        """Return the route of a topic or routed table."""
        *before, table = routed_tables.table_name_parts(topic)
        database = before[-1] if before else ""
        own = self._config.table(f"{database}.{table}").target
        mirror = self._name(own.name or self._target.table_name, database, table)
        history = self._name(own.history_name or self._target.history_name, database, table)
        return Route(topic, f"{database}.{table}", mirror, history)

    def _name(self, template: str, database: str, table: str) -> str:
        name = re.sub(r"\W", "_", template.format(db=database, table=table))
        return name.lower() if self._target.name_case == "lower" else name
