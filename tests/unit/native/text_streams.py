"""Streams of rows in the text protocol, read natively and in Python."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import Any, cast

from connector import native
from connector.capture.change import RowChanges
from connector.debezium.events import EventOptions
from connector.errors import MillraceError
from connector.mysql.native_rows import read_natively
from connector.mysql.session.connection import RowStream
from connector.mysql.session.text_rows import TextRows
from tests.fixtures.random_changes import NAMING, ROW_SLOT, SOURCE
from tests.fixtures.text_packets import END, Chunks, packed, packets
from tests.unit.mysql.binlog.images import PlainRow, RandomTable
from tests.unit.native.random_tables import Described
from tests.unit.native.row_messages import SOURCE_VALUES, compiled, generic

NUMBERS = [
    "0",
    "-0",
    "007",
    "-12.50",
    "1e5",
    "9" * 19,
    "-9223372036854775808",
    "18446744073709551615",
]
NUMBERS += ["0.001", "1.5E-7", "0.1000000", "3.4e38", "00.50", "123456789.123456789"]
NUMBERS += ["2024-02-29", "0000-00-00", "1582-10-10", "70-01-01", "12:30", "-838:59:59.000001"]
NUMBERS += ["1582-10-10 00:00:00", "2024-02-30 01:02:03", "2024-02-29 23:59:59.120", "1999", "0000"]


def sent(table: RandomTable, rows: list[PlainRow], text: Callable[[Any, Any], bytes]) -> bytes:
    return b"".join(
        packed(
            None if value is None else text(kind, value)
            for kind, value in zip(table.kinds, row, strict=True)
        )
        for row in rows
    )


def messages(
    known: Described, batches: Iterator[Any], write: Callable[[RowChanges], Any]
) -> list[Any] | str:
    """Return the messages of all batches, or the error."""
    found: list[Any] = []
    try:
        for batch in batches:
            rows = batch if native.is_native(batch) else [(None, row) for row in batch]
            found += write(RowChanges(known.codec, "r", rows, SOURCE_VALUES, None))
    except (MillraceError, ValueError, LookupError, struct.error) as error:
        return f"{type(error).__name__}"
    return found


def stream(data: bytes, sizes: list[int]) -> RowStream:
    return cast("RowStream", Chunks(data + packets(END), sizes))


def check(known: Described, data: bytes, sizes: list[int], values: Any) -> None:
    options = EventOptions("acme", NAMING, SOURCE, ROW_SLOT, now=lambda: 1795226600123456789)
    columns = [codec.as_selected() for codec in known.codec.columns]
    rows = TextRows(columns)
    ways = [
        messages(known, batches, write)
        for batches, write in (
            (
                read_natively(rows, stream(data, list(sizes))),
                lambda c: compiled(options, values, c),
            ),
            (rows.read(stream(data, list(sizes))), lambda c: compiled(options, values, c)),
            (rows.read(stream(data, list(sizes))), lambda c: generic(options, values, c)),
            (read_natively(rows, stream(data, list(sizes))), lambda c: generic(options, values, c)),
        )
    ]
    assert ways[0] == ways[1]
    assert ways[0] == ways[2]
    assert ways[0] == ways[3]
