"""Metrics for Prometheus, and a status page."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Self
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import write_to_textfile

from sparksink.state.system_queries import DIVERGED, LACKS_MESSAGES
from sparksink.state.table_result import TableResult
from sparksink.status.progress import status_table
from sparksink.status.source_lag import SourceLag

log = logging.getLogger(__name__)

Offsets = Mapping[str, Mapping[str, int]]
"""Topic → partition → offset, in the form of Spark's Kafka source."""

_STUCK: Final = b"the job has stopped, or no task has ended for 15 minutes\n"
_TEXT: Final = "text/plain; charset=utf-8"


class SinkMetrics:
    """Counts the results of batches, and serves them over HTTP while used as a context.

    After each batch the metrics are also written to ``textfile``, atomically, for node_exporter.

    ``/metrics`` is for Prometheus, ``/healthz`` returns the health of the job, ``/`` shows a line
    per table.
    """

    def __init__(self, address: str | None, textfile: str | None = None) -> None:
        self._address = address
        self._textfile = textfile
        self.is_alive: Callable[[], bool] = lambda: True
        self.lag = SourceLag()
        self._done: dict[str, TableResult] = {}
        self._parked: Mapping[str, str] = {}
        self._server: WSGIServer | None = None
        self.registry = CollectorRegistry()
        self._batch = Gauge("sparksink_batch", "Last complete batch.", registry=self.registry)
        self._seconds = Histogram(
            "sparksink_batch_seconds", "Duration of batches.", registry=self.registry
        )
        self._phase_seconds = self._gauge(
            "phase_seconds", "Duration of the parts of the last batch.", ("phase",)
        )
        self._messages = self._counter("messages", "Messages read.")
        self._changes = self._counter("changes", "Changes read.")
        self._operations = self._counter("operations", "Changes by __op.", "op")
        self._faults = self._counter("dead_letters", "Unusable messages.", "reason")
        self._retries = self._counter("retries", "Retries of a table.")
        self._altered = self._counter("schema_changes", "Alterations of columns.", "kind")
        self._swept = self._gauge(
            "swept_timestamp_seconds", "When a TRUNCATE or a snapshot last removed rows."
        )
        self._gaps = self._gauge(
            "lacks_messages", "1 after Kafka lost unread messages, until a new snapshot."
        )
        self._diverged = self._gauge("diverged", "1 if the source changed rows without events.")
        self._differing: Mapping[str, str] = {}
        self._behind = self._gauge(
            "kafka_lag", "Messages not read when the last batch started.", ("topic", "partition")
        )
        self._lag = self._gauge(
            "source_lag_seconds", "Age of the oldest change that is not applied."
        )
        self._table_seconds = self._gauge("table_seconds", "Duration of the last batch.")
        self._is_parked = self._gauge("parked", "1 if the table is parked.")

    def batch(
        self, number: int, done: Sequence[TableResult], parked: Mapping[str, str], seconds: float
    ) -> None:
        """Count a complete batch."""
        self._parked = parked
        self.lag.set_applied(done, parked)
        self._batch.set(number)
        self._seconds.observe(seconds)
        for one in done:
            self._done[one.table] = one
            self._count(one)
            self._table_seconds.labels(one.table).set(one.seconds)
        self._set_parked({one.table for one in done})
        self.refresh()

    def start(
        self,
        reached: Mapping[str, TableResult],
        parked: Mapping[str, str],
        gaps: Mapping[str, str] | None = None,
    ) -> None:
        """Set the state of the tables from before the job."""
        self.gaps(gaps or {})
        self._done |= reached
        self._parked = parked
        self.lag.set_applied([*reached.values()], parked)
        self._set_parked(reached)
        self.refresh()

    def _set_parked(self, tables: Iterable[str]) -> None:
        for name in {*tables, *self._parked}:
            self._is_parked.labels(name).set(name in self._parked)

    def refresh(self) -> None:
        """Update time-dependent metrics, and write the file."""
        self._set_lag()
        self._write()

    def _set_lag(self) -> None:
        for name, seconds in self.lag.seconds().items():
            self._lag.labels(name).set(seconds)

    def _count(self, one: TableResult) -> None:
        self._messages.labels(one.table).inc(one.messages)
        self._changes.labels(one.table).inc(one.changes)
        self._retries.labels(one.table).inc(one.retries)
        for counter, numbers in (
            (self._operations, one.operations),
            (self._faults, one.reasons),
            (self._altered, one.altered),
        ):
            for name, number in numbers.items():
                counter.labels(one.table, name).inc(number)
        if one.swept:
            self._swept.labels(one.table).set_to_current_time()

    def phases(self, seconds: Mapping[str, float]) -> None:
        """Set the durations of the parts of the last batch."""
        for name, took in seconds.items():
            self._phase_seconds.labels(name).set(took)

    def gaps(self, tables: Mapping[str, str]) -> None:
        """Set the tables that differ from the source until a new snapshot, with the reason."""
        for name in {*self._differing, *tables}:
            self._gaps.labels(name).set(tables.get(name) == LACKS_MESSAGES)
            self._diverged.labels(name).set(tables.get(name, "").startswith(DIVERGED))
        self._differing = dict(tables)

    def behind(self, ends: Offsets, latest: Offsets) -> None:
        """Set how far the last batch was behind: topic → partition → offset."""
        for topic, partitions in latest.items():
            for number, offset in partitions.items():
                read = ends.get(topic, {}).get(number, offset)
                self._behind.labels(topic, number).set(offset - read)

    def _write(self) -> None:
        """Write the file; an error is logged and does not stop the job."""
        if self._textfile is None:
            return
        try:
            write_to_textfile(self._textfile, self.registry)
        except OSError as error:
            log.warning("%s cannot be written: %s", self._textfile, error.strerror)

    def page(self, path: str) -> tuple[str, bytes] | None:
        """Return status line and body of a page; None if it does not exist."""
        if path == "/metrics":
            self._set_lag()
            return "200 OK", generate_latest(self.registry)
        if path == "/healthz":
            return self._health()
        shown = status_table(self._done, self._parked, self.lag.seconds(), self._differing)
        return ("200 OK", shown.encode()) if path == "/" else None

    def _health(self) -> tuple[str, bytes]:
        """Return the health of the job, with the tables that need an operator."""
        tables = {
            **self._differing,
            **{name: f"parked: {why}" for name, why in self._parked.items()},
        }
        lines = "".join(f"{name}: {why}\n" for name, why in sorted(tables.items())).encode()
        if self.is_alive():
            return "200 OK", b"ok\n" + lines
        return "503 Service Unavailable", _STUCK + lines

    def __enter__(self) -> Self:
        if self._address:
            host, _, port = self._address.rpartition(":")
            self._server = make_server(
                host, int(port), self._respond, handler_class=_SilentRequestHandler
            )
            threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.refresh()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()

    def _respond(self, request: Mapping[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        status, body = self.page(request["PATH_INFO"]) or ("404 Not Found", b"no such page\n")
        start(status, [("Content-Type", _TEXT)])
        return [body]

    def _counter(self, name: str, what: str, *labels: str) -> Counter:
        return Counter(f"sparksink_{name}", what, ["table", *labels], registry=self.registry)

    def _gauge(self, name: str, what: str, labels: Sequence[str] = ("table",)) -> Gauge:
        return Gauge(f"sparksink_{name}", what, labels, registry=self.registry)


class _SilentRequestHandler(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        """Log no requests."""
