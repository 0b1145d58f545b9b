"""Optional columns of histories: the row before a change, and metadata of the event."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sparksink.decode.message_schema import MessageSchema, WireForm
from sparksink.decode.position_columns import EventFields
from sparksink.decode.reading import TableReading
from sparksink.schemas.spark_types import struct_type
from sparksink.sql import json_text_sql, key_text_sql, string_literal

EVENT_ID: Final = "__event_id"
EVENT_COLUMNS: Final = {
    "__gtid": "string",
    "__file": "string",
    "__pos": "bigint",
    "__row": "int",
    "__snapshot": "string",
    "__tx_id": "string",
    "__tx_order": "bigint",
    EVENT_ID: "string",
}
"""Metadata of an event in a history: position, transaction and identifier."""

_TRANSACTION_FIELDS: Final[Mapping[WireForm, tuple[str, str, str]]] = {
    "envelope": ("__v.source.gtid", "__v.transaction.id", "__v.transaction.total_order"),
    "row": ("__v.__source_gtid", "__v.__transaction_id", "__v.__transaction_total_order"),
    "cloudevents": (
        "__v.iodebeziumgtid",
        "__v.iodebeziumtxid",
        "__v.iodebeziumtxtotalorder",
    ),
}
"""Message form → fields with GTID, transaction id, and the event's number in it."""

_POSITION: Final = (
    "concat_ws('/', shiftright(__seq_hi, 32), __seq_hi & 4294967295L, shiftright(__seq_lo, 22),"
    " shiftright(__seq_lo, 2) & 1048575L, __seq_lo & 3L)"
)
"""SQL of epoch/file/position/row/rank; all rows of a snapshot have the same."""


def before_image_sql(fields: EventFields, reading: TableReading) -> str:
    """Return SQL of the row before an update or delete; NULL for other changes."""
    kinds = struct_type([(name, mapped.target) for name, mapped in reading.columns.items()])
    values = [
        f"{string_literal(name)}, {mapped.convert(reading.value(fields.before, name))}"
        for name, mapped in reading.columns.items()
    ]
    row = f"named_struct({', '.join(values)})"
    if fields.before == fields.after:  # an unwrapped row has only one image
        row = f"CAST(NULL AS {kinds})"
    # By the image, not only by the operation: a split update of a key is a delete.
    found = f"CASE WHEN {fields.op} IN ('u', 'd') AND {fields.before} IS NOT NULL THEN {row} END"
    return found if reading.before == "struct" else json_text_sql(found, nulls=True)


def event_columns(
    layout: MessageSchema, fields: EventFields, reading: TableReading, *, split: bool = False
) -> Mapping[str, str]:
    """Return SQL of `EVENT_COLUMNS`; empty if no history needs them.

    :param split: the change is the delete of an update that changed the key.
    """
    if not reading.events:
        return {}
    gtid, transaction, number = (
        value if layout.has(value) else "NULL" for value in _TRANSACTION_FIELDS[layout.form]
    )
    values = (gtid, fields.file, fields.pos, fields.row, fields.snapshot, transaction, number)
    named = zip(EVENT_COLUMNS.items(), values, strict=False)
    found = {name: f"try_cast({value} AS {kind})" for (name, kind), value in named}
    return {**found, EVENT_ID: _event_id(reading, split=split)}


def _event_id(reading: TableReading, *, split: bool) -> str:
    """Return SQL of an event's identifier, which is the same if it is redelivered.

    That is ``GTID:number`` if the messages have both, as it is valid on every server, else the
    position. For rows of a snapshot the key follows, or without one topic, partition and offset.
    """
    row = f"sha2({key_text_sql(reading.keys)}, 256)"
    message = "concat_ws('/', __topic, __partition, __offset)"
    suffix = ", 'd'" if split else ""
    return (
        f"CASE WHEN __op = 'r' THEN concat_ws('/', {_POSITION}, {row if reading.keys else message})"
        " WHEN __gtid IS NOT NULL AND __tx_order IS NOT NULL"
        f" THEN concat_ws(':', __gtid, __tx_order{suffix}) ELSE {_POSITION} END"
    )


def wire_fields(form: WireForm, reading: TableReading) -> list[tuple[str, str]]:
    """Return the additional top-level fields of a value that the event columns need."""
    if not reading.events:
        return []
    if form == "envelope":
        return [("transaction", "struct<id:string,total_order:bigint>")]
    return [(value.removeprefix("__v."), "string") for value in _TRANSACTION_FIELDS[form]]
