"""Maintenance: compacts tables, removes old files, and expires old tombstones."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from sparksink.errors import SinkError
from sparksink.sink import Sink
from sparksink.source.routed_tables import is_table
from sparksink.source.routes import Route, Routes
from sparksink.spark_errors import SparkError, cause
from sparksink.state.table_result import TableResult

log = logging.getLogger(__name__)


def compact_tables(sink: Sink, tables: str = ".*") -> Iterator[str]:
    """Compact the tables whose ``db.table`` matches, and the system tables; yield each name.

    The lease must be held, and no batch may run. The error of one table does not stop the others.

    :raises SinkError: some could not be compacted.
    """
    rules, failed = sink.config.maintenance, dict[str, str]()
    for route in map(Routes(sink.config).route, filter(is_table, sink.state.topics())):
        if re.fullmatch(tables, route.table):
            try:
                yield from _compact_table(sink, route)
            except SparkError as error:
                failed[route.table] = cause(error)
    sink.state.compact(rules.vacuum_hours, _snapshot_hours(sink))
    if failed:
        reasons = "; ".join(f"{table}: {reason}" for table, reason in failed.items())
        raise SinkError(f"Some tables could not be compacted: {reasons}")


def _compact_table(sink: Sink, route: Route) -> Iterator[str]:
    for name in (route.mirror, route.history):
        if sink.lake.table(name).columns() is not None:
            sink.lake.compact(name, sink.config.maintenance.vacuum_hours, _snapshot_hours(sink))
            yield name
    retention = sink.config.table(route.table).mirror.tombstone_retention
    sink.state.forget_deletes(route.table, retention)


def _snapshot_hours(sink: Sink) -> float | None:
    seconds = sink.config.maintenance.expire_snapshots
    return None if seconds is None else seconds / 3600


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
        """Compact; errors are logged, and compaction is tried again later.

        The lease must be held, and no batch may run.
        """
        self._batches = 0
        try:
            done = list(compact_tables(self._sink))
        except SinkError as error:
            log.warning("%s", error)
        except SparkError as error:
            log.warning("compaction failed: %s", cause(error))
        else:
            log.info("compacted %d tables", len(done))
