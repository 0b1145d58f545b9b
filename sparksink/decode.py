"""Bytes → changes: one row a message, typed, with its place in the order of all changes.

Columns of a frame of messages: ``topic, partition, offset, timestamp, key, value, position``
(``position`` is the text of the header of that name, or NULL: ``epoch/file/pos/row``, and behind
that ``/end`` for the last row of a snapshot or ``/empty`` for a snapshot without rows). `marked`
adds ``mark`` and cuts off known schemas; `changes` reads the messages of one mark.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql.avro.functions import from_avro

from sparksink.config import Ordering
from sparksink.layouts import EMPTY, GARBAGE, NEW_SCHEMA, NO_ROWS, PLAIN, Layout, WireForm
from sparksink.order import hi_sql, lo_sql
from sparksink.spark_types import Mapped, quoted, struct_type

META: Final = ("__seq_hi", "__seq_lo", "__op", "__source_ts")
"""Columns that every mirror row has beside the source's."""

MESSAGE: Final = ("topic", "partition", "offset", "timestamp")
"""Columns of a message that its change keeps, behind two underscores."""

_HEADER: Final = (
    "try_cast(split_part(position, '/', 1) AS BIGINT)",
    "split_part(position, '/', 2)",
    "try_cast(split_part(position, '/', 3) AS BIGINT)",
    "try_cast(split_part(position, '/', 4) AS INT)",
)
"""SQL of epoch, file, position and row as the header tells them."""

_END_MARKS: Final = "('last', 'last_in_data_collection')"


