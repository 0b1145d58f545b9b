"""How long a connector of many tables takes until it streams, and from a restart until it does.

Usage: ``python -m bench.many_tables [--tables 10000] [--peer] [--avro] [--server mariadb]``. Only
definitions are read (``snapshot.mode=no_data``). A connector streams when a row that is written
after its creation, or after its restart, arrives. At the end each table gets a row, which makes its
topic and, with ``--avro``, the schemas of its keys and values.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from typing import Final

from bench.sides import DEFAULT, MILLRACE
from bench.trial import Site, Trial
from bench.usage import Usage
from bench.workload import DATABASE, SERVERS
from tools.stack import (
    DatabaseServer,
    KafkaBroker,
    SchemaRegistry,
    Workspace,
)
from tools.stack.jvm import LONG_LIVED

_COLUMNS: Final = (
    "id INT PRIMARY KEY AUTO_INCREMENT, a INT, b VARCHAR(50) NOT NULL DEFAULT 'b', "
    "c DECIMAL(10,2), d DATETIME(6), e ENUM('x','y'), f JSON, g BIGINT UNSIGNED"
)


def main() -> None:
    """Measure and print."""
    options = _options()
    with ExitStack() as running:
        workspace = running.enter_context(Workspace())
        broker = running.enter_context(KafkaBroker(workspace, options=LONG_LIVED))
        server = running.enter_context(SERVERS[options.server](workspace))
        registry = running.enter_context(SchemaRegistry(workspace)) if options.avro else None
        create_tables(server, options.tables)
        for side in (MILLRACE, DEFAULT) if options.peer else (MILLRACE,):
            with (
                side.worker(workspace, broker) as worker,
                closing(Site(side, worker, broker, server, registry)) as site,
            ):
                measure(site, options.tables)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.many_tables", description=__doc__)
    parser.add_argument("--tables", type=int, default=10_000)
    parser.add_argument("--peer", action="store_true", help="measure Debezium in Connect too")
    parser.add_argument("--avro", action="store_true", help="with a schema registry")
    parser.add_argument("--server", choices=SERVERS, default="mysql")
    return parser.parse_args()


def create_tables(server: DatabaseServer, count: int) -> None:
    """Create the tables, without rows."""
    with server.connect() as connection:
        cursor = connection.cursor()
        cursor.execute(f"CREATE DATABASE {DATABASE}")
        for number in range(count):
            cursor.execute(f"CREATE TABLE {DATABASE}.t{number} ({_COLUMNS})")


def measure(site: Site, tables: int) -> None:
    """Measure a start, a restart and a row in each table on a site."""
    with Trial(site, "t0", f"t{tables - 1}") as trial:

        def start() -> None:
            more = {"table.include.list": rf"{DATABASE}\.t.*"}
            trial.start("no_data", schemas=False, avro=site.registry is not None, more=more)

        for name, begin in (("start", start), ("restart", trial.resume)):
            if name == "restart":
                trial.stop()
            show(
                site, f"{tables:,} tables, {name} to streaming", *measure_trial(site, trial, begin)
            )
        show(site, f"a row in each of {tables:,} tables", *fill_tables(site, trial, tables))


def show(site: Site, work: str, seconds: float, usage: Usage) -> None:
    """Print what some work took."""
    print(
        f"{site.side.name}, {work}: {seconds:.1f} s, "
        f"{usage.cpu_seconds:.1f} s CPU, peak {usage.peak_bytes >> 20} MB",
        flush=True,
    )


def fill_tables(site: Site, trial: Trial, count: int) -> tuple[float, Usage]:
    """Insert a row into each table; return the seconds until the last one arrives, and the cost."""
    begun = time.monotonic()
    with Usage(site.worker.pid) as usage:
        with site.server.connect(database=DATABASE) as connection:
            cursor = connection.cursor()
            for number in range(count):
                cursor.execute(f"INSERT INTO t{number} (a) VALUES (1)")
        while not site.topics.end(trial.names[-1]):
            time.sleep(0.2)
        seconds = time.monotonic() - begun
    return seconds, usage


def measure_trial(site: Site, trial: Trial, begin: Callable[[], None]) -> tuple[float, Usage]:
    """Return the seconds until a row arrives, and the cost."""
    before, begun = trial.end, time.monotonic()
    with Usage(site.worker.pid) as usage:
        begin()
        while trial.end == before:
            site.server.execute(f"INSERT INTO {DATABASE}.t0 (a) VALUES (1)")
            time.sleep(0.2)
        seconds = time.monotonic() - begun
    time.sleep(2)  # rows that are under way
    return seconds, usage


if __name__ == "__main__":
    main()
