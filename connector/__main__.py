"""``millrace worker.properties [connector.json …]``: run a worker."""

from __future__ import annotations

import argparse
import ctypes
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from connector.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a worker until it is told to stop; return the exit code.

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
    _tune_allocator()
    from connector.daemon import Files, run  # noqa: PLC0415 — --help needs nothing of it

    return run(Files(given.worker, tuple(given.connectors), given.log_level))


def _tune_allocator() -> None:
    """Let glibc's allocator keep what it will need again in a moment.

    Messages are made by one thread and freed by librdkafka's: each further arena would hold its
    own share of free memory, up to 50 MB in all. By default the end of the heap goes back to the
    kernel whenever 128 kB of it are free, with a message or two: in a loop that kept what it
    encoded, a text of 230 bytes cost 2.2 µs so and 0.3 µs without. librdkafka asks for room for
    the whole queue whenever it writes a request: memory fresh from the kernel each time would
    cost 2 µs a message of 3 kB. What is larger than the queue is still given back at once.
    Other C libraries have no such settings.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(-8, 2)  # M_ARENA_MAX
        mallopt(-1, 32 << 20)  # M_TRIM_THRESHOLD
        mallopt(-2, 1 << 20)  # M_TOP_PAD
        mallopt(-3, 24 << 20)  # M_MMAP_THRESHOLD


if __name__ == "__main__":
    sys.exit(main())
