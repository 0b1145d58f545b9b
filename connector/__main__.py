"""``millrace worker.properties [connector.json …]``: run a worker."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from connector import allocator
from connector.version import VERSION


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a worker until it is stopped; return the exit code.

    0 stopped, 1 could not start, 2 bad command line or configuration, 3 a connector given on
    the command line is invalid.
    """
    parser = argparse.ArgumentParser(
        prog="millrace", description="Capture changes of MySQL and MariaDB into Kafka."
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {VERSION}")
    parser.add_argument(
        "worker",
        type=Path,
        nargs="?",
        help="worker file, as Kafka Connect has it; CONNECT_* variables come on top of it",
    )
    parser.add_argument(
        "connectors", type=Path, nargs="*", help="connectors to create: .json or .properties"
    )
    parser.add_argument(
        "--log-level", default="INFO", help="TRACE, DEBUG, INFO, WARN or ERROR (default: INFO)"
    )
    given = parser.parse_args(arguments)
    allocator.tune()
    from connector.daemon import Files, run  # noqa: PLC0415 — --help does not need it

    return run(Files(given.worker, tuple(given.connectors), given.log_level))


if __name__ == "__main__":
    sys.exit(main())
