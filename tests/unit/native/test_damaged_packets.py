"""Damaged packets of a result set in number: never a crash, and what Python makes of them."""

from __future__ import annotations

import logging
import os
import random
import struct
from typing import Any, cast

import pytest

from connector import native
from connector.capture.change import RowChanges
from connector.converters.json import JsonConverter
from connector.debezium.compiled import CompiledRows, fragment_keys
from connector.debezium.transactions import Transaction
from connector.errors import MillraceError
from connector.mysql.native_rows import read_natively
from connector.mysql.session.connection import RowStream
from connector.mysql.session.text_rows import TextRows
from connector.mysql.types.type_options import TypeOptions
from tests.fixtures.text_packets import END, Chunks, packed, packets
from tests.unit.mysql.binlog.images import table_of
from tests.unit.mysql.binlog.kinds import KINDS
from tests.unit.native.damage import CONVERTERS, OPTIONS, damaged, values_of
from tests.unit.native.random_tables import Described, described
from tests.unit.native.row_messages import SOURCE_VALUES, header

pytestmark = pytest.mark.skipif(not native.AVAILABLE, reason="the native core is not built")
PACKETS = int(os.environ.get("DAMAGED_PACKETS", "4000"))
ERRORS = (MillraceError, ValueError, LookupError, struct.error, OverflowError)


class Reader:
    """Reads result sets of a table, and writes their messages, in one of the two ways."""

    def __init__(self, table: Described, converter: Any, *, natively: bool) -> None:
        self._codec = table.codec
        self._rows = TextRows([codec.as_selected() for codec in table.codec.columns])
        keys = fragment_keys(converter)
        self._writer = CompiledRows(OPTIONS, Transaction(), converter, keys, header, converter)
        self._natively = natively
        # Avro refuses values, too: Python would first read the next rows, which may also fail
        self._reads_first = isinstance(converter, JsonConverter)

    def outcome(self, data: bytes, sizes: list[int]) -> Any:
        """Return the messages, or the class of the error if both ways meet the same first."""
        stream = cast("RowStream", Chunks(data, list(sizes)))
        read = read_natively(self._rows, stream) if self._natively else self._rows.read(stream)
        found: list[Any] = []
        try:
            for batch in read:
                rows = batch if native.is_native(batch) else [(None, row) for row in batch]
                change = RowChanges(self._codec, "r", rows, SOURCE_VALUES, None)
                found += self._writer.messages(change)
        except ERRORS as error:
            return type(error).__name__ if self._reads_first else "error"
        return found


@pytest.mark.timeout(900 + PACKETS // 100)
def test_damaged_packets() -> None:
    logging.disable(logging.WARNING)
    chance = random.Random(int(os.environ.get("DAMAGED_SEED", "12")))
    try:
        done = 0
        while done < PACKETS:
            table = _table(chance)
            converter = chance.choice(CONVERTERS)
            ways = [Reader(table, converter, natively=natively) for natively in (True, False)]
            for _ in range(200):
                rows = [_row(chance, table) for _ in range(chance.randrange(1, 5))]
                data = damaged(chance, b"".join(map(packed, rows)))
                sizes = [chance.randrange(1, 60) for _ in range(chance.choice((0, 0, 5)))]
                first, second = (way.outcome(data + packets(END), sizes) for way in ways)
                assert first == second, (table.table.kinds, data, sizes)
                done += 1
    finally:
        logging.disable(logging.NOTSET)


def _table(chance: random.Random) -> Described:
    options = TypeOptions(
        time_precision=chance.choice(["adaptive_time_microseconds", "connect", "isostring"]),
        decimal=chance.choice(["precise", "double", "string"]),
        exact=chance.random() < 0.3,
    )
    return described(table_of(chance.sample(KINDS, chance.randrange(1, 7))), ["c0"], options, {})


def _row(chance: random.Random, table: Described) -> list[bytes | None]:
    return [
        None if chance.random() < 0.2 else kind.text(chance.choice(values_of(kind)))
        for kind in table.table.kinds
    ]
