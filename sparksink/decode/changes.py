"""Decodes messages to changes: one typed row per message, with its position.

Columns of a frame of messages: ``topic, partition, offset, timestamp, key, value, position``
(``position`` is the text of the position header, or NULL: ``epoch/file/pos/row``, followed by
``/end`` for the last row of a snapshot or ``/empty`` for a snapshot without rows). `with_format`
adds the format as ``mark`` and removes known schemas; `changes` reads messages of one format.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from sparksink.decode.avro_values import avro_value
from sparksink.decode.history_columns import EVENT_ID, before_image_sql, event_columns, wire_fields
from sparksink.decode.message_schema import MessageSchema, WireForm
from sparksink.decode.position_columns import (
    EVENT_FIELDS,
    EventFields,
    order_by_expression,
    position_sql,
    snapshot_end_sql,
)
from sparksink.decode.reading import GONE, MESSAGE, TableReading
from sparksink.schemas.spark_types import BEFORE, MILLIS, struct_type
from sparksink.sql import json_text_sql, quote_name, string_literal

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
    """Decode messages of one format.

    Beside the table's columns a change has `META`, ``__end`` (a snapshot of the table ends here),
    ``__streamed`` (not part of a snapshot), ``__fault`` (why the message is unusable, or NULL) and
    `MESSAGE`.
    """
    reading = replace(reading, written=bool(layout.avro))
    values = messages.withColumn("__v", parse_value(layout, reading))
    fields, unreadable = event_fields(layout, reading), unreadable_sql(layout)
    extra = event_columns(layout, fields, reading)
    found = _convert_columns(values, fields, reading, unreadable, extra)
    if not (reading.moves and fields.before != fields.after):
        return found
    images = (fields.before, fields.after)
    same = [" <=> ".join(reading.value(image, key) for image in images) for key in reading.keys]
    moved = values.where(f"{fields.op} = 'u' AND NOT ({' AND '.join(same)})")
    gone = replace(fields, op="CASE WHEN __v IS NOT NULL THEN 'd' END")
    extra = event_columns(layout, fields, reading, split=True)
    return found.unionByName(_convert_columns(moved, gone, reading, unreadable, extra))


def event_fields(layout: MessageSchema, reading: TableReading, **other: str) -> EventFields:
    """Return the event fields of messages of a format; ``other`` overrides some."""
    fields = replace(EVENT_FIELDS[layout.form], **other)
    if reading.ordering.epoch != "sequence" or layout.has(fields.sequence):
        return fields
    return replace(fields, sequence="CAST(NULL AS STRING)")


def unreadable_sql(layout: MessageSchema) -> str:
    """Return the SQL condition that a parsed value is unreadable."""
    return "__v IS NULL" if layout.avro else "__v IS NULL OR __v.__corrupt IS NOT NULL"


def parse_value(layout: MessageSchema, reading: TableReading) -> Column:
    """Return the parsed value of messages of one format, with the fields that a reading uses."""
    if layout.avro:
        return avro_value(layout.avro)
    options = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": "__corrupt"}
    body = f.col("value").cast("string")
    wire, named = (_wire_schema(layout.form, one) for one in (reading.as_written, reading))
    value = f.from_json(body, wire, options)
    return value if wire == named else value.cast(named)


def _wire_schema(form: WireForm, reading: TableReading) -> str:
    """Return the schema of a value with only the used fields, as parsing is the main cost."""
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


def _convert_columns(
    parsed: DataFrame,
    fields: EventFields,
    reading: TableReading,
    unreadable: str,
    extra: Mapping[str, str],
) -> DataFrame:
    hi, lo = position_sql(fields, reading.ordering)
    values = [
        f.expr(mapped.convert(_image(fields, name, reading))).alias(
            name, metadata=_metadata(name, reading)
        )
        for name, mapped in reading.columns.items()
    ]
    # Values first, as the search for faults uses them and would otherwise compute them again.
    typed = parsed.select(
        "__v",
        *(f.col(name).alias(f"__{name}") for name in MESSAGE),
        f.expr(fields.op).alias("__op"),
        f.expr(hi).alias("__seq_hi"),
        f.expr(lo).alias("__seq_lo"),
        f.expr(f"timestamp_millis({MILLIS.replace('{v}', fields.millis)})").alias("__source_ts"),
        f.expr(snapshot_end_sql(fields)).alias("__end"),
        f.expr(f"coalesce({fields.snapshot}, 'false') = 'false'").alias("__streamed"),
        *(_row_names(fields, reading) if reading.named else ()),
        *(
            [f.expr(before_image_sql(fields, reading)).alias(BEFORE)]
            if reading.before != "none"
            else ()
        ),
        *(f.expr(sql).alias(name) for name, sql in extra.items() if name != EVENT_ID),
        *values,
    )
    if reading.ordering.expression:
        typed = order_by_expression(typed, reading.ordering.expression)
    if EVENT_ID in extra:
        typed = typed.withColumn(EVENT_ID, f.expr(extra[EVENT_ID]))
    return typed.withColumn("__fault", f.expr(_fault(fields, unreadable, reading))).drop("__v")


def _metadata(name: str, reading: TableReading) -> dict[str, bool]:
    """Return the metadata of a column, which marks columns that no longer exist."""
    return {GONE: True} if name in reading.gone else {}


def _row_names(fields: EventFields, reading: TableReading) -> list[Column]:
    """Return hashes that identify rows by their values, independent of columns that are NULL."""
    images = [_image(fields, name, reading) for name in sorted(reading.columns)]
    before = [reading.value(fields.before, name) for name in sorted(reading.columns)]
    name, before_name = (_row_name(values, reading) for values in (images, before))
    return [
        f.expr(name).alias("__row_name"),
        f.expr(f"CASE WHEN {fields.op} = 'u' THEN {before_name} END").alias("__before_name"),
    ]


def _row_name(values: list[str], reading: TableReading) -> str:
    given = zip(sorted(reading.columns), values, strict=True)
    parts = [
        f"{string_literal(name)}, {reading.columns[name].convert(value)}" for name, value in given
    ]
    row = json_text_sql(f"named_struct({', '.join(parts)})")
    return f"sha2({row}, 256)"


def _image(fields: EventFields, name: str, reading: TableReading) -> str:
    """Return SQL of a column's value; for deletes from the row before, if it is needed."""
    after = _available(reading.value(fields.after, name), name, reading)
    if fields.before == fields.after or not (reading.images or name in reading.keys):
        return after
    before = _available(reading.value(fields.before, name), name, reading)
    return f"CASE WHEN {fields.op} = 'd' THEN {before} ELSE {after} END"


