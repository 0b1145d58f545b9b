"""`python -m bench.other_peers`: the part `stream sb` with Maxwell and Flink CDC, too.

All run on MariaDB, one after the other, JVMs with a heap of 1 GB. Stopped, a JVM would forget what
it has compiled. So each process is suspended while a backlog is written (SIGSTOP), and then
resumed (SIGCONT). The first backlog is a warm-up and does not count.

    python -m bench.other_peers --rows 40000 --peers maxwell,flink    # a first try
    python -m bench.other_peers --repeat 3                            # medians of three backlogs

The table goes to the standard output, everything else to the standard error.
"""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from typing import Final

from bench.command_line import add_rows, at_least, carry_out, new_file, print_results, write
from bench.machine import facts
from bench.measure import Measurements, cost, rate
from bench.other_sides import COLUMNS, PATIENT, TABLE, Copying, started
from bench.table import Result
from bench.usage import Usage
from bench.workload import Workload
from tools.stack import KafkaBroker, MariaDb, Server, StackError, Workspace
from tools.stack.jvm import LONG_LIVED

_PART: Final = "stream sb"
_STREAMING_SECONDS: Final = 120.0
_STALLED_SECONDS: Final = 90.0
_POLL_SECONDS: Final = 0.2

log = logging.getLogger("bench")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; return the exit status."""
    return carry_out(parser(), measure_all, arguments)


def parser() -> argparse.ArgumentParser:
    """Describe the command line."""
    root = argparse.ArgumentParser(prog="python -m bench.other_peers", description=__doc__)
    root.formatter_class = argparse.RawDescriptionHelpFormatter
    root.add_argument(
        "--peers", type=columns_named, default=list(COLUMNS), metavar="NAME,…",
        help=f"only these: {', '.join(COLUMNS)}",
    )  # fmt: skip
    add_rows(root)
    root.add_argument("--repeat", type=at_least(1), default=1, help="backlogs that count")
    return root


def columns_named(text: str) -> list[str]:
    """Return the names in ``maxwell,flink``.

    :raises argparse.ArgumentTypeError: there is no such peer.
    """
    names = text.split(",")
    if set(names) - COLUMNS.keys():
        raise argparse.ArgumentTypeError(f"not one of {', '.join(COLUMNS)}: {text}")
    return names


def measure_all(options: argparse.Namespace) -> None:
    """Start the servers, measure one peer after the other, print the table."""
    results: list[Result] = []
    with ExitStack() as running:
        workspace = running.enter_context(Workspace())
        broker = running.enter_context(KafkaBroker(workspace, options=LONG_LIVED))
        database = running.enter_context(MariaDb(workspace, options=PATIENT))
        workload = running.enter_context(closing(Workload(database, options.rows)))
        circumstances = {**facts(database), "rows": f"{options.rows:,} in table sb"}
        log.info("loading the table")
        workload.load({TABLE})
        file = new_file()
        write(file, circumstances)
        for column in map(COLUMNS.__getitem__, options.peers):
            with started(column, workspace, broker, database) as copying:
                for found in measure(copying, workload, options.repeat):
                    log.info("%s: %s", column.title, found)
                    write(file, {"side": column.title, "part": _PART, **found})
                    results.append(Result(column.title, _PART, found))
    print_results(file, circumstances, results)


def measure(copying: Copying, workload: Workload, repeat: int) -> Iterator[Measurements]:
    """Yield what was measured of each backlog after the first.

    :raises StackError: the peer ends, or nothing arrives for a long time.
    """
    for number in range(repeat + 1):
        workload.clear(TABLE)
        await_streaming(copying, workload)
        found = catch_up(copying, workload)
        if number:
            yield found


def catch_up(copying: Copying, workload: Workload) -> Measurements:
    """Write a backlog while the peer is suspended, then let it catch up."""
    rows = workload.changes(TABLE)
    first = copying.end
    with Usage(copying.server.pid) as usage:
        with suspended(copying.server):
            workload.write_changes(TABLE)
        await_records(copying, first + rows)
    load = round(os.getloadavg()[0], 1)
    time.sleep(1)
    if surplus := copying.end - first - rows:
        raise StackError(f"{copying.server.name} has sent {surplus} records too many.")
    return rate(copying.topics, copying.topic, first, rows) | cost(usage, rows) | {"load": load}


@contextmanager
def suspended(server: Server) -> Iterator[None]:
    """Suspend the processes of a server for a block."""
    os.killpg(server.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.killpg(server.pid, signal.SIGCONT)


def await_streaming(copying: Copying, workload: Workload) -> None:
    """Make changes until one arrives, and all that were made have.

    :raises StackError: none arrives.
    """
    server, before = copying.server, copying.end
    until = time.monotonic() + _STREAMING_SECONDS
    while copying.end == before:
        if time.monotonic() > until or not server.running:
            raise StackError(f"{server.name} does not stream:\n{server.tail()}")
        workload.touch(TABLE)
        time.sleep(1)
    time.sleep(2)


def await_records(copying: Copying, end: int) -> None:
    """Wait until the topic has ``end`` records.

    :raises StackError: the peer ends, or nothing arrives for a long time.
    """
    server, seen, moved = copying.server, -1, time.monotonic()
    while (found := copying.end) < end:
        now = time.monotonic()
        if found != seen:
            seen, moved = found, now
        if now - moved > _STALLED_SECONDS or not server.running:
            raise StackError(f"{server.name} stays at {found} of {end}:\n{server.tail()}")
        time.sleep(_POLL_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
