"""Rows are counted in their transaction once, whether the native core writes them or Python."""

from __future__ import annotations

from functools import partial
from json import loads
from typing import Any

import pytest

from connector import native
from connector.capture.change import TransactionBoundary
from connector.converters.json import JsonConverter
from connector.data.record import Message
from connector.debezium.compiled import CompiledRows, fragment_keys
from connector.debezium.events import EventOptions
from connector.mysql.types.type_options import TypeOptions
from tests.fixtures.random_changes import NAMING, ROW_SLOT, SOURCE
from tests.unit.mysql.binlog import events_as_bytes as written
from tests.unit.mysql.binlog.images import table_of
from tests.unit.mysql.binlog.kinds_of_numbers import INTEGERS
from tests.unit.native.chained_pipelines import UNWRAP, pipeline_of
from tests.unit.native.random_tables import described
from tests.unit.native.row_messages import begun, change, header, in_python
from tests.unit.transforms import random_chains

pytestmark = pytest.mark.skipif(not native.AVAILABLE, reason="the native core is not built")
OPTIONS = EventOptions("acme", NAMING, SOURCE, ROW_SLOT, transactions=True)
JSON = JsonConverter({"schemas.enable": "false"})
TABLE = described(table_of(INTEGERS[:2]), ["c0"], TypeOptions(), {})
FIRST, SAME, MOVED = (TABLE.table.image(row, (True, True)) for row in [(1, 2), (1, 3), (4, 3)])
EVENTS = [
    TABLE.event(written.WRITE, FIRST * 2),
    TABLE.event(written.UPDATE, (FIRST + SAME) * 2 + SAME + MOVED),  # Python writes all of it
    TABLE.event(written.UPDATE, FIRST + SAME),
    TABLE.event(written.DELETE, FIRST),
]
"""They make eight messages beside the tombstones."""


def test_rows_have_their_order_in_the_transaction() -> None:
    ways = (
        (TABLE.plan().rows, [False, True, False, False]),
        (partial(in_python, TABLE), [True] * 4),
    )
    for read, in_lists in ways:
        transaction = begun()
        rows = CompiledRows(OPTIONS, transaction, JSON, fragment_keys(JSON), header, JSON)
        found = [rows.messages(change(TABLE, event, read(event))) for event in EVENTS]
        assert [isinstance(part, list) for part in found] == in_lists  # those of Python
        values = [loads(one.value) for part in found for one in part if one.value]
        orders = [value["transaction"]["total_order"] for value in values]
        assert orders == list(range(1, 9))
        assert transaction.total == 8


@pytest.mark.parametrize(
    ("fields", "in_lists"),
    [("op", [False, True, False, True]), ("transaction.total_order", [True] * 4)],
)
def test_the_end_of_a_transaction_counts_the_rows_behind_a_chain(
    fields: str, in_lists: list[bool]
) -> None:
    """With a field that depends on the order Python writes them, and always deletes."""
    steps = random_chains.build([({**UNWRAP, "add.fields": fields}, None, False)])
    end = TransactionBoundary("END", "a:1", 1_700_000_000_000)
    ways: list[Any] = []
    for compiles in (True, False):
        pipeline, _ = pipeline_of(compiles, OPTIONS, (JSON, JSON), steps, begun=True)
        read = TABLE.plan().rows
        found: list[Message] = []
        for event, in_list in zip(EVENTS, in_lists, strict=True):
            part = pipeline.messages(change(TABLE, event, read(event)))
            assert isinstance(part, list) == (compiles and in_list)
            found += part
        ways.append([one.value for one in found])
        (last,) = pipeline.messages(end)
        assert loads(last.value or b"")["event_count"] == 8
    assert ways[0] == ways[1]
