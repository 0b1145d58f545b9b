"""Implements each command: takes the lease, opens the state, prints results."""

from __future__ import annotations

import argparse
import json
import logging
import re
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from sparksink.commands import replay
from sparksink.commands.check import run_checks
from sparksink.commands.gap_positions import GapPositions
from sparksink.commands.lost_messages import LostMessageDetector, committed_offsets
from sparksink.commands.maintenance import compact_tables
from sparksink.commands.materialize import ExportOptions, export_mirrors
from sparksink.commands.output import print_line
from sparksink.commands.plan import plan as planned
from sparksink.commands.read_progress import present_offsets, stored_progress, tables_behind
from sparksink.commands.rebuild import rebuild as rebuild_mirror
from sparksink.commands.stored_messages import dlq, park
from sparksink.commands.streaming import StreamJob, stop_on_signals
from sparksink.commands.verify import Comparison
from sparksink.config.offsets import parse_bound
from sparksink.errors import ConfigError, SinkError
from sparksink.files import Files
from sparksink.sink import Sink
from sparksink.source.kafka import Offsets
from sparksink.source.routed_tables import is_table
from sparksink.source.routes import Routes
from sparksink.state.table_result import TableResult
from sparksink.status.datasets import Datasets
from sparksink.status.lineage import Lineage
from sparksink.status.metrics import SinkMetrics
from sparksink.status.progress import WAITS, status_table
from sparksink.status.source_lag import SourceLag
from sparksink.status.verification import format_verification
from sparksink.tables.database import Database

log = logging.getLogger(__name__)


def run(sink: Sink, options: argparse.Namespace) -> None:
    """Run the stream until stopped or caught up."""
    config = sink.config
    metrics = SinkMetrics(config.metrics.http, config.metrics.textfile)
    lineage = Lineage(config.metrics.openlineage, config.name, Datasets(config, sink.lake))
    detector, fails = _lost_message_detector(sink), config.source.on_data_loss == "fail"
    with sink.lease() as lease, metrics, lineage:
        sink.state.open()
        if detector is not None:
            detector.detect_before_start(config.source.starting_offsets, fails=fails)
        metrics.start(sink.state.table_results(), sink.state.parked_tables(), sink.state.gaps())
        stream = StreamJob(sink, lease, metrics, lineage, None if fails else detector)
        stop_on_signals(stream.stop)
        stream.run(once=options.once)
    for name, reason in sink.state.parked_tables().items():
        log.warning("%s is parked: %s", name, reason)


def check(sink: Sink, _: argparse.Namespace) -> None:
    """Check topics, servers and stored state."""
    sink.state.open()
    for line in run_checks(sink, _offsets(sink)):
        print_line(line)


def plan(sink: Sink, options: argparse.Namespace) -> None:
    """Show the effect of the last messages of each topic."""
    sink.state.open()
    starts, ends = {}, {}
    for topic, partitions in _offsets(sink).items():
        starts[topic] = {str(p): max(a, b - options.messages) for p, (a, b) in partitions.items()}
        ends[topic] = {str(p): b for p, (_, b) in partitions.items()}
    if not ends:
        raise SinkError(f"No topic matches {sink.config.source.topics}.")
    topics = "|".join(map(re.escape, starts))
    for text in planned(sink, sink.messages.between(json.dumps(starts), json.dumps(ends), topics)):
        print_line(text)


def status(sink: Sink, _: argparse.Namespace) -> None:
    """Show a line per table."""
    sink.state.open()
    done: Mapping[str, TableResult] = sink.state.table_results()
    notes = dict.fromkeys(sink.state.dropped_tables(), "dropped at the source")
    notes |= {one.table: WAITS for one in sink.state.pending_sweeps()} | {**sink.state.gaps()}
    lag = SourceLag()
    lag.set_applied([*done.values()], sink.state.parked_tables())
    if sink.config.source.kind != "file":
        read = committed_offsets(Files(sink.spark), sink.config.checkpoint.rstrip("/"))
        lag.set_behind(tables_behind(sink, read, present_offsets(sink)))
    sys.stdout.write(status_table(done, sink.state.parked_tables(), lag.seconds(), notes))


def backfill(sink: Sink, options: argparse.Namespace) -> None:
    """Apply messages of the topics again, all or those between two offsets."""
    start, end = _bound("--from", options.start), _bound("--to", options.end)
    if sink.config.source.kind == "file" and (start, end) != ("earliest", "latest"):
        raise ConfigError("--from and --to need source.kind: kafka.")
    with sink.lease():
        sink.state.open()
        everything = (start, end, options.tables) == ("earliest", "latest", ".*")
        ends = present_offsets(sink) if everything else {}
        messages = _of_tables(sink, sink.messages.between(start, end), options.tables)
        done = sink.batches.apply(
            messages,
            replay.unique_batch_name("backfill"),
            0,
            history=False,
            progress=stored_progress(sink, ends),
        )
    print_line(f"{sum(one.changes for one in done):,} changes of {len(done)} tables applied again")


