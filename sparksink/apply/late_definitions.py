"""Waits for table definitions that messages of a batch need.

The connector writes a definition before the first message that needs it, but to another topic,
where it can become visible later.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Final

from pyspark.sql import DataFrame

from sparksink.apply.topic_tables import TopicTables
from sparksink.decode.batch_summary import summarize
from sparksink.decode.format_names import PLAIN, has_columns
from sparksink.decode.message_schemas import MessageSchemas
from sparksink.decode.schema_discovery import FormatCount
from sparksink.decode.undefined_columns import undefined_columns
from sparksink.decode.undefined_fields import UNDEFINED

DEFINITION_SECONDS: Final = 10.0
"""How long a batch waits."""
_LOOK_SECONDS: Final = 0.5


class LateDefinitions:
    """Waits once for each topic, until another statement arrives: a definition may never come.

    ``tables`` returns the tables of a topic. ``read`` reads new statements and returns whether
    there are any; None without a schema-change topic.
    """

    def __init__(
        self,
        layouts: MessageSchemas,
        tables: Callable[[str], TopicTables],
        read: Callable[[], bool] | None,
        seconds: float,
    ) -> None:
        self._layouts = layouts
        self._tables = tables
        self._read = read
        self._seconds = seconds
        self._missed: set[str] = set()

    def summarize(self, messages: DataFrame) -> tuple[DataFrame, list[FormatCount]]:
        """Assign formats to messages and count them, when their tables are defined."""
        until = time.monotonic() + self._seconds
        while True:
            frame, counts = summarize(messages, self._layouts)
            if self._read is None or (lacking := self._lacking(counts)) <= self._missed:
                return frame, counts
            if not self._wait(self._read, until):
                self._missed |= lacking
                return frame, counts
            self._missed.clear()
            frame.unpersist()

    def _wait(self, read: Callable[[], bool], until: float) -> bool:
        """Return whether new statements have arrived before a time."""
        while not (arrived := read()) and time.monotonic() < until:
            time.sleep(_LOOK_SECONDS)
        return arrived

    def _lacking(self, counts: Iterable[FormatCount]) -> set[str]:
        """Return the topics with messages that a definition is missing for."""
        return {topic for topic, mark in {(o.topic, o.mark) for o in counts}
                if mark == UNDEFINED or self._lacks(topic, mark)}  # fmt: skip

    def _lacks(self, topic: str, mark: str) -> bool:
        """Return whether messages of a mark need a definition that is missing.

        Without definitions those with a schema do as long as their table is new. A column that no
        definition has is a transform's, if it came before; one of a former name is not.
        """
        if not has_columns(mark):
            return False
        if self._layouts.definition_error(self._layouts.table(topic)) is not None:
            return True
        defined = self._layouts.defined_columns(topic, "")
        if defined is None:
            return mark == PLAIN or not self._tables(topic).exist()
        return any(
            name.lower() in defined or not self._tables(topic).has_column(name)
            for name in undefined_columns(self._layouts, topic, mark)
        )
