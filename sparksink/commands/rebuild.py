"""Rebuilds a mirror from its topic, and replaces the old one.

A scratch sink applies the messages since the last snapshot to a scratch table with its own state;
readers see the old rows until one commit replaces them. Deletes and watermarks of both states are
merged: both are maxima, so nothing is lost and nothing counts twice.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from sparksink.apply.batches import message_schemas, target_names
from sparksink.change_position import ChangePosition
from sparksink.commands import replay
from sparksink.config.operation import DeadLetterQueue
from sparksink.config.partitioning import Partitioning
from sparksink.config.table import TableOverride
from sparksink.decode.last_boundary import LastBoundary, find_last_boundary
from sparksink.errors import TableError
from sparksink.files import Files
from sparksink.schemas.registry import SchemaRegistryClient
from sparksink.sink import Sink, build
from sparksink.source import routed_tables
from sparksink.source.kafka import Offsets
from sparksink.source.routes import Route, Routes
from sparksink.state.system_tables import SCHEMAS
from sparksink.state.table_result import TableResult

log = logging.getLogger(__name__)


@runtime_checkable
class Replaceable(Protocol):
    """A table that can be replaced; those of a database cannot."""

    def replace(self, rows: DataFrame, how: Partitioning) -> None:
        """Replace all rows and columns."""
        ...


_SUFFIX: Final = "__rebuild"


@dataclass(frozen=True, slots=True)
class RebuildResult:
    """The result for one table: its rows before and after, and unusable messages."""

    table: str
    before: int
    rows: int
    faults: int
    waiting: int


def rebuild(
    sink: Sink, route: Route, offsets: Callable[[], Offsets], *, force: bool = False
) -> RebuildResult:
    """Rebuild a table; the lease must be held. Parked messages are applied after that.

    :param offsets: returns the present offsets of the topics.
    :raises TableError: the topic does not have the whole table, its messages are unusable, or the
        mirror belongs to another topic.
    """
    target_names(sink.config, sink.lake, sink.state).check(route.topic)
    old = sink.lake.table(route.mirror)
    if not isinstance(old, Replaceable):
        raise TableError(f"{route.table}: a table of a database cannot be replaced in one step.")
    rules = sink.config.table(route.table)
    if rules.mirror.scd != 1:
        raise TableError(f"{route.table} has row versions, which its topic no longer contains.")
    with _scratch_sink(sink, route) as scratch:
        boundary, done = _build(scratch, route)
        # The offsets are listed after the messages were read: some may be gone meanwhile.
        _check(scratch, route, offsets(), None if force else boundary)
        new = scratch.lake.table(_scratch_name(route.mirror))
        before = 0 if old.columns() is None else old.read().count()
        rows = new.read()
        _merge_deletes(sink, scratch, route.table)
        if old.columns() is None:
            old.create(new.columns() or {}, {})
        stale = dict.fromkeys(old.facts(), "")
        old.replace(rows, rules.target.partitioning.with_names(sink.config.target.column))
        old.alter([], {**stale, **new.facts()})
        _merge_watermark(sink, route.table, boundary.position)
        count = old.read().count()
    waiting = (
        replay.replay_parked(sink, route.table)
        if route.table in replay.tables_with_messages(sink)
        else 0
    )
    return RebuildResult(route.table, before, count, done.faults, waiting)


def _build(scratch: Sink, route: Route) -> tuple[LastBoundary, TableResult]:
    """Apply the messages since the last boundary; return it and the result."""
    config = scratch.config
    scratch.definitions.refresh()
    registry = SchemaRegistryClient(config.source.schema_registry)
    layouts = message_schemas(config, scratch.definitions, registry.schema, Routes(config))
    rules = config.table(route.table).mirror
    topic = scratch.messages.between().where(f.col("topic") == route.topic)
    boundary = find_last_boundary(topic, layouts, route.table, rules, config.ordering)
    name = replay.unique_batch_name("rebuild")
    done = scratch.batches.apply(boundary.messages, name, 0, history=False)
    return boundary, next(iter(done), TableResult(route.table))


def _check(scratch: Sink, route: Route, offsets: Offsets, boundary: LastBoundary | None) -> None:
    """Refuse a rebuild that would lose rows.

    :param boundary: where the messages begin; None if rows may be lost.
    :raises TableError: it would.
    """
    for reason in scratch.state.parked_tables().values():
        raise TableError(f"{route.table} cannot be rebuilt: {reason}")
    if scratch.lake.table(_scratch_name(route.mirror)).columns() is None:
        raise TableError(f"{route.table}: its topic has no change to build a mirror from.")
    if boundary is None or scratch.config.source.kind == "file":
        return
    partitions = offsets.get(routed_tables.topic_of(route.topic), {})
    begins = (number for number, (start, _) in partitions.items() if start > 0)
    missing = sorted(set(begins) - boundary.covered)
    if missing and boundary.position is None:
        raise TableError(
            f"{route.table}: the first messages of its topic are gone, and no snapshot of the"
            " table follows: rows that did not change since would be lost.",
            "Let the connector take a new snapshot, or add --force.",
        )
    if missing:
        raise TableError(
            f"{route.table}: the first messages of partition {', '.join(map(str, missing))} are"
            " gone, perhaps with rows of the last snapshot: these would be lost.",
            "Let the connector take another snapshot, or add --force if the last one is whole.",
        )


def _merge_deletes(sink: Sink, scratch: Sink, table: str) -> None:
    """Store the deletes of the scratch sink, before the deleted rows are gone."""
    last: ChangePosition = scratch.state.last_delete(table)
    if last > sink.state.last_delete(table):
        found = scratch.state.table("tombstones").read().where(f.col("source_table") == table)
        deletes = found.select("key", "seq_hi", "seq_lo")
        sink.state.record_deletes(table, deletes, last, replay.unique_batch_name("rebuild"), 0)


def _merge_watermark(sink: Sink, table: str, position: ChangePosition | None) -> None:
    """Store the watermark, after the rows from before it are gone."""
    if position is not None and position > sink.state.watermark(table):
        sink.state.raise_watermark(table, position)


@contextmanager
def _scratch_sink(sink: Sink, route: Route) -> Iterator[Sink]:
    """Yield a sink that writes a table of another name; everything is removed at the end."""
    config = sink.config
    target = config.target.model_copy(
        update={"table_name": config.target.table_name + _SUFFIX, "history_name": "{table}__none"}
    )
    state = config.state.model_copy(update={"schema_": config.state.schema_ + _SUFFIX})
    tables = [*map(_with_scratch_name, config.tables)]
    own = {"target": target, "state": state, "dlq": DeadLetterQueue(), "tables": tables}
    scratch = build(config.model_copy(update=own), sink.spark)
    names = [_scratch_name(route.mirror), *(f"{state.schema_}/{name}" for name in SCHEMAS)]
    _remove(scratch, names)
    scratch.state.open()
    try:
        yield scratch
    finally:
        _remove(scratch, names)


def _with_scratch_name(override: TableOverride) -> TableOverride:
    """Give tables with a configured name a scratch name, too."""
    if not override.target.get("name"):
        return override
    target = {**override.target, "name": override.target["name"] + _SUFFIX}
    return override.model_copy(update={"target": target})


def _scratch_name(mirror: str) -> str:
    return mirror + _SUFFIX


def _remove(scratch: Sink, names: list[str]) -> None:
    for name in names:
        _REMOVALS[scratch.config.target.format](scratch, name)


def _remove_folder(scratch: Sink, name: str) -> None:
    Files(scratch.spark).remove_all(f"{scratch.config.target.path.rstrip('/')}/{name}")


def _drop_table(scratch: Sink, name: str) -> None:
    table = scratch.lake.table(name)
    if table.columns() is not None:
        table.run("DROP TABLE {table} PURGE")


_REMOVALS: Final[Mapping[str, Callable[[Sink, str], None]]] = {
    "delta": _remove_folder,
    "iceberg": _drop_table,
}
