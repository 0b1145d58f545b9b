"""`python -m bench.mirror`: what a batch of the Spark sink costs, by the size of what it writes.

A mirror of so many rows gets batches that change one of a hundred of them, anywhere or at its
end; then one batch brings changes of many topics, and one brings nothing but heartbeats. All on
this machine, in one process.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from bench.sink_messages import TOPIC, configuration, messages, row, settings
from bench.usage import Usage
from sparksink.config.file import parse
from sparksink.session import create_session
from sparksink.sink import Sink, build

_ROWS_A_FILE: Final = 500_000
_LOADED: Final = {"__seq_hi": "0L", "__seq_lo": "0L", "__op": "'r'", "__source_ts": "now()"}
_AT_THE_END: Final = "({rows} - 1 - id % {changes})"
_ANYWHERE: Final = "pmod(xxhash64(id), {rows})"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print a table."""
    options = parser().parse_args(arguments)
    logging.basicConfig(level=logging.WARNING)
    print(f"{options.cores} cores, load {os.getloadavg()[0]:.1f} before the start\n")
    print("| a batch of | s, the best | s, the median | CPU s, the best |\n|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        config = parse(configuration(folder))
        spark = create_session(config, settings(folder, options.cores, options.memory))
        spark.sparkContext.setLogLevel("OFF")
        for number, rows in enumerate(options.rows):
            own = parse(configuration(f"{folder}/{number}"))
            _mirror(spark, build(own, spark), rows, options, Path(folder) / f"m{number}")
        if options.topics:
            many = build(config, spark)
            _topics(spark, many, options, Path(folder) / "topics")
            _nothing(spark, many, options, Path(folder) / "nothing")
        spark.stop()
    return 0


def parser() -> argparse.ArgumentParser:
    """Describe the command line."""
    root = argparse.ArgumentParser(prog="python -m bench.mirror", description=__doc__)
    root.formatter_class = argparse.RawDescriptionHelpFormatter
    root.add_argument("--rows", type=int, nargs="*", default=[1_000_000, 10_000_000])
    root.add_argument("--share", type=float, default=0.01, help="of the rows that a batch changes")
    root.add_argument("--topics", type=int, default=50, help="in one batch; 0 for none")
    root.add_argument("--messages", type=int, default=100_000, help="in the batch of many topics")
    root.add_argument("--rounds", type=int, default=3)
    root.add_argument("--cores", type=int, default=2)
    root.add_argument("--memory", default="3g")
    root.add_argument(
        "--folder", type=os.path.abspath, help="where the data lies (default: as tempfile)"
    )
    return root


def _mirror(spark: SparkSession, sink: Sink, rows: int, options: Any, folder: Path) -> None:
    """Fill a mirror, and change some of its rows."""
    changes = int(rows * options.share)
    sink.state.open()
    sink.batches.apply(messages(spark, range(1), "(id + 0)"), "make", 0)
    name = TOPIC.removeprefix("srv.").replace(".", "__")
    columns = {**row("id"), **_LOADED}
    files = max(options.cores, rows // _ROWS_A_FILE)
    numbers = spark.range(1, rows, numPartitions=files)
    loaded = numbers.select(*(f.expr(sql).alias(n) for n, sql in columns.items()))
    sink.lake.table(name).append(loaded, "load", 0)
    for where, key in (("at the end", _AT_THE_END), ("anywhere", _ANYWHERE)):
        first = 1 if where == "at the end" else 1 + options.rounds * changes
        places = [range(first + n * changes, first + (n + 1) * changes)
                   for n in range(options.rounds)]  # fmt: skip
        given = [messages(spark, some, key.format(rows=rows, changes=changes)) for some in places]
        batches = _write_batches(spark, given, folder / where.replace(" ", "-"))
        _report(f"{changes:,} changes {where} of {rows:,} rows", sink, batches, where)


def _topics(spark: SparkSession, sink: Sink, options: Any, folder: Path) -> None:
    """Bring changes of many topics at once; the first batch makes the tables and does not count."""
    count, size = options.topics, options.messages
    sink.state.open()
    topic, key = f"concat('srv.shop.t', id % {count})", f"(id DIV {count} % 1000)"
    numbers = [range(n * size, (n + 1) * size) for n in range(options.rounds + 1)]
    given = [messages(spark, some, key, topic=topic) for some in numbers]
    first, *batches = _write_batches(spark, given, folder)
    sink.batches.apply(first, "make", 0)
    _report(f"{size:,} changes of {count} topics", sink, batches, "topics")


def _nothing(spark: SparkSession, sink: Sink, options: Any, folder: Path) -> None:
    """Apply heartbeats only, as while the source is idle."""
    beats = messages(spark, range(10), "id", topic="'__debezium-heartbeat.srv'")
    given = _write_batches(spark, [beats] * (options.rounds + 1), folder)
    none = [batch.where(~f.col("topic").startswith("__debezium")) for batch in given]
    sink.batches.apply(none.pop(), "nothing", 0)
    _report("no changes", sink, none, "nothing")


def _write_batches(
    spark: SparkSession, given: Sequence[DataFrame], folder: Path
) -> list[DataFrame]:
    """Write messages to files, so that to make them is not part of a batch."""
    paths = [str(folder / str(number)) for number in range(len(given))]
    for frame, path in zip(given, paths, strict=True):
        frame.write.parquet(path)
    return [spark.read.parquet(path) for path in paths]


def _report(what: str, sink: Sink, batches: Sequence[DataFrame], app: str) -> None:
    seconds, costs = [], []
    for number, batch in enumerate(batches, 1):
        with Usage(os.getpid()) as usage:
            begun = time.monotonic()
            sink.batches.apply(batch, app, number)
            seconds.append(time.monotonic() - begun)
        costs.append(usage.cpu_seconds)
    middle = sorted(seconds)[len(seconds) // 2]
    print(f"| {what} | {min(seconds):.2f} | {middle:.2f} | {min(costs):.2f} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