def rebuild(sink: Sink, options: argparse.Namespace) -> None:
    """Rebuild mirrors, each in one step for its readers."""
    found = _offsets(sink)
    topics = found if sink.config.source.route == "topic" else _read_tables(sink)
    chosen = [route for route in map(Routes(sink.config).route, sorted(topics))
              if re.fullmatch(options.table, route.table)]  # fmt: skip
    if not chosen:
        raise SinkError(f"No topic of a table matches {options.table}.")
    with sink.lease():
        sink.state.open()
        for route in chosen:
            one = rebuild_mirror(sink, route, partial(_offsets, sink), force=options.force)
            print_line(
                f"{one.table}: {one.rows:,} rows, before {one.before:,};"
                f" {one.faults:,} unusable messages, {one.waiting:,} parked messages applied"
            )


def cut(sink: Sink, _: argparse.Namespace) -> None:
    """Show the versions of the tables at the last transactional cut."""
    if sink.config.source.transaction_topic is None:
        raise SinkError(
            "No transaction metadata.",
            "Set source.transaction.topic, and provide.transaction.metadata=true in the connector.",
        )
    found = sink.state.cut()
    if found is None:
        raise SinkError("There is no transactional cut yet: run reaches one when it is caught up.")
    print_line(f"cut of {found[0]:%Y-%m-%d %H:%M:%S}")
    for name, version in sorted(found[1].items()):
        print_line(f"{name}: version {version}")


def verify(sink: Sink, options: argparse.Namespace) -> None:
    """Compare mirrors with the source's tables at a binlog position."""
    settings = sink.config.source.database
    if settings is None:
        raise SinkError("verify needs source.database with url, user and password.")
    sink.state.open()
    sink.definitions.refresh()
    database, wrong = Database(sink.spark, settings), []
    for route in map(Routes(sink.config).route, _read_tables(sink)):
        if re.fullmatch(options.table, route.table):
            found = Comparison(sink, route, database).run(options.wait)
            print_line(format_verification(found))
            if not found.is_equal:
                wrong.append(found.table)
    if wrong:
        raise SinkError(f"Not equal to the source: {', '.join(wrong)}.")


def materialize(sink: Sink, options: argparse.Namespace) -> None:
    """Export mirrors as Parquet files, which only reads tables, so that a job may run meanwhile."""
    sink.state.open()
    export = ExportOptions(options.to, options.keep, options.meta, options.cut)
    for line in export_mirrors(sink, _read_tables(sink), options.table, export):
        print_line(line)


def compact(sink: Sink, options: argparse.Namespace) -> None:
    """Compact all tables, and the system tables."""
    with sink.lease():
        sink.state.open()
        for name in compact_tables(sink, options.tables):
            print_line(f"{name}: compacted")


COMMANDS: Final[Mapping[str, Callable[[Sink, argparse.Namespace], None]]] = {
    "run": run,
    "check": check,
    "plan": plan,
    "status": status,
    "backfill": backfill,
    "compact": compact,
    "vacuum": compact,
    "verify": verify,
    "cut": cut,
    "materialize": materialize,
    "rebuild": rebuild,
    "dlq": dlq,
    "park": park,
}


def _offsets(sink: Sink) -> Offsets:
    if sink.config.source.kind == "file":
        found = _recorded_offsets(sink.messages.between())
    else:
        found = sink.messages.offsets()
    return {topic: parts for topic, parts in found.items() if sink.messages.is_table_topic(topic)}


def _lost_message_detector(sink: Sink) -> LostMessageDetector | None:
    """Return the detector of lost messages; recorded messages are never lost."""
    if sink.config.source.kind == "file":
        return None
    checkpoint = sink.config.checkpoint.rstrip("/")
    read = partial(committed_offsets, Files(sink.spark), checkpoint)
    position = GapPositions(sink).position
    return LostMessageDetector(
        sink.state, Routes(sink.config), read, partial(_offsets, sink), position
    )


def _recorded_offsets(messages: DataFrame) -> Offsets:
    topic = f.substring_index("topic", "/", 1).alias("topic")
    ends = messages.groupBy(topic, "partition").agg(
        f.min("offset").alias("start"), (f.max("offset") + 1).alias("end")
    )
    found: dict[str, dict[int, tuple[int, int]]] = {}
    for row in ends.collect():
        found.setdefault(row["topic"], {})[row["partition"]] = (row["start"], row["end"])
    return found


def _of_tables(sink: Sink, messages: DataFrame, pattern: str) -> DataFrame:
    if sink.config.source.route != "topic":
        named = f.substring_index("topic", "/", -1)
        return messages.where(named.rlike(f"^(?:{pattern})$"))
    routes = Routes(sink.config)
    topics = [t for t in _offsets(sink) if re.fullmatch(pattern, routes.route(t).table)]
    return messages.where(f.col("topic").isin(topics))


def _read_tables(sink: Sink) -> list[str]:
    """Return the topics and routed tables that were read so far."""
    return [name for name in sink.state.topics() if is_table(name)]


def _bound(option: str, given: str) -> str:
    """Return a start or end of what is read: as in a configuration, or from a JSON file.

    :raises ConfigError: it is invalid, or the file cannot be read.
    """
    try:
        text = Path(given).read_text(encoding="utf-8") if given.endswith(".json") else given
        return parse_bound(text.strip())
    except OSError as error:
        raise ConfigError(f"{option} {given} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ConfigError(f"{option} {given}: {error}") from error
