"""Damaged events in number: never a crash, and what comes out is what Python makes of them."""

from __future__ import annotations

import logging
import os
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from connector import native
from connector.converters.json import JsonConverter
from connector.debezium.compiled import CompiledRows, fragment_keys
from connector.debezium.events import EventOptions
from connector.debezium.transactions import Transaction
from connector.mysql.binlog.events import RowsChanged
from connector.mysql.types.type_options import TypeOptions
from tests.unit.converters.without_registry import PlainAvro
from tests.unit.debezium.random_changes import NAMING, ROW_SLOT, SOURCE
from tests.unit.mysql.binlog.images import table_of
from tests.unit.native.random_tables import ALL_KINDS, LETTERS, Described, described
from tests.unit.native.test_messages import change, header, outcome

pytestmark = pytest.mark.skipif(not native.AVAILABLE, reason="the native core is not built")
EVENTS = int(os.environ.get("DAMAGED_EVENTS", "4000"))
OPTIONS = EventOptions("acme", NAMING, SOURCE, ROW_SLOT, now=lambda: 1795226600123456789)
KINDS_OF_EVENTS = list(LETTERS)


CONVERTERS: list[Any] = [JsonConverter({"schemas.enable": "false"}), PlainAvro()]


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


def damaged(chance: random.Random, data: bytes) -> bytes:
    image = bytearray(data)
    for _ in range(chance.choice((0, 1, 1, 2, 5))):
        at = chance.randrange(len(image) + 1)
        what = chance.random()
        if what < 0.6 and at < len(image):
            image[at] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
        elif what < 0.8:
            del image[at : at + chance.randrange(1, 4)]
        else:
            image[at:at] = chance.randbytes(chance.randrange(1, 4))
    return bytes(image)


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


_known: dict[int, list[Any]] = {}


def values_of(kind: Any) -> list[Any]:
    """Return some values of a kind of column."""
    found = _known.get(id(kind))
    if found is None:
        found = []

        @settings(max_examples=40, suppress_health_check=list(HealthCheck), database=None)
        @given(kind.values)
        def collect(value: Any) -> None:
            found.append(value)

        collect()
        _known[id(kind)] = found
    return found
