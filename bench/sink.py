"""`python -m bench.sink`: how fast the Spark sink is, beside the plain `from_json` of Spark.

Messages of one table lie in Parquet as bytes, as Kafka would hand them over. Each batch reads
them, finds the last change of each key and merges it into a Delta table; the limit is the same
bytes read by one `from_json` and thrown away, and the peer a job as users write it by hand for
one table: `from_json`, `row_number`, MERGE. All on this machine, in one process, in turns.
"""

from __future__ import annotations

import argparse
import logging
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from bench.sink_by_hand import make_table, merge_by_hand, parse_alone
from bench.sink_messages import configuration, messages, schema_block, settings
from bench.usage import Usage
from sparksink.config.file import parse
from sparksink.session import create_session
from sparksink.sink import Sink, build


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print a table."""
    options = parser().parse_args(arguments)
    logging.basicConfig(level=logging.WARNING)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        config = parse(configuration(folder))
        spark = create_session(config, settings(folder, options.cores, options.memory))
        spark.sparkContext.setLogLevel("OFF")
        print(f"{options.messages:,} messages, {options.keys:,} keys, {options.cores} cores,"
              f" load {os.getloadavg()[0]:.1f} before the start\n")  # fmt: skip
        print(
            "| messages | from_json alone, /s | by hand, /s | sink, /s | of from_json"
            " | CPU of from_json, µs a message | by hand | of the sink |"
        )
        print("|---|---:|---:|---:|---:|---:|---:|---:|")
        for name, schema in (("JSON without schemas", ""), ("JSON with schemas", schema_block())):
            _measure(spark, build(config, spark), name, schema, options, Path(folder))
        spark.stop()
    return 0


def parser() -> argparse.ArgumentParser:
    """Describe the command line."""
    root = argparse.ArgumentParser(prog="python -m bench.sink", description=__doc__)
    root.formatter_class = argparse.RawDescriptionHelpFormatter
    root.add_argument("--messages", type=int, default=1_000_000, help="a batch")
    root.add_argument("--keys", type=int, default=200_000)
    root.add_argument("--rounds", type=int, default=6, help="batches; the best counts")
    root.add_argument("--cores", type=int, default=2)
    root.add_argument("--memory", default="3g")
    root.add_argument(
        "--folder", type=os.path.abspath, help="where the data lies (default: as tempfile)"
    )
    return root


def _measure(
    spark: SparkSession, sink: Sink, name: str, schema: str, options: Any, folder: Path
) -> None:
    by_hand = str(folder / f"{len(schema)}-by-hand")
    make_table(spark, by_hand)
    measurements: list[list[tuple[float, float]]] = [[], [], []]
    for number in range(options.rounds):
        path = str(folder / f"{len(schema)}-{number}")
        numbers = range(number * options.messages, (number + 1) * options.messages)
        messages(spark, numbers, f"(id % {options.keys})", schema).write.parquet(path)
        given = spark.read.parquet(path)
        works: tuple[Callable[[], Any], ...] = (
            partial(parse_alone, given, schema),
            partial(merge_by_hand, spark, given, schema, by_hand),
            partial(sink.batches.apply, given, str(len(schema)), number),
        )
        for each, work in zip(measurements, works, strict=True):
            each.append(_time_batch(work, options.messages))
        shutil.rmtree(path)
    rates = [max(per_second for per_second, _ in each) for each in measurements]
    costs = [min(micros for _, micros in each) for each in measurements]
    shown = [f"{rate:,.0f}" for rate in rates] + [f"{rates[2] / rates[0]:.0%}"]
    print(f"| {name} | {' | '.join([*shown, *(f'{cost:.1f}' for cost in costs)])} |", flush=True)


def _time_batch(work: Callable[[], Any], count: int) -> tuple[float, float]:
    """Return how many messages a second some work has done, and its CPU time a message in µs."""
    with Usage(os.getpid()) as usage:
        begun = time.monotonic()
        work()
        seconds = time.monotonic() - begun
    return count / seconds, usage.cpu_seconds / count * 1e6


if __name__ == "__main__":
    sys.exit(main())
