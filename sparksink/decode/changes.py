"""Bytes → changes: one row a message, typed, with its place in the order of all changes.

Columns of a frame of messages: ``topic, partition, offset, timestamp, key, value, position``
(``position`` is the text of the header of that name, or NULL: ``epoch/file/pos/row``, and behind
that ``/end`` for the last row of a snapshot or ``/empty`` for a snapshot without rows). `marks`
adds ``mark`` and cuts off known schemas; `changes` reads the messages of one mark.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql.avro.functions import from_avro

from sparksink.decode.history_columns import EVENT_ID, before_sql, event_columns, wire_fields
from sparksink.decode.message_schemas import MessageSchema, WireForm
from sparksink.decode.position_columns import (
    EVENT_FIELDS,
    EventFields,
    order_by_expression,
    position_sql,
    snapshot_end_sql,
)
from sparksink.decode.reading import GONE, MESSAGE, TableReading
from sparksink.schemas.spark_types import BEFORE, MILLIS, struct_type
from sparksink.sql import quote_name, string_literal

_SOURCE: Final = "struct<file:string,pos:bigint,row:int,snapshot:string,ts_ms:bigint>"
_CLOUD: Final = "iodebeziumop iodebeziumfile iodebeziumpos iodebeziumrow iodebeziumsnapshot"
_ROW_META: Final = (
    ("__op", "string"),
    ("__deleted", "string"),
    ("__source_file", "string"),
    ("__source_pos", "bigint"),
    ("__source_row", "int"),
    ("__source_snapshot", "string"),
    ("__source_ts_ms", "bigint"),
)


def changes(messages: DataFrame, layout: MessageSchema, reading: TableReading) -> DataFrame:
    """Read messages of one mark into changes.

    Beside the table's columns there are `META`, ``__end`` (a snapshot of the table ends here),
    ``__streamed`` (not part of a snapshot), ``__fault`` (why a message cannot be used, or NULL)
    and `MESSAGE`.
    """
    reading = replace(reading, written=bool(layout.avro))
    values = messages.withColumn("__v", parse_value(layout, reading))
    place, unreadable = event_fields(layout, reading), _unreadable(layout)
    told = event_columns(layout, place, reading)
    found = _typed(values, place, reading, unreadable, told)
    if not (reading.moves and place.before != place.after):
        return found
    images = (place.before, place.after)
    same = [" <=> ".join(reading.value(image, key) for image in images) for key in reading.keys]
    moved = values.where(f"{place.op} = 'u' AND NOT ({' AND '.join(same)})")
    gone = replace(place, op="CASE WHEN __v IS NOT NULL THEN 'd' END")
    told = event_columns(layout, place, reading, split=True)
    return found.unionByName(_typed(moved, gone, reading, unreadable, told))


def event_fields(layout: MessageSchema, reading: TableReading, **other: str) -> EventFields:
    """Return where messages of a mark keep what every change has; ``other`` SQL for some of it."""
    place = replace(EVENT_FIELDS[layout.form], **other)
    if reading.ordering.epoch != "sequence" or layout.has(place.sequence):
        return place
    return replace(place, sequence="CAST(NULL AS STRING)")


def _unreadable(layout: MessageSchema) -> str:
    return "__v IS NULL" if layout.avro else "__v IS NULL OR __v.__corrupt IS NOT NULL"


def parse_value(layout: MessageSchema, reading: TableReading) -> Column:
    """Return the value of messages of one mark, as far as a reading uses it."""
    if layout.avro:
        return from_avro(f.expr("substring(value, 6)"), layout.avro, {"mode": "PERMISSIVE"})
    options = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": "__corrupt"}
    body = f.col("value").cast("string")
    wire, named = (_wire_schema(layout.form, one) for one in (reading.as_written, reading))
    value = f.from_json(body, wire, options)
    return value if wire == named else value.cast(named)


def _wire_schema(form: WireForm, reading: TableReading) -> str:
    """Return the structure of a value; only what is used, as reading costs the most."""
    after = [(name, mapped.wire) for name, mapped in reading.columns.items()]
    keys = [(name, kind) for name, kind in after if name in reading.keys]
    before = struct_type(after if reading.images else keys) if keys or reading.images else "string"
    images = [("before", before), ("after", struct_type(after))]
    corrupt = ("__corrupt", "string")
    more, sequenced = wire_fields(form, reading), reading.ordering.epoch == "sequence"
    if form == "row":
        more += [("__source_sequence", "string")] * sequenced
        return struct_type([*after, *_ROW_META, *more, corrupt])
    if form == "cloudevents":
        outside = [(name, "string") for name in (*_CLOUD.split(), "iodebeziumtsms")]
        more += [("iodebeziumsequence", "string")] * sequenced
        return struct_type([*outside, *more, ("data", struct_type(images)), corrupt])
    source = _SOURCE.replace("<", "<gtid:string,") if reading.events else _SOURCE
    if reading.ordering.epoch == "sequence":
        source = source.replace("<", "<sequence:string,")
    return struct_type([*images, ("source", source), ("op", "string"), *more, corrupt])


def _typed(
    parsed: DataFrame,
    place: EventFields,
    reading: TableReading,
    unreadable: str,
    told: Mapping[str, str],
) -> DataFrame:
    hi, lo = position_sql(place, reading.ordering)
    values = [
        f.expr(mapped.convert(_image(place, name, reading))).alias(
            name, metadata=_metadata(name, reading)
        )
        for name, mapped in reading.columns.items()
    ]
    # The values first: what looks for faults uses them, and would else compute them again.
    typed = parsed.select(
        "__v",
        *(f.col(name).alias(f"__{name}") for name in MESSAGE),
        f.expr(place.op).alias("__op"),
        f.expr(hi).alias("__seq_hi"),
        f.expr(lo).alias("__seq_lo"),
        f.expr(f"timestamp_millis({MILLIS.replace('{v}', place.millis)})").alias("__source_ts"),
        f.expr(snapshot_end_sql(place)).alias("__end"),
        f.expr(f"coalesce({place.snapshot}, 'false') = 'false'").alias("__streamed"),
        *(_row_names(place, reading) if reading.named else ()),
        *([f.expr(before_sql(place, reading)).alias(BEFORE)] if reading.before != "none" else ()),
        *(f.expr(sql).alias(name) for name, sql in told.items() if name != EVENT_ID),
        *values,
    )
    if reading.ordering.expression:
        typed = order_by_expression(typed, reading.ordering.expression)
    if EVENT_ID in told:
        typed = typed.withColumn(EVENT_ID, f.expr(told[EVENT_ID]))
    return typed.withColumn("__fault", f.expr(_fault(place, unreadable, reading))).drop("__v")


def _metadata(name: str, reading: TableReading) -> dict[str, bool]:
    """Return what a column carries along: that its values are of the past only."""
    return {GONE: True} if name in reading.gone else {}


def _row_names(place: EventFields, reading: TableReading) -> list[Column]:
    """Name rows by their values: the same ones whatever NULLs there are besides."""
    images = [_image(place, name, reading) for name in sorted(reading.columns)]
    before = [reading.value(place.before, name) for name in sorted(reading.columns)]
    here, there = (_row_name(values, reading) for values in (images, before))
    return [
        f.expr(here).alias("__row_name"),
        f.expr(f"CASE WHEN {place.op} = 'u' THEN {there} END").alias("__before_name"),
    ]


def _row_name(values: list[str], reading: TableReading) -> str:
    given = zip(sorted(reading.columns), values, strict=True)
    parts = [
        f"{string_literal(name)}, {reading.columns[name].convert(value)}" for name, value in given
    ]
    return f"sha2(to_json(named_struct({', '.join(parts)})), 256)"


def _image(place: EventFields, name: str, reading: TableReading) -> str:
    """Return where a column's value stands: keys, and in a history all, also before a delete."""
    after = _available(reading.value(place.after, name), name, reading)
    if place.before == place.after or not (reading.images or name in reading.keys):
        return after
    before = _available(reading.value(place.before, name), name, reading)
    return f"CASE WHEN {place.op} = 'd' THEN {before} ELSE {after} END"


