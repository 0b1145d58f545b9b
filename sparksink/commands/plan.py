"""What would become of messages: the tables, their keys, columns and changes. Writes nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from pyspark.sql import DataFrame

from sparksink.apply.batches import layouts_of
from sparksink.decode.census import read
from sparksink.decode.layouts import Layouts, has_layout, in_order, is_garbage
from sparksink.errors import TableError
from sparksink.evolve.homes import Homes
from sparksink.evolve.steps import steps
from sparksink.schemas.masks import read_as
from sparksink.schemas.names import chosen
from sparksink.schemas.registry import Registry
from sparksink.sink import Sink
from sparksink.source.routes import Route, Routes


def plan(sink: Sink, messages: DataFrame) -> Iterator[str]:
    """Yield the lines to show."""
    sink.definitions.refresh()
    registry = Registry(sink.config.source.schema_registry)
    layouts = layouts_of(sink.config, sink.definitions, registry.schema, Routes(sink.config))
    frame, counts = read(messages, layouts)
    frame.unpersist()
    for topic in sorted({one.topic for one in counts}):
        found = [one for one in counts if one.topic == topic]
        for mark in in_order({one.mark for one in found if is_garbage(one.mark)}):
            size = sum(one.messages for one in found if one.mark == mark)
            why = mark.partition(":")[2] or "neither JSON nor Avro"
            yield f"{topic}: {size:,} messages would be dead letters: {why}"
        marks = in_order({one.mark for one in found if has_layout(one.mark)})
        try:
            yield from _table(sink, layouts, topic, marks)
        except TableError as error:
            yield f"{topic}: would be parked: {error}"


def _table(sink: Sink, layouts: Layouts, topic: str, marks: list[str]) -> Iterator[str]:
    route = Routes(sink.config).of(topic)
    rules = sink.config.table(route.table)
    called = sink.config.target.column
    found = rules.keys if rules.keys is not None else layouts.keys(topic, route.table)
    keys = [*map(called, found)]
    present = sink.lake.table(route.mirror).columns()
    drops = sink.config.evolution.drop == "drop"
    versions = layouts.versions(route.table)
    for mark in marks:
        layout = layouts.layout(topic, route.table, mark)
        row, trace = layout.form == "row", layouts.trace(route.table, mark, keeps=not drops)
        shape = chosen(route.table, layout.shape, rules.columns, called, row=row, trace=trace)
        wanted = {
            column.name: read_as(column, sink.config.types, rules.columns).target
            for column in shape.columns
            if not column.gone
        }
        yield f"{topic} → {route.mirror}, key ({', '.join(keys)})"
        if present is None:
            yield from (f"  create {name} {kind}" for name, kind in wanted.items())
            continue
        gone = frozenset(map(called, versions.dropped)) if versions and drops else frozenset()
        yield from _changes(sink, route, wanted, keys, gone)


def _changes(
    sink: Sink, route: Route, kinds: Mapping[str, str], keys: Sequence[str], gone: Collection[str]
) -> Iterator[str]:
    table, rules = sink.lake.table(route.mirror), sink.config.evolution
    present, form = table.columns() or {}, sink.config.target.format
    wanted = Homes(present, table.facts(), rules, form).wanted(kinds, keys, gone)
    todo = steps(route.table, present, wanted, rules, form, keys)
    yield from (f"  drop {name}" for name in sorted(present.keys() & gone) if name not in kinds)
    yield from (f"  add {name} {kind}" for name, kind in todo.added.items())
    yield from (f"  widen {name} to {kind}" for name, kind in todo.widened.items())
    yield from (f"  cast {name} to {kind}" for name, kind in todo.rewritten.items())
