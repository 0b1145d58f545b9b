"""Damaged events in number: never a crash, and what comes out is what Python makes of them."""

from __future__ import annotations

import logging
import os
import random
from collections.abc import Callable
from typing import Any

import pytest

from connector import native
from connector.debezium.compiled import CompiledRows, fragment_keys
from connector.debezium.transactions import Transaction
from connector.mysql.binlog.events import RowsChanged
from connector.mysql.types.type_options import TypeOptions
from tests.unit.mysql.binlog.images import table_of
from tests.unit.native.damage import CONVERTERS, OPTIONS, damaged, values_of
from tests.unit.native.random_tables import ALL_KINDS, LETTERS, Described, described
from tests.unit.native.row_messages import change, header, outcome

pytestmark = pytest.mark.skipif(not native.AVAILABLE, reason="the native core is not built")
EVENTS = int(os.environ.get("DAMAGED_EVENTS", "4000"))
KINDS_OF_EVENTS = list(LETTERS)


def writer(table: Described, converter: Any, *, natively: bool) -> Callable[[RowsChanged], Any]:
    plan = table.plan()
    plan._may_be_native = natively
    keys = fragment_keys(converter)
    rows = CompiledRows(OPTIONS, Transaction(), converter, keys, header, converter)

    def written(event: RowsChanged) -> Any:
        """Errors come when the rows are read: there they may be skipped."""
        read = outcome(lambda: plan.rows(event))
        if isinstance(read, str):
            return read
        return outcome(lambda: rows.messages(change(table, event, read)))

    return written


@pytest.mark.timeout(900 + EVENTS // 100)
def test_damaged_events() -> None:
    logging.disable(logging.WARNING)
    chance = random.Random(int(os.environ.get("DAMAGED_SEED", "11")))
    try:
        done = 0
        while done < EVENTS:
            kinds = chance.sample(ALL_KINDS, chance.randrange(1, 7))
            precision = chance.choice(["adaptive_time_microseconds", "isostring", "nanoseconds"])
            options = TypeOptions(
                time_precision=precision,  # type: ignore[arg-type]
                decimal=chance.choice(["precise", "double", "string"]),
                exact=chance.random() < 0.3,
            )
            table = described(table_of(kinds), ["c0"], options, {})
            converter = chance.choice(CONVERTERS)
            ways = [writer(table, converter, natively=natively) for natively in (True, False)]
            for _ in range(200):
                kind = chance.choice(KINDS_OF_EVENTS)
                images = b"".join(_image(chance, table) for _ in range(chance.randrange(1, 5)))
                data = damaged(chance, images)
                first, second = (way(table.event(kind, data)) for way in ways)
                assert first == second, (kinds, options, converter, kind, data)
                done += 1
    finally:
        logging.disable(logging.NOTSET)


def _image(chance: random.Random, table: Described) -> bytes:
    """Return an image of random bytes in place of values, or of values of their kinds."""
    return table.table.image(_row(chance, table), (True,) * len(table.table.kinds))


def _row(chance: random.Random, table: Described) -> tuple[Any, ...]:
    return tuple(
        None if chance.random() < 0.2 else chance.choice(values_of(kind))
        for kind in table.table.kinds
    )