@dataclass(frozen=True, slots=True)
class Reading:
    """How the columns of a table are read; ``images`` tells whether deletes keep their values.

    With ``named`` rows get the names ``__row`` and ``__before_row``, made of their values; with
    ``moves`` an update of the key, of which the messages do not know, is a delete as well.
    """

    keys: tuple[str, ...]
    columns: Mapping[str, Mapped]
    ordering: Ordering
    images: bool
    named: bool = False
    moves: bool = False


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a form keeps what every change has; all SQL on the parsed value ``__v``."""

    op: str
    file: str
    pos: str
    row: str
    snapshot: str
    millis: str
    before: str
    after: str


_PLACES: Final[Mapping[WireForm, _Place]] = {
    "envelope": _Place(
        "__v.op", "__v.source.file", "__v.source.pos", "__v.source.row", "__v.source.snapshot",
        "__v.source.ts_ms", "__v.before", "__v.after",
    ),
    "cloudevents": _Place(
        "__v.iodebeziumop", "__v.iodebeziumfile", "try_cast(__v.iodebeziumpos AS BIGINT)",
        "try_cast(__v.iodebeziumrow AS INT)", "__v.iodebeziumsnapshot",
        "try_cast(__v.iodebeziumtsms AS BIGINT)", "__v.data.before", "__v.data.after",
    ),
    "row": _Place(
        "CASE WHEN __v.__deleted = 'true' THEN 'd' ELSE coalesce(__v.__op, 'u') END",
        "__v.__source_file", "__v.__source_pos", "__v.__source_row",
        "__v.__source_snapshot", "__v.__source_ts_ms", "__v", "__v",
    ),
}  # fmt: skip

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


def marked(messages: DataFrame, prefixes: Mapping[str, list[tuple[str, bytes]]]) -> DataFrame:
    """Add the mark of each message, and cut off the schemas that are known."""
    value = f.col("value")
    mark = f.when(value.isNull(), EMPTY).when(f.col("position").endswith("/empty"), NO_ROWS)
    body: Column | None = None
    for topic, known in prefixes.items():
        for name, prefix in known:
            here = (f.col("topic") == topic) & f.startswith(value, f.lit(prefix))
            payload = f.expr(
                f"substring(value, {len(prefix) + 1}, length(value) - {len(prefix)} - 1)"
            )
            mark = mark.when(here, name)
            body = payload if body is None else body
            body = f.when(here, payload) if body is payload else body.when(here, payload)
    identifier = f.expr("concat('avro:', conv(hex(substring(value, 2, 4)), 16, 10))")
    mark = (
        mark.when(f.startswith(value, f.lit(b"\0")) & (f.length(value) > 5), identifier)
        .when(f.startswith(value, f.lit(b'{"schema":')), NEW_SCHEMA)
        .when(f.startswith(value, f.lit(b"{")), PLAIN)
        .otherwise(GARBAGE)
    )
    kept = value if body is None else body.otherwise(value)
    return messages.withColumn("mark", mark).withColumn("value", kept)


def changes(messages: DataFrame, layout: Layout, reading: Reading) -> DataFrame:
    """Read messages of one mark into changes.

    Beside the table's columns there are `META`, ``__end`` (a snapshot of the table ends here),
    ``__streamed`` (not part of a snapshot), ``__fault`` (why a message cannot be used, or NULL)
    and `MESSAGE`.
    """
    parsed = messages.withColumn("__v", _parsed(layout, reading))
    place, unreadable = _PLACES[layout.form], _unreadable(layout)
    found = _finished(parsed, place, reading, unreadable)
    if not (reading.moves and place.before != place.after):
        return found
    same = [f"{place.before}.{quoted(k)} <=> {place.after}.{quoted(k)}" for k in reading.keys]
    moved = parsed.where(f"{place.op} = 'u' AND NOT ({' AND '.join(same)})")
    gone = replace(place, op="CASE WHEN __v IS NOT NULL THEN 'd' END")
    return found.unionByName(_finished(moved, gone, reading, unreadable))


def _unreadable(layout: Layout) -> str:
    return "__v IS NULL" if layout.avro else "__v IS NULL OR __v.__corrupt IS NOT NULL"


def _parsed(layout: Layout, reading: Reading) -> Column:
    if layout.avro:
        return from_avro(f.expr("substring(value, 6)"), layout.avro, {"mode": "PERMISSIVE"})
    options = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": "__corrupt"}
    text = f.col("value").cast("string")
    return f.from_json(text, _wire_schema(layout.form, reading), options)


def _wire_schema(form: WireForm, reading: Reading) -> str:
    """Return the structure of a value; only what is used, as reading costs the most."""
    after = [(name, mapped.wire) for name, mapped in reading.columns.items()]
    keys = [(name, kind) for name, kind in after if name in reading.keys]
    before = struct_type(after if reading.images else keys) if keys or reading.images else "string"
    images = [("before", before), ("after", struct_type(after))]
    corrupt = ("__corrupt", "string")
    if form == "row":
        return struct_type([*after, *_ROW_META, corrupt])
    if form == "cloudevents":
        outside = [(name, "string") for name in (*_CLOUD.split(), "iodebeziumtsms")]
        return struct_type([*outside, ("data", struct_type(images)), corrupt])
    return struct_type([*images, ("source", _SOURCE), ("op", "string"), corrupt])


def _finished(parsed: DataFrame, place: _Place, reading: Reading, unreadable: str) -> DataFrame:
    hi, lo = _sequence(place, reading.ordering)
    values = [
        f.expr(mapped.of(_image(place, name, reading))).alias(name)
        for name, mapped in reading.columns.items()
    ]
    # The values first: what looks for faults uses them, and would else compute them again.
    typed = parsed.select(
        "__v",
        *(f.col(name).alias(f"__{name}") for name in MESSAGE),
        f.expr(place.op).alias("__op"),
        f.expr(hi).alias("__seq_hi"),
        f.expr(lo).alias("__seq_lo"),
        f.expr(f"timestamp_millis({place.millis})").alias("__source_ts"),
        f.expr(_ends(place)).alias("__end"),
        f.expr(f"coalesce({place.snapshot}, 'false') = 'false'").alias("__streamed"),
        *(_names(place, reading) if reading.named else ()),
        *values,
    )
    return typed.withColumn("__fault", f.expr(_fault(place, unreadable, reading))).drop("__v")


def _names(place: _Place, reading: Reading) -> list[Column]:
    """Name rows by their values: the same ones whatever NULLs there are besides."""
    images = [_image(place, name, reading) for name in sorted(reading.columns)]
    before = [f"{place.before}.{quoted(name)}" for name in sorted(reading.columns)]
    here, there = (_name(values, reading) for values in (images, before))
    return [
        f.expr(here).alias("__row"),
        f.expr(f"CASE WHEN {place.op} = 'u' THEN {there} END").alias("__before_row"),
    ]


def _name(values: list[str], reading: Reading) -> str:
    given = zip(sorted(reading.columns), values, strict=True)
    parts = [f"{_text(name)}, {reading.columns[name].of(value)}" for name, value in given]
    return f"sha2(to_json(named_struct({', '.join(parts)})), 256)"


def _image(place: _Place, name: str, reading: Reading) -> str:
    """Return where a column's value stands: keys, and in a history all, also before a delete."""
    after = f"{place.after}.{quoted(name)}"
    if place.before == place.after or not (reading.images or name in reading.keys):
        return after
    return f"CASE WHEN {place.op} = 'd' THEN {place.before}.{quoted(name)} ELSE {after} END"