def _available(value: str, name: str, reading: TableReading) -> str:
    """Return SQL of a value, with NULL for the placeholder of unavailable values."""
    wire = reading.columns[name].wire
    if not reading.unavailable or wire not in {"string", "binary"}:
        return value
    return f"nullif({value}, CAST({string_literal(reading.unavailable)} AS {wire}))"


def _fault(fields: EventFields, unreadable: str, reading: TableReading) -> str:
    """Return SQL of the reason why a message is unusable; NULL if it is usable."""
    cases = [
        (unreadable, "not readable"),
        ("__op IS NULL OR __op NOT IN ('r','c','u','d','t')", "unknown operation"),
        ("__seq_hi IS NULL OR __seq_lo IS NULL", _no_position(reading)),
    ]
    if lossy := _lossy(fields, reading):
        cases.append((lossy, "a value does not fit its type"))
    keys = " OR ".join(f"{quote_name(name)} IS NULL" for name in reading.keys)
    if keys:
        cases.append((f"__op <> 't' AND ({keys})", "no key"))
    return f"CASE {' '.join(f'WHEN {when} THEN {string_literal(why)}' for when, why in cases)} END"


def _no_position(reading: TableReading) -> str:
    return "nothing to order it by" if reading.ordering.expression else "no binlog position"


def _lossy(fields: EventFields, reading: TableReading) -> str:
    """Return the SQL condition that a conversion has dropped a value."""
    columns = reading.columns.items()
    converted = [name for name, one in columns if one.sql != "{v}" and not one.drops]
    tests = [
        f"({_image(fields, name, reading)} IS NOT NULL AND {quote_name(name)} IS NULL)"
        for name in converted
    ]
    return " OR ".join(tests)
