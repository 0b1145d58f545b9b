"""`python -m bench`: how fast Millrace is and what it costs, on real servers.

With --peer the same is done by Kafka Connect with Debezium, as it comes and tuned.
The table goes to the standard output, everything else to the standard error.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from typing import Final

from bench.command_line import add_rows, at_least, carry_out, new_file, print_results, write
from bench.machine import facts
from bench.measure import FURTHER, MEASURES, PARTS, Part, measure
from bench.sides import DEFAULT, MILLRACE, TUNED
from bench.table import Result
from bench.trial import Site
from bench.workload import SERVERS, Workload
from tools.stack import (
    KafkaBroker,
    SchemaRegistry,
    Workspace,
)
from tools.stack.jvm import LONG_LIVED

_UNWARMED: Final = ("latency", "threads", "incremental", "adaptive")

log = logging.getLogger("bench")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; return the exit status."""
    return carry_out(parser(), run, arguments)


def parser() -> argparse.ArgumentParser:
    """Describe the command line."""
    root = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    root.formatter_class = argparse.RawDescriptionHelpFormatter
    root.add_argument("--peer", action="store_true", help="measure Debezium in Kafka Connect too")
    root.add_argument(
        "--what",
        type=parts_named,
        default=PARTS,
        metavar="NAME,…",
        help=f"only these: {', '.join(MEASURES)}, a table (sb, wide, types, many), or such as "
        "stream-sb, snapshot-wide; avro, chains, or such as stream-sb-avro, stream-sb-five",
    )
    add_rows(root)
    root.add_argument("--repeat", type=at_least(1), default=1, help="runs; the medians are shown")
    root.add_argument("--cold", action="store_true", help="no warm-up: workers that just started")
    root.add_argument("--server", choices=SERVERS, default="mysql", help="default: mysql")
    return root


def parts_named(text: str) -> tuple[Part, ...]:
    """Return the parts that ``stream,snapshot-wide`` names.

    :raises argparse.ArgumentTypeError: there is no such part.
    """
    names = set(text.split(","))
    known = {name for part in (*PARTS, *FURTHER) for name in part.names}
    if names - known:
        raise argparse.ArgumentTypeError(f"not one of {', '.join(sorted(known))}: {text}")
    usual = tuple(part for part in PARTS if names & part.names)
    return usual + tuple(part for part in FURTHER if names & (part.names - {part.what}))


def run(options: argparse.Namespace) -> None:
    """Start the servers, load the tables, measure each side, print the table."""
    results: list[Result] = []
    with ExitStack() as running:
        workspace = running.enter_context(Workspace())
        broker = running.enter_context(KafkaBroker(workspace, options=LONG_LIVED))
        server = running.enter_context(SERVERS[options.server](workspace))
        workload = running.enter_context(closing(Workload(server, options.rows)))
        circumstances = {**facts(server), "rows": f"{options.rows:,} in table sb"}
        log.info("loading the tables")
        workload.load({part.table for part in options.what})
        file = new_file()
        write(file, circumstances)
        avro = any(part.avro for part in options.what)
        registry = running.enter_context(SchemaRegistry(workspace)) if avro else None
        sites = []
        for side in (MILLRACE, DEFAULT, TUNED) if options.peer else (MILLRACE,):
            worker = side.worker(workspace, broker)
            running.enter_context(worker)
            site = Site(side, worker, broker, server, registry)
            sites.append(running.enter_context(closing(site)))
        warm = () if options.cold else warm_up(options.what)
        for result in measure_all(sites, workload, options.what, options.repeat, warm):
            write(file, {"side": result.side, "part": result.part, **result.measurements})
            results.append(result)
    print_results(file, circumstances, results)


def measure_all(
    sites: Sequence[Site],
    workload: Workload,
    parts: Sequence[Part],
    repeat: int,
    warm: Sequence[Part],
) -> Iterator[Result]:
    """Yield the results, after the parts of a warm-up, which do not count.

    The sides take turns part by part: a machine that is slower for a while is so for all.
    """
    for site in sites:
        for part in warm:
            log.info("%s: warm-up, %s", site.side.name, part.label)
            measure(part, site, workload)
    for _ in range(repeat):
        for part in parts:
            for site in sites:
                measurements = measure(part, site, workload)
                log.info("%s: %s: %s", site.side.name, part.label, measurements)
                yield Result(site.side.name, part.label, measurements)


def warm_up(parts: Sequence[Part]) -> list[Part]:
    """Return the first stream and the first snapshot: a JVM compiles what it does often.

    If there is none, it is one of a table that is measured: the broker's JVM has to be warm, too.
    """
    tables = {part.table for part in parts}
    usual = [part for part in PARTS if part.table in tables]
    for some in (parts, usual):
        firsts = {part.what: part for part in reversed(some) if part.what not in _UNWARMED}
        if firsts:
            return list(firsts.values())
    return []


if __name__ == "__main__":
    sys.exit(main())
