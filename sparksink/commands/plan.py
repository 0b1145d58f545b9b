"""Shows the effect of messages on tables, keys and columns. Writes nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from pyspark.sql import DataFrame

from sparksink.apply.batches import message_schemas, target_names
from sparksink.decode.batch_summary import summarize
from sparksink.decode.format_names import has_columns, in_version_order, is_garbage
from sparksink.decode.message_schemas import MessageSchemas
from sparksink.errors import TableError
from sparksink.evolve.column_mapping import ColumnMapping
from sparksink.evolve.migration_steps import plan_steps
from sparksink.schemas.masks import masked_conversion
from sparksink.schemas.names import select_columns
from sparksink.schemas.registry import SchemaRegistryClient
from sparksink.sink import Sink
from sparksink.source.routes import Route, Routes


def plan(sink: Sink, messages: DataFrame) -> Iterator[str]:
    """Yield the lines of the plan."""
    sink.definitions.refresh()
    registry = SchemaRegistryClient(sink.config.source.schema_registry)
    layouts = message_schemas(sink.config, sink.definitions, registry.schema, Routes(sink.config))
    frame, counts = summarize(messages, layouts)
    frame.unpersist()
    names = target_names(sink.config, sink.lake, sink.state)
    names.claim({one.topic for one in counts})
    for topic in sorted({one.topic for one in counts}):
        found = [one for one in counts if one.topic == topic]
        for mark in in_version_order({one.mark for one in found if is_garbage(one.mark)}):
            size = sum(one.messages for one in found if one.mark == mark)
            why = mark.partition(":")[2] or "neither JSON nor Avro"
            yield f"{topic}: {size:,} messages would be dead letters: {why}"
        marks = in_version_order({one.mark for one in found if has_columns(one.mark)})
        try:
            names.check(topic)
            yield from _table(sink, layouts, topic, marks)
        except TableError as error:
            yield f"{topic}: would be parked: {error}"


def _table(sink: Sink, layouts: MessageSchemas, topic: str, marks: list[str]) -> Iterator[str]:
    route = Routes(sink.config).route(topic)
    rules = sink.config.table(route.table)
    name_in_target = sink.config.target.column
    found = rules.keys if rules.keys is not None else layouts.keys(topic, route.table)
    keys = [*map(name_in_target, found)]
    present = sink.lake.table(route.mirror).columns()
    drops = sink.config.evolution.drop == "drop"
    versions = layouts.versions(route.table)
    for mark in marks:
        layout = layouts.layout(topic, route.table, mark)
        row, trace = layout.form == "row", layouts.trace(route.table, mark, keeps=not drops)
        shape = select_columns(
            route.table, layout.shape, rules.columns, name_in_target, row=row, trace=trace,
            names=layouts.source_names(route.table, mark),
        )  # fmt: skip
        columns = {
            column.name: masked_conversion(column, sink.config.types, rules.columns).target
            for column in shape.columns
            if not column.gone
        }
        yield f"{topic} → {route.mirror}, key ({', '.join(keys)})"
        if present is None:
            yield from (f"  create {name} {kind}" for name, kind in columns.items())
            continue
        gone = (
            frozenset(map(name_in_target, versions.dropped)) if versions and drops else frozenset()
        )
        yield from _changes(sink, route, columns, keys, gone)


def _changes(
    sink: Sink, route: Route, kinds: Mapping[str, str], keys: Sequence[str], gone: Collection[str]
) -> Iterator[str]:
    table, rules = sink.lake.table(route.mirror), sink.config.evolution
    present, form = table.columns() or {}, sink.config.target.format
    planned = ColumnMapping(present, table.facts(), rules, form).plan_columns(kinds, keys, gone)
    migration = plan_steps(route.table, present, planned, rules, form, keys)
    yield from (f"  drop {name}" for name in sorted(present.keys() & gone) if name not in kinds)
    yield from (f"  add {name} {kind}" for name, kind in migration.added.items())
    yield from (f"  widen {name} to {kind}" for name, kind in migration.widened.items())
    yield from (f"  cast {name} to {kind}" for name, kind in migration.rewritten.items())
