"""What the commands of the benchmark have in common: arguments, how they end, and their results."""

from __future__ import annotations

import argparse
import json
import logging
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from bench.table import Result, table
from tools.stack import StackError
from tools.stack.folders import STACK

ROWS: Final = 400_000
LEAST_ROWS: Final = 1_000

log = logging.getLogger("bench")


def carry_out(
    parser: argparse.ArgumentParser,
    work: Callable[[argparse.Namespace], None],
    arguments: Sequence[str] | None,
) -> int:
    """Read the arguments and do the work; return the exit status."""
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    logging.getLogger("httpx").setLevel(logging.WARNING)
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        work(options)
    except StackError as error:
        log.error("%s", error)  # noqa: TRY400 - the message says all, a trace does not help
        return 1
    except KeyboardInterrupt:
        log.info("stopped")
        return 130
    return 0


def add_rows(parser: argparse.ArgumentParser) -> None:
    """Add the argument of the size of the table."""
    parser.add_argument(
        "--rows", type=at_least(LEAST_ROWS), default=ROWS, help=f"of table sb (default: {ROWS})"
    )


def at_least(least: int) -> Callable[[str], int]:
    """Return what reads a number that must not be smaller."""

    def number(text: str) -> int:
        value = int(text)
        if value < least:
            raise argparse.ArgumentTypeError(f"{value} is less than {least}")
        return value

    return number


def new_file() -> Path:
    """Return a file for the raw results."""
    folder = STACK / "bench"
    folder.mkdir(exist_ok=True)
    return folder / f"{time.strftime('%Y%m%d-%H%M%S')}.jsonl"


def write(file: Path, line: Mapping[str, str | float]) -> None:
    """Append one JSON line."""
    with file.open("a", encoding="utf-8") as output:
        output.write(json.dumps(line, ensure_ascii=False) + "\n")


def print_results(file: Path, circumstances: Mapping[str, str], results: Sequence[Result]) -> None:
    """Print the table, and where the raw results are."""
    log.info("the raw results are in %s", file)
    lines = "\n".join(f"- {name}: {text}" for name, text in circumstances.items())
    sys.stdout.write(f"{lines}\n\n{table(results)}\n")
