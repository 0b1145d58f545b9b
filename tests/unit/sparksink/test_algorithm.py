"""The algorithm of the mirror in plain Python converges under everything that can happen to it.

Does to a dictionary what Spark and Delta do in `sparksink.apply.keyed_mirror`, step by step in
the same order, so that thousands of histories can be delivered shuffled, repeated and torn.
"""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from sparksink.change_position import BEGINNING, ChangePosition, pack
from tests.fixtures.sink.histories import Source, delivered
from tests.fixtures.sink.recorded import Row, Topic

Change = tuple[ChangePosition, str, int | None, Any, bool]


class Mirror:
    """Rows with their places, deletes with theirs, and a watermark: all that is stored."""

    def __init__(self, *, tombstones: bool = True, watermark: bool = True) -> None:
        self.rows: dict[int, tuple[ChangePosition, Any]] = {}
        self.deleted: dict[int, ChangePosition] = {}
        self.watermark = BEGINNING
        self._tombstones = tombstones
        self._watermark = watermark

    def apply(self, changes: list[Change]) -> Iterator[None]:
        """Apply a batch; yields between any two writes, where a crash may be."""
        bounds = [place for place, op, _, _, end in changes if op == "t" or end]
        watermark = max([self.watermark, *bounds]) if self._watermark else BEGINNING
        latest: dict[int, Change] = {}
        for change in changes:
            key = change[2]
            if change[1] != "t" and key is not None and change[0] >= watermark:
                latest[key] = max(latest.get(key, change), change, key=lambda one: one[0])
        living = {k: c for k, c in latest.items() if c[0] >= self.deleted.get(k, BEGINNING)}
        for key, (place, op, *_) in living.items():
            if op == "d" and self._tombstones:
                self.deleted[key] = max(place, self.deleted.get(key, BEGINNING))
        yield
        for key, (place, op, _, row, _) in living.items():
            if place > self.rows.get(key, (BEGINNING, None))[0]:
                self.rows.pop(key, None)
                if op != "d":
                    self.rows[key] = (place, row)
        yield
        self.rows = {key: row for key, row in self.rows.items() if row[0] >= watermark}
        yield
        self.watermark = watermark
        yield


def parsed(message: Row) -> Change | None:
    if message["value64"] is None:
        return None  # a tombstone without a place only repeats a delete
    value = json.loads(base64.b64decode(message["value64"]))
    source, row = value["source"], value["after"] or value["before"]
    place = pack(0, source["file"], source["pos"], source["row"], value["op"])
    assert place is not None
    ends = source["snapshot"] in {"last", "last_in_data_collection"}
    return place, value["op"], row and row["id"], value["after"], ends


def deliver(mirror: Mirror, messages: list[Row], seed: int) -> None:
    """Deliver in random batches; some are torn at a random write and repeated."""
    chance = random.Random(seed)
    for batch in delivered(messages, chance.randint(1, 6), seed):
        changes = [change for change in map(parsed, batch) if change]
        for _ in range(chance.randrange(3)):
            for _ in zip(range(chance.randint(1, 3)), mirror.apply(changes), strict=False):
                pass
        for _ in mirror.apply(changes):
            pass


def wrong(seed: int, **without: bool) -> bool:
    source = Source(Topic(), seed)
    messages = source.live(random.Random(seed).randint(5, 150))
    mirror = Mirror(**without)
    deliver(mirror, messages, seed)
    return {key: row for key, (_, row) in mirror.rows.items()} != source.rows


@pytest.mark.parametrize("first", range(0, 600, 100))
def test_the_mirror_equals_the_source(first: int) -> None:
    assert [seed for seed in range(first, first + 100) if wrong(seed)] == []


@pytest.mark.parametrize("part", ["tombstones", "watermark"])
def test_each_part_is_needed(part: str) -> None:
    assert any(wrong(seed, **{part: False}) for seed in range(200))
