"""Sends run events to an OpenLineage server: one for each batch.

A thread sends them, so that no batch waits for the server. Events may be lost, which is logged once
per outage.
"""

from __future__ import annotations

import logging
import queue
import threading
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import urlsplit

import httpx

from sparksink.state.table_result import TableResult
from sparksink.status.datasets import PRODUCER, Datasets

log = logging.getLogger(__name__)

NAMESPACE: Final = "millrace"
SCHEMA: Final = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"
_ENDPOINT: Final = "/api/v1/lineage"
_SECONDS: Final = 3.0
"""Timeout for an event, and for the remaining events at the end of a job."""
_MOST: Final = 100
"""How many events are queued; with more, new ones are dropped."""

Event = dict[str, Any]


class Lineage:
    """Reports one run while used as a context; does nothing without a ``url``.

    The url is that of the server or, with a path, of the endpoint for events.
    """

    def __init__(self, url: str | None, job: str, datasets: Datasets) -> None:
        self._url = url and (url if urlsplit(url).path.strip("/") else url.rstrip("/") + _ENDPOINT)
        self._job = job
        self._datasets = datasets
        self._run = str(uuid.uuid4())
        self._waiting: queue.Queue[Event | None] = queue.Queue(_MOST)
        self._sender = threading.Thread(target=self._send_all, name="lineage", daemon=True)
        self._fault = ""

    def __enter__(self) -> Self:
        """Report the start of the job."""
        if self._url:
            self._sender.start()
            self._report("START", ())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        """Report the end of the job, and wait shortly until the event is sent."""
        if self._url:
            self._report("COMPLETE" if kind is None else "FAIL", ())
            self._put(None)
            self._sender.join(_SECONDS)

    def batch(self, done: Sequence[TableResult]) -> None:
        """Report a batch."""
        if self._url and done:
            self._report("RUNNING", done)

    def _report(self, kind: str, done: Sequence[TableResult]) -> None:
        self._put({
            "eventType": kind,
            "eventTime": datetime.now(UTC).isoformat(),
            "run": {"runId": self._run},
            "job": {"namespace": NAMESPACE, "name": self._job},
            "inputs": self._datasets.inputs(done) if done else [],
            "outputs": self._datasets.outputs(done),
            "producer": PRODUCER,
            "schemaURL": SCHEMA,
        })  # fmt: skip

    def _put(self, event: Event | None) -> None:
        try:
            self._waiting.put_nowait(event)
        except queue.Full:
            self._note_failure("it accepts events too slowly")

    def _send_all(self) -> None:
        with httpx.Client(timeout=_SECONDS) as client:
            while (event := self._waiting.get()) is not None:
                self._send(client, event)

    def _send(self, client: httpx.Client, event: Event) -> None:
        assert self._url
        try:
            response = client.post(self._url, json=event)
        except httpx.HTTPError as error:
            self._note_failure(type(error).__name__)
            return
        if response.is_error:
            self._note_failure(f"status {response.status_code}")
        elif self._fault:
            self._fault = ""
            log.info("the server of metrics.openlineage accepts events again")

    def _note_failure(self, fault: str) -> None:
        if not self._fault:
            log.warning("the server of metrics.openlineage does not accept events: %s", fault)
        self._fault = fault
