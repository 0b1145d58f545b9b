"""What histories may have of a change besides: the row before it, and what names the event."""

from __future__ import annotations

import json
from typing import Final

from sparksink.decode.layouts import Layout, WireForm
from sparksink.decode.places import Place
from sparksink.decode.reading import Reading
from sparksink.schemas import shapes
from sparksink.schemas.spark_types import quoted, struct_type

EVENT_ID: Final = "__event_id"

_NUMBERS: Final = {
    "envelope": ("__v.source.gtid", "__v.transaction.total_order"),
    "row": ("__v.__source_gtid", "__v.__transaction_total_order"),
    "cloudevents": ("__v.iodebeziumgtid", "__v.iodebeziumtxtotalorder"),
}
"""Where a form keeps the transaction's GTID, and the number of the event in it."""

_PLACE: Final = (
    "concat_ws('/', shiftright(__seq_hi, 32), __seq_hi & 4294967295L, shiftright(__seq_lo, 22),"
    " shiftright(__seq_lo, 2) & 1048575L, __seq_lo & 3L)"
)
"""Epoch, file, position, row and rank; all rows of a snapshot have the same."""


def before_sql(place: Place, reading: Reading) -> str:
    """Return SQL of the row as it was before an update or delete; NULL elsewhere."""
    kinds = struct_type([(name, mapped.target) for name, mapped in reading.columns.items()])
    values = [
        f"'{_escaped(name)}', {mapped.of(f'{place.before}.{quoted(name)}')}"
        for name, mapped in reading.columns.items()
    ]
    row = f"named_struct({', '.join(values)})"
    if place.before == place.after:  # an unwrapped row has but one image
        row = f"CAST(NULL AS {kinds})"
    # By the image, not by the operation alone: the split update of a key is a delete.
    found = f"CASE WHEN {place.op} IN ('u', 'd') AND {place.before} IS NOT NULL THEN {row} END"
    return found if reading.before == "struct" else f"to_json({found}, {_WITH_NULLS})"


_WITH_NULLS: Final = "map('ignoreNullFields', 'false')"


def event_id_sql(layout: Layout, reading: Reading, *, split: bool) -> str:
    """Return SQL of what names an event: of one that is told again it is the same.

    That is ``GTID:number`` where the messages have both, which holds on every server; else the
    place. Rows of a snapshot have the key besides, or without one the place of their message.

    :param split: it is the delete of an update that changed the key.
    """
    ids = [f"{quoted(name)}" for name in reading.keys]
    row = f"sha2(to_json(struct({', '.join(ids)})), 256)" if ids else "NULL"
    message = "concat_ws('/', __topic, __partition, __offset)"
    parts = [f"WHEN __op = 'r' THEN concat_ws('/', {_PLACE}, {row if ids else message})"]
    if _has_numbers(layout):
        gtid, number = _NUMBERS[layout.form]
        both = f"{gtid} IS NOT NULL AND {number} IS NOT NULL"
        suffix = ", 'd'" if split else ""
        parts.append(f"WHEN {both} THEN concat_ws(':', {gtid}, {number}{suffix})")
    return f"CASE {' '.join(parts)} ELSE {_PLACE} END"


def wire_fields(form: WireForm, reading: Reading) -> list[tuple[str, str]]:
    """Return what has to be read for it at the top of a value, beside all the rest."""
    if not reading.event_ids:
        return []
    found: dict[WireForm, list[tuple[str, str]]] = {
        "envelope": [("transaction", "struct<total_order:bigint>")],
        "row": [("__source_gtid", "string"), ("__transaction_total_order", "bigint")],
        "cloudevents": [("iodebeziumgtid", "string"), ("iodebeziumtxtotalorder", "string")],
    }
    return found[form]


def _has_numbers(layout: Layout) -> bool:
    """Tell whether messages have a place for both; of Avro only the writer's schema tells."""
    if not layout.avro:
        return True
    members = {one.name: one for one in shapes.from_avro(json.loads(layout.avro)).fields}
    if layout.form == "row":
        return {"__source_gtid", "__transaction_total_order"} <= members.keys()
    inside = {
        block: {one.name for one in members[block].fields} if block in members else set()
        for block in ("source", "transaction")
    }
    return "gtid" in inside["source"] and "total_order" in inside["transaction"]


def _escaped(name: str) -> str:
    return name.replace("\\", "\\\\").replace("'", "\\'")
