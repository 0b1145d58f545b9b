"""What would become of messages: the tables, their keys, columns and changes. Writes nothing."""

from __future__ import annotations

from collections.abc import Iterator

from pyspark.sql import DataFrame

from sparksink.decode.census import read
from sparksink.decode.layouts import NO_LAYOUT, Layouts
from sparksink.errors import TableError
from sparksink.evolve.steps import steps
from sparksink.schemas.registry import Registry
from sparksink.schemas.shapes import kept
from sparksink.schemas.spark_types import mapped
from sparksink.sink import Sink
from sparksink.source.routes import Routes


def plan(sink: Sink, messages: DataFrame) -> Iterator[str]:
    """Yield the lines to show."""
    sink.definitions.refresh()
    registry = Registry(sink.config.source.schema_registry)
    layouts = Layouts(sink.definitions.of, registry.schema)
    refused: dict[str, TableError] = {}
    frame, counts = read(messages, layouts, refused.__setitem__)
    frame.unpersist()
    for topic, error in sorted(refused.items()):
        yield f"{topic}: would be parked: {error}"
    for topic in sorted({one.topic for one in counts} - refused.keys()):
        marks = sorted({one.mark for one in counts if one.topic == topic} - NO_LAYOUT)
        try:
            yield from _table(sink, layouts, topic, marks)
        except TableError as error:
            yield f"{topic}: would be parked: {error}"


def _table(sink: Sink, layouts: Layouts, topic: str, marks: list[str]) -> Iterator[str]:
    route = Routes(sink.config.target).of(topic)
    rules = sink.config.table(route.table)
    keys = rules.keys if rules.keys is not None else layouts.keys(topic, route.table)
    present = sink.lake.table(route.mirror).columns()
    for mark in marks:
        shape = layouts.layout(topic, route.table, mark).shape
        names = kept(shape.names, rules.columns.include, rules.columns.exclude)
        wanted = {
            column.name: mapped(column, sink.config.types).target
            for column in shape.columns
            if column.name in names
        }
        yield f"{topic} → {route.mirror}, key ({', '.join(keys)})"
        if present is None:
            yield from (f"  create {name} {kind}" for name, kind in wanted.items())
            continue
        kind = sink.config.target.format
        todo = steps(route.table, present, wanted, sink.config.evolution, kind)
        yield from (f"  add {name} {kind}" for name, kind in todo.added.items())
        yield from (f"  widen {name} to {kind}" for name, kind in todo.widened.items())
