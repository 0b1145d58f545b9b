"""Floating point numbers of row images have the text that Java gives them."""

from __future__ import annotations

import os
import random
import re
import struct
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest
from hypothesis import strategies as st

from connector import native
from connector.converters.json import JsonConverter
from connector.data.java import double_text
from connector.debezium.compiled import CompiledRows, fragment_keys
from connector.debezium.events import EventOptions
from connector.debezium.transactions import Transaction
from connector.mysql.types import fields
from connector.mysql.types.type_options import TypeOptions
from tests.fixtures.random_changes import NAMING, ROW_SLOT, SOURCE
from tests.unit.mysql.binlog import events_as_bytes as written
from tests.unit.mysql.binlog.images import table_of
from tests.unit.mysql.binlog.kind import Kind, column, same
from tests.unit.native.random_tables import described
from tests.unit.native.row_messages import change, header

pytestmark = pytest.mark.skipif(not native.AVAILABLE, reason="the native core is not built")

NUMBERS = int(os.environ.get("RANDOM_DOUBLES", "40000"))
_DOUBLE = Kind(
    column("DOUBLE"), fields.DOUBLE, b"\x08", st.floats(), struct.Struct("<d").pack, same, same, 0.0
)
_VALUE = re.compile(rb'"c0":([^,}]*)')
_AT_ONCE = 20_000  # the core reads no larger events
_EDGES = [
    sign * (number + step)
    for number in (1e-3, 1e7, 2.0**53, 2.0**63, 1e22, 2e-3, 9.999e-4, 5e-324, 2.2e-308, 1.7e308)
    for step in (0.0, number * 2**-52, -number * 2**-52)
    for sign in (1, -1)
]


def numbers() -> Iterator[float]:
    """Yield numbers of all magnitudes: mostly such as stand in tables, and powers of two."""
    drawn = random.Random(0)
    yield from _EDGES
    for _ in range(NUMBERS // 4):
        yield drawn.uniform(1e9, 2e9)
        yield drawn.choice([-1, 1]) * drawn.randrange(1 << 53) / 2.0 ** drawn.randrange(70)
        yield round(drawn.uniform(0, 10.0 ** drawn.randrange(19)), drawn.randrange(7))
        yield drawn.choice([1.0, drawn.random()]) * 2.0 ** drawn.randrange(-80, 80)


def texts(values: list[float]) -> list[str]:
    known = described(table_of([_DOUBLE]), [], TypeOptions(), {})
    converter = JsonConverter({"schemas.enable": "false"})
    keys = fragment_keys(converter)
    options = EventOptions("acme", NAMING, SOURCE, ROW_SLOT)
    rows = CompiledRows(options, Transaction(), converter, keys, header, converter)
    image = b"".join(known.table.image((value,), (True,)) for value in values)
    event = known.event(written.WRITE, image)
    found: Any = known.plan().rows(event)
    assert native.is_native(found)
    messages = rows.messages(change(known, event, found))
    return [_VALUE.findall(message.value or b"")[0].decode() for message in messages]


def test_doubles_of_all_magnitudes() -> None:
    remaining = numbers()
    while values := list(islice(remaining, _AT_ONCE)):
        assert texts(values) == [double_text(value) for value in values]
