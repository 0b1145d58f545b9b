"""Which topic goes into which tables."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sparksink.config.target import Target
from sparksink.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Route:
    """Where a topic goes: ``table`` is ``db.table`` at the source."""

    topic: str
    table: str
    mirror: str
    history: str


class Routes:
    """Names the tables of topics: ``prefix.db.table`` is the topic of ``db.table``."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._taken: dict[str, str] = {}

    def of(self, topic: str) -> Route:
        """Return the route of a topic.

        :raises ConfigError: its tables would be those of another topic.
        """
        *before, table = topic.split(".")
        database = before[-1] if before else ""
        mirror = self._name(self._target.table_name, database, table)
        history = self._name(self._target.history_name, database, table)
        for name in (mirror, history):
            other = self._taken.setdefault(name.lower(), topic)
            if other != topic:
                raise ConfigError(f"The topics {other} and {topic} would both go into {name}.")
        return Route(topic, f"{database}.{table}", mirror, history)

    def _name(self, template: str, database: str, table: str) -> str:
        name = re.sub(r"\W", "_", template.format(db=database, table=table))
        return name.lower() if self._target.name_case == "lower" else name
