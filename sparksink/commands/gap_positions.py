"""Positions of lost messages: a snapshot that began behind them has what they changed."""

from __future__ import annotations

import json
import logging
import re

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from sparksink.apply.batches import message_schemas
from sparksink.change_position import ChangePosition
from sparksink.decode.message_positions import message_positions
from sparksink.errors import SinkError
from sparksink.schemas.definitions import Definitions
from sparksink.schemas.registry import SchemaRegistryClient
from sparksink.sink import Sink
from sparksink.source import routed_tables
from sparksink.source.kafka import Offsets
from sparksink.source.routes import Routes
from sparksink.spark_errors import SparkError, cause

log = logging.getLogger(__name__)


class GapPositions:
    """Finds for each gap a position that no lost message of a table is behind."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._routes = Routes(sink.config)
        # Of its own: those of the sink are read by its batches, which store the statements.
        self._definitions = Definitions(sink.config, sink.messages.schema_changes)

    def position(
        self, name: str, partition: int, present: Offsets, *, whole: bool
    ) -> ChangePosition | None:
        """Return the position of a gap; None if changes are not ordered by binlog positions.

        Lost messages are before the first one that is left in their partition, as a connector
        writes in the order of the binlog; if the ``whole`` partition is skipped, before its last
        one. A snapshot of which the sink has read a row before is no new one.

        :param name: the topic or the routed table.
        """
        if self._sink.config.ordering.mode != "binlog":
            return None
        table = self._routes.route(name).table
        known = self._sink.state.last(table)
        found = [known.highest if known else None]
        try:
            left = self._remaining(name, partition, present)
            found.append(self._extreme(left, name, first=not whole))
            if table in self._sink.state.parked_tables():  # read, although not applied
                kept = self._sink.state.table("parked").read()
                kept = kept.where(f.col("source_table") == table)
                found.append(self._extreme(kept, name, first=False))
        except SinkError as error:
            log.warning("%s: the position of the gap is not exact: %s", name, error)
        except SparkError as error:
            log.warning("%s: the position of the gap is not exact: %s", name, cause(error))
        return max((one for one in found if one is not None), default=None)

    def _remaining(self, name: str, partition: int, present: Offsets) -> DataFrame:
        """Return the messages that are left in a partition, of one table."""
        topic = routed_tables.topic_of(name)
        ends = {str(number): end for number, (_, end) in present[topic].items()}
        starts = {**ends, str(partition): present[topic][partition][0]}
        start, end = (json.dumps({topic: offsets}) for offsets in (starts, ends))
        messages = self._sink.messages.between(start, end, re.escape(topic))
        return messages.where(f.col("topic") == name)

    def _extreme(self, messages: DataFrame, name: str, *, first: bool) -> ChangePosition | None:
        """Return the position of the first message by offset, or the highest position."""
        config, table = self._sink.config, self._routes.route(name).table
        registry = SchemaRegistryClient(config.source.schema_registry)
        self._definitions.refresh()
        given = (config, self._definitions, registry.schema, self._routes)
        positions = message_positions(messages, message_schemas(*given), table, config.ordering)
        if positions is None:
            return None
        good = positions.where("__seq_hi IS NOT NULL AND __seq_lo IS NOT NULL")
        place = f.struct("__seq_hi", "__seq_lo")
        which = f.min_by(place, "offset") if first else f.max(place)
        row = good.agg(which.alias("position")).collect()[0]
        return ChangePosition(*row["position"]) if row["position"] else None
