"""What histories may have of a change besides: the row before it, and what tells of the event."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sparksink.decode.message_schemas import MessageSchema, WireForm
from sparksink.decode.position_columns import EventFields
from sparksink.decode.reading import TableReading
from sparksink.schemas.spark_types import struct_type
from sparksink.sql import quote_name, string_literal

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
"""What a history tells of each event: where and in which transaction it was, and its name."""

_TOLD: Final[Mapping[WireForm, tuple[str, str, str]]] = {
    "envelope": ("__v.source.gtid", "__v.transaction.id", "__v.transaction.total_order"),
    "row": ("__v.__source_gtid", "__v.__transaction_id", "__v.__transaction_total_order"),
    "cloudevents": (
        "__v.iodebeziumgtid",
        "__v.iodebeziumtxid",
        "__v.iodebeziumtxtotalorder",
    ),
}
"""Where a form keeps GTID and name of the transaction, and the number of the event in it."""

_PLACE: Final = (
    "concat_ws('/', shiftright(__seq_hi, 32), __seq_hi & 4294967295L, shiftright(__seq_lo, 22),"
    " shiftright(__seq_lo, 2) & 1048575L, __seq_lo & 3L)"
)
"""Epoch, file, position, row and rank; all rows of a snapshot have the same."""


def before_sql(place: EventFields, reading: TableReading) -> str:
    """Return SQL of the row as it was before an update or delete; NULL elsewhere."""
    kinds = struct_type([(name, mapped.target) for name, mapped in reading.columns.items()])
    values = [
        f"{string_literal(name)}, {mapped.convert(reading.value(place.before, name))}"
        for name, mapped in reading.columns.items()
    ]
    row = f"named_struct({', '.join(values)})"
    if place.before == place.after:  # an unwrapped row has but one image
        row = f"CAST(NULL AS {kinds})"
    # By the image, not by the operation alone: the split update of a key is a delete.
    found = f"CASE WHEN {place.op} IN ('u', 'd') AND {place.before} IS NOT NULL THEN {row} END"
    return found if reading.before == "struct" else f"to_json({found}, {_WITH_NULLS})"


_WITH_NULLS: Final = "map('ignoreNullFields', 'false')"


def event_columns(
    layout: MessageSchema, place: EventFields, reading: TableReading, *, split: bool = False
) -> Mapping[str, str]:
    """Return SQL of the columns `EVENT_COLUMNS`; none where no history asks for them.

    :param split: it is the delete of an update that changed the key.
    """
    if not reading.events:
        return {}
    gtid, transaction, number = (
        value if layout.has(value) else "NULL" for value in _TOLD[layout.form]
    )
    values = (gtid, place.file, place.pos, place.row, place.snapshot, transaction, number)
    named = zip(EVENT_COLUMNS.items(), values, strict=False)
    found = {name: f"try_cast({value} AS {kind})" for (name, kind), value in named}
    return {**found, EVENT_ID: _event_id(reading, split=split)}


def _event_id(reading: TableReading, *, split: bool) -> str:
    """Return SQL of what names an event: of one that is told again it is the same.

    That is ``GTID:number`` where the messages have both, which holds on every server; else the
    place. Rows of a snapshot have the key besides, or without one the place of their message.
    """
    ids = [f"{quote_name(name)}" for name in reading.keys]
    row = f"sha2(to_json(struct({', '.join(ids)})), 256)" if ids else "NULL"
    message = "concat_ws('/', __topic, __partition, __offset)"
    suffix = ", 'd'" if split else ""
    return (
        f"CASE WHEN __op = 'r' THEN concat_ws('/', {_PLACE}, {row if ids else message})"
        " WHEN __gtid IS NOT NULL AND __tx_order IS NOT NULL"
        f" THEN concat_ws(':', __gtid, __tx_order{suffix}) ELSE {_PLACE} END"
    )


def wire_fields(form: WireForm, reading: TableReading) -> list[tuple[str, str]]:
    """Return what has to be read for it at the top of a value, beside all the rest."""
    if not reading.events:
        return []
    if form == "envelope":
        return [("transaction", "struct<id:string,total_order:bigint>")]
    return [(value.removeprefix("__v."), "string") for value in _TOLD[form]]
