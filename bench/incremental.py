"""An incremental snapshot of a table whose rows are updated meanwhile.

The snapshot begins and ends with its notifications. Updates carry their time, and the broker notes
that of its append, so the latency of the stream during the snapshot is known.
"""

from __future__ import annotations

import json
import re
import threading
import time
from typing import Any, Final

from bench.trial import Site, Trial
from bench.usage import Usage
from bench.workload import DATABASE, SIGNALS, Workload
from tools.stack import OWNER, StackError

RATE: Final = 500  # updates a second
_TARGET: Final = 10  # milliseconds of an adaptive chunk
_LIMIT: Final = 600.0  # seconds
_UPDATE: Final = re.compile(rb'"op" ?: ?"u"')


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


def _await_notification(trial: Trial, type_: str) -> float:
    """Return the second in which a notification of the snapshot was appended.

    :raises StackError: there is none.
    """
    until = time.monotonic() + _LIMIT
    topic, seen = f"{trial.name}.notifications", 0
    while time.monotonic() < until:
        end = trial.topics.end(topic)
        for moment, value in trial.topics.read(topic, seen, end):
            event = json.loads(value)
            event = event.get("payload", event)
            if (event["aggregate_type"], event["type"]) == ("Incremental Snapshot", type_):
                return moment
        seen = end
        time.sleep(0.1)
    raise StackError(f"The incremental snapshot does not say {type_} in {_LIMIT:.0f} s.")


def _ages(trial: Trial, first: int, begin: float, end: float) -> list[float]:
    """Return how old the updates were, in seconds, that were appended between two moments.

    The topic is read when all is over: a consumer of all rows would be slower than the snapshot.
    """
    ages = []
    for moment, value in trial.topics.read(trial.topic, first, trial.end):
        if begin <= moment <= end and _UPDATE.search(value):
            event = json.loads(value)
            ages.append(moment - float(event.get("payload", event)["after"]["c"]))
    return ages


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
        first = trial.end
        ended = threading.Event()
        writer = threading.Thread(target=workload.write_updates, args=(table, RATE, ended))
        writer.start()
        try:
            with Usage(site.worker.pid) as usage:
                data = json.dumps({"data-collections": [f"{DATABASE}.{name}"]})
                workload.signal(trial.name, data)
                begin = _await_notification(trial, "STARTED")
                end = _await_notification(trial, "COMPLETED")
        finally:
            ended.set()
            writer.join()
        ages = _ages(trial, first, begin, end)
    return workload.rows(table), end - begin, ages, usage
