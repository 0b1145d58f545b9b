"""SQL of the position of a change, from the fields or the header of its message."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from sparksink.change_position import hi_sql, lo_sql
from sparksink.config.ordering import Ordering
from sparksink.decode.message_schema import WireForm
from sparksink.errors import TableError
from sparksink.spark_errors import SparkError, cause

_HEADER: Final = (
    "try_cast(split_part(position, '/', 1) AS BIGINT)",
    "split_part(position, '/', 2)",
    "try_cast(split_part(position, '/', 3) AS BIGINT)",
    "try_cast(split_part(position, '/', 4) AS BIGINT)",
)
"""SQL of epoch, file, position and row in the header."""

_INTEGER: Final = re.compile(r"decimal\(\d+,0\)")
_WHOLE: Final = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), "CAST({v} AS BIGINT)"),
    "decimal": "try_cast({v} AS BIGINT)",
    "date": "CAST(unix_date({v}) AS BIGINT)",
    "timestamp": "unix_micros({v})",
    "timestamp_ntz": "unix_micros(CAST({v} AS TIMESTAMP))",
}
"""Type → SQL of a whole number in the order of the values."""

_END_MARKS: Final = "('last', 'last_in_data_collection')"


@dataclass(frozen=True, slots=True)
class EventFields:
    """The event fields that every form of message has, as SQL on the parsed value ``__v``."""

    op: str
    file: str
    pos: str
    row: str
    snapshot: str
    millis: str
    before: str
    after: str
    sequence: str


EVENT_FIELDS: Final[Mapping[WireForm, EventFields]] = {
    "envelope": EventFields(
        "__v.op", "__v.source.file", "__v.source.pos", "__v.source.row", "__v.source.snapshot",
        "__v.source.ts_ms", "__v.before", "__v.after", "__v.source.sequence",
    ),
    "cloudevents": EventFields(
        "__v.iodebeziumop", "__v.iodebeziumfile", "try_cast(__v.iodebeziumpos AS BIGINT)",
        "try_cast(__v.iodebeziumrow AS INT)", "__v.iodebeziumsnapshot",
        "try_cast(__v.iodebeziumtsms AS BIGINT)", "__v.data.before", "__v.data.after",
        "__v.iodebeziumsequence",
    ),
    "row": EventFields(
        "CASE WHEN __v.__deleted = 'true' THEN 'd' ELSE coalesce(__v.__op, 'u') END",
        "__v.__source_file", "__v.__source_pos", "__v.__source_row",
        "__v.__source_snapshot", "__v.__source_ts_ms", "__v", "__v",
        "__v.__source_sequence",
    ),
}  # fmt: skip


def position_sql(fields: EventFields, ordering: Ordering) -> tuple[str, str]:
    """Return SQL of both halves of a change's position."""
    if ordering.mode != "binlog":
        return "0L", "offset"
    epoch, file, pos, row = _HEADER
    if ordering.epoch != "header":
        first = _epoch_of_sequence(fields.sequence) if ordering.epoch == "sequence" else "0L"
        return hi_sql(first, fields.file), lo_sql(
            fields.pos, f"coalesce({fields.row}, 0)", fields.op
        )
    # Messages from before the header was configured have epoch 0.
    hi = hi_sql(f"coalesce({epoch}, 0L)", f"coalesce({fields.file}, {file})")
    # The field repeats the numbers of rows within a compressed transaction, the header does not.
    lo = f"coalesce({fields.pos}, {pos})", f"coalesce({row}, {fields.row}, 0)"
    return hi, lo_sql(*lo, fields.op)


def _epoch_of_sequence(sequence: str) -> str:
    """Return SQL of the number in the first element of a JSON array; 0 without an array."""
    number = f"try_cast(get_json_object({sequence}, '$[0]') AS BIGINT)"
    return f"CASE WHEN {sequence} IS NULL THEN 0L ELSE {number} END"


def order_by_expression(changes: DataFrame, expression: str) -> DataFrame:
    """Return changes with a position from SQL on their columns, and the offset for ties.

    A TRUNCATE has no row, and is ignored when such positions are compared.

    :raises TableError: the SQL is invalid, or its type has no order.
    """
    try:
        [(_, kind)] = changes.select(f.expr(expression)).dtypes
    except SparkError as error:
        raise TableError(
            f"ordering.mode=column:{expression} cannot be used: {cause(error)}"
        ) from None
    whole = _WHOLE.get("decimal" if _INTEGER.fullmatch(kind) else kind)
    if whole is None:
        raise TableError(
            f"ordering.mode=column:{expression} is of type {kind}.",
            "Use SQL of a whole number, a date or a timestamp.",
        )
    value = whole.replace("{v}", f"({expression})")
    position = f"CASE WHEN __op = 't' THEN 0L WHEN {value} >= 0 THEN {value} END"
    return changes.withColumn("__seq_hi", f.expr(position))


def header_position_sql() -> tuple[str, str]:
    """Return SQL of the position in the header, with the rank of a snapshot row."""
    epoch, file, pos, row = _HEADER
    return hi_sql(epoch, file), lo_sql(pos, row, "'r'")


def tombstone_position_sql(ordering: Ordering) -> tuple[str, str]:
    """Return SQL of the position of a tombstone, with the rank of a delete."""
    if ordering.mode == "kafka":
        return "0L", "offset"
    epoch, file, pos, row = _HEADER
    return hi_sql(epoch, file), lo_sql(pos, row, "'d'")


def snapshot_end_sql(fields: EventFields) -> str:
    """Return the SQL condition that a snapshot of the table ends here; the header has priority."""
    marked = f"coalesce({fields.snapshot} IN {_END_MARKS}, false)"
    return f"CASE WHEN position IS NULL THEN {marked} ELSE endswith(position, '/end') END"
