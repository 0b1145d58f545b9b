"""Decides which key the rows of a topic have: that of their messages or definition, or none."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from sparksink.apply.batch import TopicBatch
from sparksink.apply.topic_schemas import TopicSchemas
from sparksink.apply.topic_tables import TopicTables
from sparksink.change_position import ChangePosition
from sparksink.decode.changes import changes
from sparksink.decode.message_schema import MessageSchema
from sparksink.decode.message_schemas import MessageSchemas
from sparksink.source.routes import Route


class RowKeys:
    """The key of a topic's rows; without a key after DROP PRIMARY KEY."""

    def __init__(
        self, route: Route, schemas: TopicSchemas, targets: TopicTables, layouts: MessageSchemas
    ) -> None:
        self._route = route
        self._schemas = schemas
        self._targets = targets
        self._layouts = layouts

    def plan(
        self, part: TopicBatch, layouts: Sequence[MessageSchema]
    ) -> tuple[tuple[str, ...], bool]:
        """Return the key, and whether the messages do not know it.

        :raises TableError: the rows of the mirror have a key, and later rows have none.
        """
        message_key = self._schemas.message_key([one.mark for one in layouts])
        keys = self._targets.keys(message_key)
        if keys and self._may_be_lost(part) and self._is_lost(part, layouts, keys):
            self._targets.check_keyless()
            return (), False
        return keys, bool(keys) and keys != message_key

    def _may_be_lost(self, part: TopicBatch) -> bool:
        """Return whether messages without a key may be rows without one.

        A transform can remove all keys: then the key is that of the definition.
        """
        if not part.keyless or self._targets.has_configured_key:
            return False
        versions = self._layouts.versions(self._route.table)
        defined = versions is not None and bool(versions.newest.keys)
        return not defined or self._layouts.has_keys(self._route.topic)

    def _is_lost(
        self, part: TopicBatch, layouts: Sequence[MessageSchema], keys: tuple[str, ...]
    ) -> bool:
        """Return whether the last row has no key; a TRUNCATE never has one."""
        readings = [self._schemas.reading(one, keys, moves=False) for one in layouts]
        pairs = [*zip(layouts, readings, strict=True)]

        def last(condition: str) -> ChangePosition | None:
            frames = [
                changes(part.of_format(layout.mark).where(condition), layout, reading)
                for layout, reading in pairs
            ]
            return _last_position(frames)

        without = last("key IS NULL")
        if without is None:
            return False
        behind = None if self._targets.has_mirror else last("key IS NOT NULL")
        return behind is None or behind < without


def _last_position(frames: Sequence[DataFrame]) -> ChangePosition | None:
    """Return the position of the last readable row."""
    columns = ("__seq_hi", "__seq_lo", "__op", "__fault")
    every = reduce(DataFrame.union, (one.select(*columns) for one in frames))
    rows = every.where("__fault IS NULL AND __op <> 't'")
    (found,) = rows.agg(f.max(f.struct("__seq_hi", "__seq_lo")).alias("last")).collect()
    return None if found["last"] is None else ChangePosition(*found["last"])
