"""`python -m tests.unit.native.measure`: the time to decode and encode a row, in CPU microseconds.

The rows are those of the benchmark's tables of 4 and of 20 columns, in events of many rows and of
one; each way is measured in turns, the best of its turns counts.
"""

from __future__ import annotations

import json
import struct
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any, cast

from bench.tables import sb_row, wide_row
from connector import native
from connector.capture.change import RowChanges
from connector.converters.json import JsonConverter
from connector.debezium.compiled import CompiledRows, fragment_keys
from connector.debezium.events import EventOptions
from connector.debezium.transactions import Transaction
from connector.mysql.binlog.events import RowsChanged
from connector.mysql.binlog.row_decoding import TablePlan
from connector.mysql.native_rows import read_natively
from connector.mysql.session.connection import RowStream
from connector.mysql.session.text_rows import TextRows
from connector.mysql.types import fields
from connector.mysql.types.type_options import TypeOptions
from tests.fixtures import fields_as_bytes as write
from tests.fixtures.random_changes import NAMING, ROW_SLOT, SOURCE
from tests.fixtures.text_packets import END, Chunks, packed, packets
from tests.unit.converters.without_registry import PlainAvro
from tests.unit.mysql.binlog import events_as_bytes as written
from tests.unit.mysql.binlog.images import table_of
from tests.unit.mysql.binlog.kind import Kind, column, same
from tests.unit.mysql.types.binary_documents import document
from tests.unit.native.random_tables import Described, described
from tests.unit.native.row_messages import SOURCE_VALUES, change, header

FORMS: dict[str, Any] = {
    "JSON with schemas": JsonConverter({"schemas.enable": "true"}),
    "JSON without schemas": JsonConverter({"schemas.enable": "false"}),
    "Avro": PlainAvro(),
}
ROWS = 20_000
TURNS = 7


def _kind(name: str, wire: int, meta: bytes, encode: Callable[[Any], bytes], **known: Any) -> Kind:
    return Kind(column(name, **known), wire, meta, None, encode, same, same, None)  # type: ignore[arg-type]


def _number(name: str, wire: int, code: str) -> Kind:
    return _kind(name, wire, b"\x08" if code == "d" else b"", struct.Struct("<" + code).pack)


def _text(wire: int, meta: bytes, width: int) -> Kind:
    return _kind(
        "VARCHAR", wire, meta, lambda text: write.prefixed(text.encode(), width), charset="utf8mb4"
    )


def _bytes(name: str, wire: int, meta: bytes, width: int) -> Kind:
    return _kind(name, wire, meta, lambda data: write.prefixed(data, width))


def _clock(text: str) -> Any:
    date, clock = text.split(" ")
    second, _, fraction = clock.partition(".")
    parts = [*map(int, date.split("-")), *map(int, second.split(":"))]
    return (*parts, int(fraction.ljust(6, "0")))


