"""A mirror made anew from its topic, and put in place of the old one.

The new one is made of the messages since the last snapshot, by a sink of its own, in a table
beside the old one and with state of its own; readers see the old rows until one commit brings the
new ones. What the sink remembers of deletes and truncates is joined: both are maxima, so nothing is
forgotten and nothing counts twice.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from sparksink.apply.batches import message_schemas
from sparksink.change_position import ChangePosition
from sparksink.commands import replay
from sparksink.config.keys import TableOverride
from sparksink.config.operation import DeadLetterQueue
from sparksink.config.partitioning import Partitioning
from sparksink.decode.last_boundary import messages_since_last_boundary
from sparksink.errors import TableError
from sparksink.files import Files
from sparksink.schemas.registry import SchemaRegistryClient
from sparksink.sink import Sink, build
from sparksink.source import routed_tables
from sparksink.source.kafka import Offsets
from sparksink.source.routes import Route, Routes
from sparksink.state.table_result import TableResult

log = logging.getLogger(__name__)


@runtime_checkable
class Replaceable(Protocol):
    """What a table must be able to do besides; those of a database are not."""

    def replace(self, rows: DataFrame, how: Partitioning) -> None:
        """Take rows with their columns in place of all that is there."""
        ...


_SUFFIX: Final = "__rebuild"
_STATE: Final = ("tombstones", "watermarks", "commits", "dead_letter", "parked", "parkings")


@dataclass(frozen=True, slots=True)
class RebuildResult:
    """What became of one table: its rows before and after, and messages that were of no use."""

    table: str
    before: int
    rows: int
    faults: int
    waiting: int


def rebuild(sink: Sink, route: Route, offsets: Offsets, *, force: bool = False) -> RebuildResult:
    """Make a table anew; the lease must be held. What is parked of it is applied then.

    :raises TableError: the topic does not hold the whole table, or its messages are of no use.
    """
    old = sink.lake.table(route.mirror)
    if not isinstance(old, Replaceable):
        raise TableError(
            f"{route.table}: a table of a database cannot be put in place in one step."
        )
    rules = sink.config.table(route.table)
    if rules.mirror.scd != 1:
        raise TableError(f"{route.table} has versions, of which its topic tells no more.")
    with _scratch_sink(sink, route) as scratch:
        begin, done = _build(scratch, route)
        _check(scratch, route, offsets, whole=force or begin is not None)
        new = scratch.lake.table(_scratch_name(route.mirror))
        before = 0 if old.columns() is None else old.read().count()
        rows = new.read()
        _take_over_deletes(sink, scratch, route.table)
        if old.columns() is None:
            old.create(new.columns() or {}, {})
        stale = dict.fromkeys(old.facts(), "")
        old.replace(rows, rules.target.partitioning.with_names(sink.config.target.column))
        old.alter([], {**stale, **new.facts()})
        _take_over_watermark(sink, route.table, begin)
        count = old.read().count()
    waiting = (
        replay.replay_parked(sink, route.table)
        if route.table in replay.tables_with_messages(sink)
        else 0
    )
    return RebuildResult(route.table, before, count, done.faults, waiting)


def _build(scratch: Sink, route: Route) -> tuple[ChangePosition | None, TableResult]:
    """Apply what the topic holds since all of the table was last told of; return that place too."""
    config = scratch.config
    scratch.definitions.refresh()
    registry = SchemaRegistryClient(config.source.schema_registry)
    layouts = message_schemas(config, scratch.definitions, registry.schema, Routes(config))
    rules = config.table(route.table).mirror
    topic = scratch.messages.between().where(f.col("topic") == route.topic)
    messages, begin = messages_since_last_boundary(
        topic, layouts, route.table, rules, config.ordering
    )
    done = scratch.batches.apply(messages, replay.unique_batch_name("rebuild"), 0, history=False)
    return begin, next(iter(done), TableResult(route.table))


def _check(scratch: Sink, route: Route, offsets: Offsets, *, whole: bool) -> None:
    """Refuse what would lose rows.

    :raises TableError: it would.
    """
    for reason in scratch.state.parked().values():
        raise TableError(f"{route.table} cannot be made anew: {reason}")
    if scratch.lake.table(_scratch_name(route.mirror)).columns() is None:
        raise TableError(f"{route.table}: its topic holds no change of which a mirror can be made.")
    begins = all(
        start == 0 for start, _ in offsets.get(routed_tables.topic_of(route.topic), {}).values()
    )
    recorded = scratch.config.source.kind == "file"
    if not (begins or recorded or whole):
        raise TableError(
            f"{route.table}: the first messages of its topic are gone, and no snapshot of the"
            " table came since: rows that did not change since would be lost.",
            "Let the connector take a new snapshot, or add --force.",
        )


def _take_over_deletes(sink: Sink, scratch: Sink, table: str) -> None:
    """Remember what was deleted, before the rows that were deleted are gone."""
    last: ChangePosition = scratch.state.last_delete(table)
    if last > sink.state.last_delete(table):
        found = scratch.state.table("tombstones").read().where(f.col("source_table") == table)
        deletes = found.select("key", "seq_hi", "seq_lo")
        sink.state.record_deletes(table, deletes, last, replay.unique_batch_name("rebuild"), 0)


def _take_over_watermark(sink: Sink, table: str, place: ChangePosition | None) -> None:
    """Remember from where on there is something, now that the rows from before are gone."""
    if place is not None and place > sink.state.watermark(table):
        sink.state.raise_watermark(table, place)


@contextmanager
def _scratch_sink(sink: Sink, route: Route) -> Iterator[Sink]:
    """Have a sink that writes a table of another name; nothing of it is left behind."""
    config = sink.config
    target = config.target.model_copy(
        update={"table_name": config.target.table_name + _SUFFIX, "history_name": "{table}__none"}
    )
    state = config.state.model_copy(update={"schema_": config.state.schema_ + _SUFFIX})
    tables = [*map(_with_scratch_name, config.tables)]
    own = {"target": target, "state": state, "dlq": DeadLetterQueue(), "tables": tables}
    scratch = build(config.model_copy(update=own), sink.spark)
    names = [_scratch_name(route.mirror), *(f"{state.schema_}/{name}" for name in _STATE)]
    _remove(scratch, names)
    scratch.state.open()
    try:
        yield scratch
    finally:
        _remove(scratch, names)


def _with_scratch_name(override: TableOverride) -> TableOverride:
    """Let tables that have a name of their own be made beside as well."""
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
