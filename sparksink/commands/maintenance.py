"""Maintenance: compacts tables, removes old files, and expires old tombstones."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from sparksink.sink import Sink
from sparksink.source.routes import Routes
from sparksink.spark_errors import SparkError, cause
from sparksink.state.table_result import TableResult

log = logging.getLogger(__name__)


def compact_tables(sink: Sink, tables: str = ".*") -> Iterator[str]:
    """Compact the tables whose ``db.table`` matches, and the system tables; yield each name.

    The lease must be held, and no batch may run.
    """
    config = sink.config
    rules = config.maintenance
    snapshots = None if rules.expire_snapshots is None else rules.expire_snapshots / 3600
    for route in map(Routes(config).route, sink.state.topics()):
        if re.fullmatch(tables, route.table):
            for name in (route.mirror, route.history):
                if sink.lake.table(name).columns() is not None:
                    sink.lake.compact(name, rules.vacuum_hours, snapshots)
                    yield name
            sink.state.forget_deletes(
                route.table, config.table(route.table).mirror.tombstone_retention
            )
    sink.state.compact(rules.vacuum_hours, snapshots)


class ScheduledCompaction:
    """Compacts while a job runs: after a number of batches, within a window of the day."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._rules = sink.config.maintenance
        self._batches = 0

    def batch(self, done: Sequence[TableResult]) -> None:
        """Count a complete batch if it has changes."""
        self._batches += any(one.changes for one in done)

    def is_due(self, now: datetime | None = None) -> bool:
        """Return whether it is time to compact."""
        every = self._rules.compact_every
        return 0 < every <= self._batches and self._rules.is_open(now or datetime.now(UTC))

    def run(self) -> None:
        """Compact; an error of Spark is logged, and compaction is tried again later.

        The lease must be held, and no batch may run.
        """
        self._batches = 0
        try:
            done = list(compact_tables(self._sink))
        except SparkError as error:
            log.warning("compaction failed: %s", cause(error))
        else:
            log.info("compacted %d tables", len(done))
