"""An incremental snapshot of a table whose rows are updated meanwhile.

The snapshot begins and ends with its notifications. Updates carry their time, and are read by a
consumer, so the latency of the stream during the snapshot is known.
"""

from __future__ import annotations

import json
import threading
import time
from typing import Any, Final

from bench.trial import Site, Trial
from bench.usage import Usage
from bench.workload import DATABASE, SIGNALS, Workload
from tools.stack import OWNER, StackError

RATE: Final = 500  # updates a second
_TARGET: Final = 100  # milliseconds of an adaptive chunk
_LIMIT: Final = 600.0  # seconds
_BEGIN, _END = "STARTED", "COMPLETED"


def settings(name: str, *, adaptive: bool) -> dict[str, str]:
    """Return what the connector needs; Debezium ignores the key of the adaptive size."""
    return {
        "database.user": OWNER.user,
        "database.password": OWNER.password,
        "signal.data.collection": f"{DATABASE}.{SIGNALS}",
        "notification.enabled.channels": "sink",
        "notification.sink.topic.name": f"{name}.notifications",
        "incremental.snapshot.chunk.size": "1024",
        **({"millrace.incremental.snapshot.chunk.ms": str(_TARGET)} if adaptive else {}),
    }


class Observed:
    """What arrives in the topics of a trial from now on, read by two threads."""

    def __init__(self, site: Site, trial: Trial) -> None:
        self.ages: list[float] = []
        self._site = site
        self._moments: dict[str, float] = {}
        self._done = threading.Event()
        self._threads = [
            threading.Thread(target=self._note_rows, args=(trial.topic,)),
            threading.Thread(
                target=self._note_notifications, args=(f"{trial.name}.notifications",)
            ),
        ]

    def start(self) -> None:
        """Begin to read."""
        for thread in self._threads:
            thread.start()
        time.sleep(1)  # until they wait for records

    def await_end(self) -> float:
        """Return the seconds that the snapshot has taken.

        :raises StackError: it does not end.
        """
        until = time.monotonic() + _LIMIT
        while _END not in self._moments:
            if time.monotonic() > until:
                raise StackError(f"The incremental snapshot does not end in {_LIMIT:.0f} s.")
            time.sleep(0.05)
        return self._moments[_END] - self._moments[_BEGIN]

    def close(self) -> None:
        """Stop reading."""
        self._done.set()
        for thread in self._threads:
            thread.join()

    def _note_rows(self, topic: str) -> None:
        for now, event in self._site.topics.events(topic, self._done):
            if event.get("op") == "u" and _BEGIN in self._moments and _END not in self._moments:
                self.ages.append(now - float(event["after"]["c"]))

    def _note_notifications(self, topic: str) -> None:
        for now, event in self._site.topics.events(topic, self._done):
            if event.get("aggregate_type") == "Incremental Snapshot":
                self._moments.setdefault(event["type"], now)


def incremental(
    table: str, site: Site, workload: Workload, *, schemas: bool, adaptive: bool
) -> tuple[int, float, list[float], Usage]:
    """Read the table in chunks; return its rows, the seconds, the ages of updates and the cost."""
    name = f"{table}_stream"
    workload.copy(table)
    with Trial(site, name) as trial:
        site.topics.create(f"{trial.name}.notifications")
        more: dict[str, Any] = settings(trial.name, adaptive=adaptive)
        trial.start("no_data", schemas=schemas, more=more)
        trial.await_streaming(lambda: workload.touch(table))
        observed = Observed(site, trial)
        observed.start()
        ended = threading.Event()
        writer = threading.Thread(target=workload.write_updates, args=(table, RATE, ended))
        writer.start()
        try:
            with Usage(site.worker.pid) as usage:
                data = json.dumps({"data-collections": [f"{DATABASE}.{name}"]})
                workload.signal(trial.name, data)
                seconds = observed.await_end()
        finally:
            ended.set()
            writer.join()
            observed.close()
    return workload.rows(table), seconds, observed.ages, usage
