"""Damaged data, and the values that are read of it."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import HealthCheck, given, settings

from connector.converters.json import JsonConverter
from connector.debezium.events import EventOptions
from tests.fixtures.random_changes import NAMING, ROW_SLOT, SOURCE
from tests.unit.converters.without_registry import PlainAvro

OPTIONS = EventOptions("acme", NAMING, SOURCE, ROW_SLOT, now=lambda: 1795226600123456789)
CONVERTERS: list[Any] = [JsonConverter({"schemas.enable": "false"}), PlainAvro()]


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