def _timestamp(text: str) -> bytes:
    micros: int = _clock(text)[-1]
    return (1_767_225_600).to_bytes(4, "big") + (micros // 100).to_bytes(2, "big")


def _date(text: str) -> bytes:
    year, month, day = map(int, text.split("-"))
    return (year << 9 | month << 5 | day).to_bytes(3, "little")


def _time(text: str) -> bytes:
    hour, minute, second = map(int, text.split(":"))
    return (1 << 23 | hour << 12 | minute << 6 | second).to_bytes(3, "big")


_SIZES = ("small", "medium", "large", "x-large")
_INT = _number("INT", fields.LONG, "i")
SB = [_INT, _INT, *(_text(fields.STRING, b"\xee\x78", 2) for _ in range(2))]
WIDE = [
    _number("BIGINT", fields.LONGLONG, "q"),
    _number("TINYINT", fields.TINY, "b"),
    _number("SMALLINT UNSIGNED", fields.SHORT, "H"),
    _kind("MEDIUMINT", fields.INT24, b"", write.medium),
    _number("INT UNSIGNED", fields.LONG, "I"),
    _number("BIGINT", fields.LONGLONG, "q"),
    _number("DOUBLE", fields.DOUBLE, "d"),
    _kind(
        "DECIMAL", fields.NEWDECIMAL, b"\x0c\x02",
        lambda text: write.decimal(Decimal(text), 12, 2), length=12, scale=2,
    ),
    _kind("DATETIME", fields.DATETIME2, b"\x06", lambda t: write.datetime2(_clock(t), 6), length=6),
    _kind("TIMESTAMP", fields.TIMESTAMP2, b"\x03", _timestamp, length=3),
    _kind("DATE", fields.DATE, b"", _date),
    _kind("TIME", fields.TIME2, b"\x00", _time),
    _text(fields.VARCHAR, b"\x00\x01", 2),
    _text(fields.VARCHAR, b"\x40\x06", 2),
    _kind(
        "ENUM", fields.STRING, bytes([fields.ENUM, 1]),
        lambda label: bytes([1 + _SIZES.index(label)]),
        enum_values=tuple(f"'{label}'" for label in _SIZES),
    ),
    _kind("JSON", fields.JSON, b"\x04", lambda t: write.prefixed(document(json.loads(t)), 4)),
    _bytes("BLOB", fields.BLOB, b"\x02", 2),
    _INT,
    _text(fields.VARCHAR, b"\x50\x00", 1),
    _bytes("VARBINARY", fields.VARCHAR, b"\x10\x00", 1),
]  # fmt: skip


def events(known: Described, row: Callable[[int], Any], per_event: int) -> list[RowsChanged]:
    present = (True,) * len(known.table.kinds)
    images = [known.table.image(row(number), present) for number in range(ROWS)]
    return [
        known.event(written.WRITE, b"".join(images[start : start + per_event]))
        for start in range(0, ROWS, per_event)
    ]


def work(
    known: Described, found: list[RowsChanged], converter: Any, *, natively: bool
) -> tuple[Callable[[], int], bytes]:
    """Return the work on all events, and what the first message is."""
    plan: TablePlan = known.plan()
    plan._may_be_native = natively
    options = EventOptions("acme", NAMING, SOURCE, ROW_SLOT, now=lambda: 1_795_226_600_123_456_789)
    keys = fragment_keys(converter)
    rows = CompiledRows(options, Transaction(), converter, keys, header, converter)

    def run() -> int:
        size = 0
        for event in found:
            for message in rows.messages(change(known, event, plan.rows(event))):
                size += len(message.value or b"")
        return size

    first = rows.messages(change(known, found[0], plan.rows(found[0])))[0]
    return run, first.value or b""


def as_text(value: Any) -> bytes | None:
    return value if value is None or isinstance(value, bytes) else str(value).encode()


def snapshot(
    known: Described, row: Callable[[int], Any], converter: Any, *, natively: bool
) -> tuple[Callable[[], int], bytes]:
    """Return the work on a result set, and what the first message is."""
    packets_of_rows = [packed(map(as_text, row(number))) for number in range(ROWS)]
    sent = b"".join(packets_of_rows) + packets(END)
    pieces = [65_536] * (len(sent) // 65_536 + 1)
    options = EventOptions("acme", NAMING, SOURCE, ROW_SLOT, now=lambda: 1_795_226_600_123_456_789)
    keys = fragment_keys(converter)
    messages = CompiledRows(options, Transaction(), converter, keys, header, converter)
    rows = TextRows(known.codec.columns)
    first = b""

    def run() -> int:
        nonlocal first
        size = 0
        stream = cast("RowStream", Chunks(sent, pieces))
        batches: Iterator[Any] = read_natively(rows, stream) if natively else rows.read(stream)
        for batch in batches:
            found = batch if natively else [(None, one) for one in batch]
            work = RowChanges(known.codec, "r", found, SOURCE_VALUES, None)
            for message in messages.messages(work):
                first = first or message.value or b""
                size += len(message.value or b"")
        return size

    run()
    return run, first


def measure(name: str, kinds: list[Kind], row: Callable[[int], Any], per_event: int) -> None:
    """Print the time of each way; with no rows per event those of a snapshot are read."""
    table = table_of(kinds)
    needed = (replace(table.columns[0], optional=False), *table.columns[1:])
    known = described(replace(table, columns=needed), ["c0"], TypeOptions(), {})
    found = events(known, row, per_event) if per_event else []
    origin = f"{per_event:3} rows an event" if per_event else "rows of a snapshot"
    for form, converter in FORMS.items():
        ways = [
            work(known, found, converter, natively=natively)
            if per_event
            else snapshot(known, row, converter, natively=natively)
            for natively in (False, True)
        ]
        assert ways[0][1] == ways[1][1]
        best = [float("inf"), float("inf")]
        for _ in range(TURNS):
            for way, (run, _) in enumerate(ways):
                start = time.process_time()
                run()
                best[way] = min(best[way], (time.process_time() - start) / ROWS * 1e6)
        python, core = best
        print(
            f"{name:5} {origin:18}  {form:20}  {len(ways[0][1]):5} bytes   "
            f"Python {python:6.2f}   native {core:6.2f}   {python / core:4.1f} x"
        )


if __name__ == "__main__":
    assert native.AVAILABLE, "the native core is not built"
    for size in (0, 100, 1):
        measure("sb", SB, sb_row, size)
        measure("wide", WIDE, wide_row, size)