def _available(value: str, name: str, reading: TableReading) -> str:
    """Return a value, and NULL for what says that there is none."""
    wire = reading.columns[name].wire
    if not reading.unavailable or wire not in {"string", "binary"}:
        return value
    return f"nullif({value}, CAST({string_literal(reading.unavailable)} AS {wire}))"


def _fault(place: EventFields, unreadable: str, reading: TableReading) -> str:
    """Return SQL of the reason why a message cannot be used; NULL where it can."""
    cases = [
        (unreadable, "not readable"),
        ("__op IS NULL OR __op NOT IN ('r','c','u','d','t')", "unknown operation"),
        ("__seq_hi IS NULL OR __seq_lo IS NULL", _no_position(reading)),
    ]
    if lossy := _lossy(place, reading):
        cases.append((lossy, "a value does not fit its type"))
    keys = " OR ".join(f"{quote_name(name)} IS NULL" for name in reading.keys)
    if keys:
        cases.append((f"__op <> 't' AND ({keys})", "no key"))
    return f"CASE {' '.join(f'WHEN {when} THEN {string_literal(why)}' for when, why in cases)} END"


def _no_position(reading: TableReading) -> str:
    return "nothing to order it by" if reading.ordering.expression else "no binlog position"


def _lossy(place: EventFields, reading: TableReading) -> str:
    """Return SQL that finds values which a conversion has dropped."""
    columns = reading.columns.items()
    converted = [name for name, one in columns if one.sql != "{v}" and not one.drops]
    tests = [
        f"({_image(place, name, reading)} IS NOT NULL AND {quote_name(name)} IS NULL)"
        for name in converted
    ]
    return " OR ".join(tests)
