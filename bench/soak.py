"""Whether memory stays as it is while a connector streams without end.

Usage: ``python -m bench.soak [--rows 100000000] [--server mariadb]``. All rows of a table are
inserted into an empty one again and again, 10,000 a transaction and 100 in turn, and its definition
changes in between. In MySQL it keeps no rows (``BLACKHOLE``), so they are logged faster than they
could be stored; MariaDB has that engine in a plugin only. After each pass that Kafka has, a line
shows how many rows were streamed and how much memory the worker has. What was written is deleted
meanwhile, so that the disk does not fill.
"""

from __future__ import annotations

import argparse
import statistics
import time
from contextlib import ExitStack, closing
from typing import Final

import psutil

from bench.sides import MILLRACE
from bench.trial import Site, Trial
from bench.workload import DATABASE, SERVERS, Workload
from tools.stack import OWNER, DatabaseServer, KafkaBroker, Workspace
from tools.stack.jvm import LONG_LIVED

_TABLE: Final = "sb_stream"
_ROWS: Final = 400_000
_IN_TRANSACTION: Final = (10_000, 100)
_KEPT: Final = {"log.retention.bytes": 1 << 28, "log.segment.bytes": 1 << 27,
                "log.retention.check.interval.ms": 10_000}  # fmt: skip


def main() -> None:
    """Stream and print."""
    options = _options()
    with ExitStack() as running:
        workspace = running.enter_context(Workspace())
        broker = running.enter_context(KafkaBroker(workspace, properties=_KEPT, options=LONG_LIVED))
        server = running.enter_context(SERVERS[options.server](workspace))
        workload = running.enter_context(closing(Workload(server, _ROWS)))
        workload.load({"sb"})
        workload.copy("sb")
        with (
            MILLRACE.worker(workspace, broker) as worker,
            closing(Site(MILLRACE, worker, broker, server)) as site,
            Trial(site, _TABLE) as trial,
        ):
            trial.start("no_data", schemas=False)
            trial.await_streaming(lambda: workload.touch("sb"))
            if options.server == "mysql":
                server.execute(f"ALTER TABLE {DATABASE}.{_TABLE} ENGINE = BLACKHOLE")
            stream(trial, server, psutil.Process(worker.pid), options.rows)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--server", choices=SERVERS, default="mysql")
    return parser.parse_args()


def stream(trial: Trial, server: DatabaseServer, worker: psutil.Process, rows: int) -> None:
    """Insert rows until so many were streamed; print the memory after each pass, and a summary."""
    first, begun, sizes = trial.end, time.monotonic(), list[float]()
    while (streamed := trial.end - first) < rows:
        insert_all(server, len(sizes))
        trial.await_records(first + streamed + _ROWS)
        sizes.append(worker.memory_info().rss / (1 << 20))
        print(f"{trial.end - first:,} rows, {sizes[-1]:.0f} MB", flush=True)
    tenth = max(1, len(sizes) // 10)
    rate = (trial.end - first) / (time.monotonic() - begun)
    print(
        f"{trial.end - first:,} rows, {rate:,.0f} rows/s with the time to write them; "
        f"medians of the second tenth {statistics.median(sizes[tenth : 2 * tenth] or sizes):.0f} "
        f"MB, of the last {statistics.median(sizes[-tenth:]):.0f} MB; at most {max(sizes):.0f} MB"
    )


def insert_all(server: DatabaseServer, number: int) -> None:
    """Empty the table, change its definition and insert all rows, and drop the logs before."""
    with server.connect(OWNER, database=DATABASE) as connection:
        cursor = connection.cursor()
        cursor.execute(f"TRUNCATE {_TABLE}")
        if number % 2:
            cursor.execute(f"ALTER TABLE {_TABLE} DROP COLUMN more")
        else:
            cursor.execute(f"ALTER TABLE {_TABLE} ADD COLUMN more INT DEFAULT {number}")
        step = _IN_TRANSACTION[number // 2 % 2]
        for begin in range(0, _ROWS, step):
            cursor.execute(
                f"INSERT INTO {_TABLE} (id, k, c, pad) SELECT id, k, c, pad FROM sb "
                f"WHERE id >= {begin} AND id < {begin + step}"
            )
    if number:  # the logs before are streamed
        server.execute("FLUSH BINARY LOGS")
        server.execute("PURGE BINARY LOGS BEFORE NOW() - INTERVAL 10 SECOND")


if __name__ == "__main__":
    main()
