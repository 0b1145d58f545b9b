"""Positions of lost messages: a snapshot that began behind them has what they changed."""

from __future__ import annotations

import json
import logging
import re

from pyspark.sql import functions as f

from sparksink.apply.batches import message_schemas
from sparksink.change_position import ChangePosition
from sparksink.decode.message_positions import message_positions
from sparksink.errors import SinkError
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

    def position(
        self, name: str, partition: int, present: Offsets, *, whole: bool
    ) -> ChangePosition | None:
        """Return the position of a gap; None if changes are not ordered by binlog positions.

        Lost messages are before the first one that is left in their partition, as a connector
        writes in the order of the binlog; if the ``whole`` partition is skipped, before its last
        one. A snapshot that the sink has read in part before is no new one.

        :param name: the topic or the routed table.
        """
        if self._sink.config.ordering.mode != "binlog":
            return None
        known = self._sink.state.last(self._routes.route(name).table)
        try:
            left = self._remaining(name, partition, present, whole=whole)
        except SinkError as error:
            log.warning("%s: the messages behind the gap are unreadable: %s", name, error)
            left = None
        except SparkError as error:
            log.warning("%s: the messages behind the gap are unreadable: %s", name, cause(error))
            left = None
        read = known.highest if known else None
        return max((one for one in (read, left) if one is not None), default=None)

    def _remaining(
        self, name: str, partition: int, present: Offsets, *, whole: bool
    ) -> ChangePosition | None:
        """Return the position of the first message that is left in a partition, or the last one."""
        sink, topic = self._sink, routed_tables.topic_of(name)
        ends = {str(number): end for number, (_, end) in present[topic].items()}
        starts = {**ends, str(partition): present[topic][partition][0]}
        start, end = (json.dumps({topic: offsets}) for offsets in (starts, ends))
        found = sink.messages.between(start, end, re.escape(topic)).where(f.col("topic") == name)
        registry = SchemaRegistryClient(sink.config.source.schema_registry)
        layouts = message_schemas(sink.config, sink.definitions, registry.schema, self._routes)
        table = self._routes.route(name).table
        positions = message_positions(found, layouts, table, sink.config.ordering)
        if positions is None:
            return None
        good = positions.where("__seq_hi IS NOT NULL AND __seq_lo IS NOT NULL")
        place = f.struct("__seq_hi", "__seq_lo")
        which = f.max(place) if whole else f.min_by(place, "offset")
        row = good.agg(which.alias("position")).collect()[0]
        return ChangePosition(*row["position"]) if row["position"] else None