def _sequence(place: _Place, ordering: Ordering) -> tuple[str, str]:
    if ordering.mode == "kafka":
        return "0L", "offset"
    epoch, file, pos, row = _HEADER
    if ordering.epoch == "none":
        return hi_sql("0L", place.file), lo_sql(place.pos, f"coalesce({place.row}, 0)", place.op)
    # Messages of a time without the header are of the first binlog.
    hi = hi_sql(f"coalesce({epoch}, 0L)", f"coalesce({place.file}, {file})")
    lo = f"coalesce({place.pos}, {pos})", f"coalesce({place.row}, {row}, 0)"
    return hi, lo_sql(*lo, place.op)


def place_of_header() -> tuple[str, str]:
    """Return SQL of the place that the header tells, as of a row of a snapshot."""
    epoch, file, pos, row = _HEADER
    return hi_sql(epoch, file), lo_sql(pos, row, "'r'")


def _ends(place: _Place) -> str:
    """Return SQL that tells whether a snapshot of the table ends here; the header knows best."""
    marked = f"coalesce({place.snapshot} IN {_END_MARKS}, false)"
    return f"CASE WHEN position IS NULL THEN {marked} ELSE endswith(position, '/end') END"


def _fault(place: _Place, unreadable: str, reading: Reading) -> str:
    """Return SQL of the reason why a message cannot be used; NULL where it can."""
    cases = [
        (unreadable, "not readable"),
        ("__op IS NULL OR __op NOT IN ('r','c','u','d','t')", "unknown operation"),
        ("__seq_hi IS NULL OR __seq_lo IS NULL", "no binlog position"),
    ]
    if lossy := _lossy(place, reading):
        cases.append((lossy, "a value does not fit its type"))
    keys = " OR ".join(f"{quoted(name)} IS NULL" for name in reading.keys)
    if keys:
        cases.append((f"__op <> 't' AND ({keys})", "no key"))
    return f"CASE {' '.join(f'WHEN {when} THEN {_text(why)}' for when, why in cases)} END"


def _lossy(place: _Place, reading: Reading) -> str:
    """Return SQL that finds values which a conversion has dropped."""
    converted = [name for name, mapped in reading.columns.items() if mapped.sql != "{v}"]
    tests = [
        f"({_image(place, name, reading)} IS NOT NULL AND {quoted(name)} IS NULL)"
        for name in converted
    ]
    return " OR ".join(tests)


def _text(words: str) -> str:
    return "'" + words.replace("'", "''") + "'"


def unreadable(messages: DataFrame) -> DataFrame:
    """Return messages that are nothing as changes with a fault, without a table's columns."""
    kinds = zip(META, ("bigint", "bigint", "string", "timestamp"), strict=True)
    return messages.select(
        *(f.col(name).alias(f"__{name}") for name in MESSAGE),
        *(f.lit(None).cast(kind).alias(name) for name, kind in kinds),
        f.lit(False).alias("__end"),
        f.lit(False).alias("__streamed"),
        f.lit("neither JSON nor Avro").alias("__fault"),
    )


def tombstones(messages: DataFrame, reading: Reading) -> DataFrame:
    """Read empty messages as deletes: the message key tells the row, a header the position.

    Without that header they are dropped where binlog positions order the changes: in Debezium's
    envelope a tombstone only repeats the delete before it.
    """
    hi, lo = "0L", "offset"
    if reading.ordering.mode == "binlog":
        messages = messages.where("position IS NOT NULL")
        epoch, file, pos, row = _HEADER
        hi, lo = hi_sql(epoch, file), lo_sql(pos, row, "'d'")
    keyed = messages.withColumn("k", _key(reading))
    values = [
        f.expr(_key_value(name, m, reading)).alias(name) for name, m in reading.columns.items()
    ]
    missing = " OR ".join(f"k.{quoted(name)} IS NULL" for name in reading.keys)
    fault = f"CASE WHEN {missing} THEN 'no key' WHEN ({lo}) IS NULL THEN 'no binlog position' END"
    return keyed.select(
        *(f.col(name).alias(f"__{name}") for name in MESSAGE),
        f.lit("d").alias("__op"),
        f.expr(hi).alias("__seq_hi"),
        f.expr(lo).alias("__seq_lo"),
        f.lit(None).cast("timestamp").alias("__source_ts"),
        f.lit(False).alias("__end"),
        f.lit(True).alias("__streamed"),
        f.expr(fault).alias("__fault"),
        *values,
    )


def _key(reading: Reading) -> Column:
    """Read a JSON key, with its schema or without."""
    wire = struct_type((name, reading.columns[name].wire) for name in reading.keys)
    text = f.col("key").cast("string")
    schema = struct_type([("payload", wire)])
    return f.coalesce(f.from_json(text, schema)["payload"], f.from_json(text, wire))


def _key_value(name: str, mapped: Mapped, reading: Reading) -> str:
    if name in reading.keys:
        return mapped.of(f"k.{quoted(name)}")
    return f"CAST(NULL AS {mapped.target})"
