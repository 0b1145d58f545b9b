"""The measurements. Rates are rows / (last - first append time), by the clock of the broker."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bench.incremental import incremental as read_in_chunks
from bench.replay import replay
from bench.sides import MILLRACE
from bench.topics import Topics
from bench.trial import Site, Trial
from bench.usage import Usage
from bench.workload import PACED, Workload
from tools.stack import StackError

RATE: Final = 300  # rows a second
_LATENCY_SECONDS: Final = 15.0
_WARM_UP_SECONDS: Final = 3.0
_SIZES: Final = {"stream": (100, 100), "single": (1, 1), "statements": (100, 1)}
"""How many rows a transaction and a statement insert, by kinds of streams."""

Measurements = dict[str, float]


@dataclass(frozen=True, slots=True)
class Part:
    """One measurement of a table; ``what`` is one of `MEASURES`, ``chain`` one of `CHAINS`.

    With ``parts`` the table is split into so many tables; so many ``threads`` read a snapshot.
    """

    what: str
    table: str
    schemas: bool
    avro: bool = False
    chain: str = ""
    parts: int = 1
    threads: int = 1

    @property
    def label(self) -> str:
        """What the result calls it."""
        schemas = f"{'with' if self.schemas else 'without'} schemas"
        chain = f", chain {self.chain}" if self.chain else ""
        split = f" in {self.parts} tables" if self.parts > 1 else ""
        threads = f", {self.threads} threads" if self.threads > 1 else ""
        form = "Avro" if self.avro else schemas
        return f"{self.what} {self.table}{split}, {form}{chain}{threads}"

    @property
    def names(self) -> set[str]:
        """The names that select it, alone or combined."""
        name = f"{self.what}-{self.table}"
        if self.chain:
            return {"chains", f"{name}-{self.chain}"}
        if self.what == "threads":
            return {self.what, name, f"{name}-{self.parts}-{self.threads}"}
        return {"avro", f"{name}-avro"} if self.avro else {self.what, self.table, name}


PARTS: Final = (
    Part("stream", "sb", schemas=True),
    Part("stream", "sb", schemas=False),
    Part("stream", "wide", schemas=True),
    Part("stream", "wide", schemas=False),
    Part("stream", "sb", schemas=False, avro=True),
    Part("stream", "wide", schemas=False, avro=True),
    Part("stream", "sb", schemas=False, chain="unwrap"),
    Part("stream", "sb", schemas=False, chain="five"),
    Part("snapshot", "sb", schemas=True),
    Part("snapshot", "sb", schemas=False),
    Part("snapshot", "wide", schemas=True),
    Part("latency", PACED, schemas=True),
)
FURTHER: Final = (  # only on request
    *(
        Part(what, table, schemas=True)
        for table in ("types", "many")
        for what in ("stream", "snapshot")
    ),
    Part("snapshot", "sb", schemas=False, avro=True),
    *(
        Part("threads", "sb", schemas=True, parts=parts, threads=threads)
        for parts in (1, 4)
        for threads in (1, 4)
    ),
    *(
        Part(what, "sb", schemas=schemas)
        for what in ("single", "statements")
        for schemas in (True, False)
    ),
    Part("incremental", "sb", schemas=True),
    Part("adaptive", "sb", schemas=True),
)


def measure(part: Part, site: Site, workload: Workload) -> Measurements:
    """Measure one part on a site.

    :raises StackError: the connector fails, or nothing arrives for a long time.
    """
    return MEASURES[part.what](part, site, workload)


def stream(part: Part, site: Site, workload: Workload) -> Measurements:
    """Let a backlog be written while the connector is stopped, then let it catch up.

    Inserts come 100 a transaction; of `single` each is one, of `statements` each is a statement.
    """
    workload.clear(part.table)
    rows = workload.changes(part.table)
    with Trial(site, f"{part.table}_stream") as trial:
        trial.start("no_data", schemas=part.schemas, avro=part.avro, chain=part.chain)
        trial.await_streaming(lambda: workload.touch(part.table))
        trial.stop()
        workload.write_changes(part.table, *_SIZES[part.what])
        first = trial.end
        with Usage(site.worker.pid) as usage:
            trial.resume()
            trial.await_records(first + rows)
        found = rate(site.topics, trial.topic, first, rows)
        return found | cost(usage, rows) | limit(site, trial.topic, first, found)


def snapshot(part: Part, site: Site, workload: Workload) -> Measurements:
    """Let a table be read; CPU and memory count from the creation of the connector."""
    rows = workload.rows(part.table)
    with Trial(site, part.table) as trial:
        with Usage(site.worker.pid) as usage:
            trial.start("initial_only", schemas=part.schemas, avro=part.avro)
            trial.await_records(rows)
        found = rate(site.topics, trial.topic, 0, rows)
        return found | cost(usage, rows) | limit(site, trial.topic, 0, found)


def threads(part: Part, site: Site, workload: Workload) -> Measurements:
    """Let several threads read a table, or the tables into which it is split."""
    rows = workload.rows(part.table)
    tables = workload.split(part.table, part.parts)
    with Trial(site, *tables) as trial:
        more = {"snapshot.max.threads": str(part.threads)}
        with Usage(site.worker.pid) as usage:
            trial.start("initial_only", schemas=part.schemas, more=more)
            trial.await_records(rows)
        appended = [
            site.topics.appended(topic, offset)[0]
            for topic in trial.names
            for offset in (0, site.topics.end(topic) - 1)
        ]
        seconds = max(appended) - min(appended)
        found = {"rows": rows, "seconds": seconds, "rows_per_second": round(rows / seconds)}
        return found | cost(usage, rows)


def latency(part: Part, site: Site, workload: Workload) -> Measurements:
    """Insert rows at a rate and see how old they are when a consumer has them.

    The longest transaction is measured too: where a commit waits, its row is late on every side.
    """
    ages: list[float] = []
    done = threading.Event()
    with Trial(site, part.table) as trial:

        def listen() -> None:
            ages.extend(now - row["t"] for now, row in site.topics.rows(trial.topic, done))

        trial.start("no_data", schemas=part.schemas, avro=part.avro)
        trial.await_streaming(workload.insert_paced)
        os.sync()  # else MySQL's commits wait for the disk, which writes what earlier parts left
        workload.write_paced(RATE, _WARM_UP_SECONDS)
        time.sleep(1)
        listener = threading.Thread(target=listen, name="latency")
        listener.start()
        time.sleep(1)  # until it waits for rows
        with Usage(site.worker.pid) as usage:
            longest = workload.write_paced(RATE, _LATENCY_SECONDS)
            time.sleep(2)
        done.set()
        listener.join()
    insert = {"insert_max_ms": round(longest * 1000, 2)}
    return percentiles(ages) | insert | cost(usage, len(ages))


def incremental(part: Part, site: Site, workload: Workload) -> Measurements:
    """Read a table in chunks of a fixed size, or of a fixed time, while its rows are updated."""
    adaptive = part.what == "adaptive"
    rows, seconds, ages, usage = read_in_chunks(
        part.table, site, workload, schemas=part.schemas, adaptive=adaptive
    )
    stream = {f"chunks_{key}": value for key, value in percentiles(ages).items()}
    found = {"seconds": round(seconds, 3), "rows_per_second": round(rows / max(seconds, 0.001))}
    return stream | found | {"rows": rows} | cost(usage, rows + len(ages))


MEASURES: Final[Mapping[str, Callable[[Part, Site, Workload], Measurements]]] = {
    "stream": stream,
    "single": stream,
    "statements": stream,
    "snapshot": snapshot,
    "threads": threads,
    "latency": latency,
    "incremental": incremental,
    "adaptive": incremental,
}


def rate(topics: Topics, topic: str, first: int, rows: int) -> Measurements:
    """Return how fast the records from ``first`` on were appended."""
    begun, size = topics.appended(topic, first)
    ended, _ = topics.appended(topic, first + rows - 1)
    return {
        "rows": rows,
        "value_bytes": size,
        "seconds": round(ended - begun, 3),
        "rows_per_second": round(rows / max(ended - begun, 0.001)),
    }


def limit(site: Site, topic: str, first: int, found: Measurements) -> Measurements:
    """Return how fast the broker takes the same records of Millrace, and what that costs."""
    if site.side is not MILLRACE:
        return {}
    rows = int(found["rows"])
    target, cpu_seconds = replay(site.topics, topic, first, rows)
    most = rate(site.topics, target, 0, rows)["rows_per_second"]
    return {
        "limit_rows_per_second": most,
        "limit_percent": round(found["rows_per_second"] / most * 100, 1),
        "limit_cpu_us_per_row": round(cpu_seconds / rows * 1e6, 2),
    }


def percentiles(ages: Sequence[float]) -> Measurements:
    """Return the percentiles of ages in seconds, as milliseconds.

    :raises StackError: there are none.
    """
    if not ages:
        raise StackError("No row has arrived while the latency was measured.")
    ordered = sorted(ages)
    return {
        "rows": len(ordered),
        "p50_ms": round(ordered[len(ordered) // 2] * 1000, 2),
        "p99_ms": round(ordered[len(ordered) * 99 // 100] * 1000, 2),
        "max_ms": round(ordered[-1] * 1000, 2),
    }


def cost(usage: Usage, rows: int) -> Measurements:
    """Return the CPU and memory of a measurement."""
    return {
        "cpu_seconds": round(usage.cpu_seconds, 2),
        "cpu_us_per_row": round(usage.cpu_seconds / rows * 1e6, 2),
        "peak_rss_mb": round(usage.peak_bytes / 2**20, 1),
    }
