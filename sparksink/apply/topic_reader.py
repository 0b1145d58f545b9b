"""Reads the messages of one topic as changes, once per batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from sparksink.apply.batch import TopicBatch
from sparksink.apply.batch_plan import BatchPlan
from sparksink.apply.keyless_mirror import ROW_NAME_COLUMNS
from sparksink.config.keys import SinkConfig
from sparksink.decode.changes import changes
from sparksink.decode.format_names import EMPTY, has_columns, is_garbage
from sparksink.decode.message_schemas import MessageSchemas
from sparksink.decode.reading import TableReading
from sparksink.decode.tombstones import tombstones, unreadable_changes
from sparksink.source.routed_tables import is_table


class TopicReader:
    """Reads the messages of one topic as frames of changes."""

    def __init__(self, topic: str, config: SinkConfig, layouts: MessageSchemas) -> None:
        self._topic = topic
        self._config = config
        self._layouts = layouts

    def read(self, part: TopicBatch, plan: BatchPlan) -> list[DataFrame]:
        """Return the changes of a batch whose messages have columns, with a frame for each schema.

        Tombstones and unreadable messages follow.
        """
        readings = plan.readings
        frames = [
            changes(part.of_format(layout.mark), layout, reading)
            for layout, reading in zip(plan.layouts, readings, strict=True)
            if layout.mark in part.marks
        ]
        if readings[-1].keys and self.has_deletes(part.marks):
            frames.append(self.tombstones(part, readings[-1]))
        frames += self.unreadable(part, plan.refused)
        if readings[-1].named:
            blank = {name: f.lit(None).cast(kind) for name, kind in ROW_NAME_COLUMNS.items()}
            known = set(ROW_NAME_COLUMNS)
            frames = [one if known <= {*one.columns} else one.withColumns(blank) for one in frames]
        return frames

    def tombstones(self, part: TopicBatch, reading: TableReading) -> DataFrame:
        """Return the tombstones of a batch as deletes."""
        keys = self._layouts.avro_keys(self._topic)
        return tombstones(part.of_format(EMPTY), reading, keys)

    def unreadable(self, part: TopicBatch, refused: Mapping[str, str]) -> list[DataFrame]:
        """Return the unreadable messages, and those of refused formats, with the reason."""
        accepted = self._config.source.format
        reason = (
            "neither JSON nor Avro" if accepted == "auto" else f"not of source.format {accepted}"
        )
        if not is_table(self._topic):
            reason = "names no table"
        garbage = {
            mark: mark.partition(":")[2] or reason for mark in part.marks if is_garbage(mark)
        }
        return [
            unreadable_changes(part.of_format(mark), why)
            for mark, why in {**garbage, **refused}.items()
        ]

    def has_deletes(self, marks: Sequence[str]) -> bool:
        """Return whether a batch has tombstones that delete rows."""
        return EMPTY in marks and self._config.ordering.tombstones_count

    def is_unreadable(self, marks: Sequence[str]) -> bool:
        """Return whether a batch has only unreadable messages, so that no writer gets a change."""
        garbage = any(map(is_garbage, marks))
        return garbage and not any(map(has_columns, marks)) and not self.has_deletes(marks)
