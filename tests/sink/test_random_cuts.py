"""Whenever a batch is said to be a consistent cut, all tables equal the source as of one moment."""

from __future__ import annotations

import base64
import contextlib
import copy
import json
import os
import random
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.sink.crashing import Crash, CrashingLake
from tests.fixtures.sink.recorded import MakeSink, Row, Topic, field, frame, rows
from tests.sink.test_convergence import real_lake

SEEDS = int(os.environ.get("CUT_SEEDS", "1000"))
"""How many histories test-long tries."""
_FIRST = int(os.environ.get("CUT_SEED", "1000"))
_SHOPS = 100
"""How many of them share the tables of one test, each with keys of its own."""
_KEYS = 6
COLUMNS = [field("id", "int32"), field("v", "string")]
TRANSACTIONS = "srv.transaction"
NAMES = ("orders", "items", "log")
PARTITIONS = 2


class Shop:
    """Random transactions on some keys of the tables."""

    def __init__(self, seed: int, number: int) -> None:
        self.chance = random.Random(seed)
        self.first = 10 * number

    def changes(self) -> list[tuple[str, int, bool]]:
        """Return table and key of each change of a transaction, and whether it may be a delete."""
        return [
            (self.chance.choice(NAMES), self.first + self.chance.randint(1, _KEYS),
             self.chance.random() < 0.4)
            for _ in range(self.chance.randint(1, 5))
        ]  # fmt: skip


class Shops:
    """Tables that transactions change; ``steps`` are these and the snapshots, as messages."""

    def __init__(self, seeds: range) -> None:
        self.chance = random.Random(seeds[0])
        self.topics = {name: Topic(f"srv.shop.{name}", COLUMNS) for name in NAMES}
        self.ends = Topic(TRANSACTIONS)
        self.rows: dict[str, dict[int, Row]] = {name: {} for name in NAMES}
        self.steps: list[list[Row]] = []
        self.states = [copy.deepcopy(self.rows)]
        self._shops = [Shop(seed, number) for number, seed in enumerate(seeds)]
        self._pos = 100

    def live(self, transactions: int) -> None:
        """Let each shop do so many transactions, in random order; take snapshots in between."""
        order = self._shops * transactions
        self.chance.shuffle(order)
        snapshots = {*self.chance.sample(range(len(order)), 3)}
        for number, shop in enumerate(order):
            if number in snapshots:
                self._add(self._snapshot())
            self._add(self._transaction(number, shop))

    def _add(self, step: list[Row]) -> None:
        self.steps.append(step)
        self.states.append({name: dict(known) for name, known in self.rows.items()})

    def _transaction(self, number: int, shop: Shop) -> list[Row]:
        found: list[Row] = []
        counts = dict.fromkeys(NAMES, 0)
        for order, (name, key, deletes) in enumerate(shop.changes(), 1):
            counts[name] += 1
            self._pos += 10
            message = self._change(name, key, deletes=deletes)
            value = json.loads(base64.b64decode(message["value64"]))
            value["payload"]["transaction"] = {"id": f"t{number}", "total_order": order}
            text = json.dumps(value, separators=(",", ":"))
            found.append({**message, "value64": None, "value": text})
        tables = [{"data_collection": f"shop.{name}", "event_count": count}
                  for name, count in counts.items() if count]  # fmt: skip
        end = {"status": "END", "id": f"t{number}", "event_count": sum(counts.values()),
               "data_collections": tables}  # fmt: skip
        return [*found, {**self.ends.message({"id": f"t{number}"}, end), "partition": 0}]

    def _change(self, name: str, key: int, *, deletes: bool) -> Row:
        known = self.rows[name]
        before = known.pop(key, None)
        if before is not None and deletes:
            return self._message(name, "d", before, None)
        row = known[key] = {"id": key, "v": f"v{self._pos}"}
        return self._message(name, "u" if before else "c", before, row)

    def _snapshot(self) -> list[Row]:
        """Lose some changes, and take a snapshot of all tables."""
        for name in NAMES:
            self._pos += 10
            self._change(name, self.chance.randint(1, _KEYS), deletes=True)
            self.rows[name][9] = {"id": 9, "v": f"v{self._pos}"}  # none is empty
        self._pos += 10
        found = []
        for name in NAMES:
            for left, row in reversed(list(enumerate(self.rows[name].values()))):
                end = "last" if name == NAMES[-1] else "last_in_data_collection"
                found.append(self._message(name, "r", None, row, "true" if left else end))
        return found

    def _message(self, name: str, op: str, before: Any, after: Any, snapshot: str = "false") -> Row:
        topic = self.topics[name]
        message = topic.change(op, self._pos, before, after, snapshot=snapshot)
        return {**message, "partition": (after or before)["id"] % PARTITIONS}


TopicPartition = tuple[str, int]
Steps = dict[TopicPartition, list[tuple[int, Row]]]
"""The messages of each partition, with the number of their step."""


def partitions(steps: Sequence[Sequence[Row]]) -> Steps:
    """Return the messages of each partition, with the number of their step."""
    found: Steps = {}
    for number, step in enumerate(steps):
        for one in step:
            found.setdefault((one["topic"], one["partition"]), []).append((number, one))
    return found


def offsets(parts: Steps, read: dict[TopicPartition, int]) -> Any:
    found: dict[str, dict[str, int]] = {}
    for (topic, partition), events in parts.items():
        count = read[topic, partition]
        end = events[count - 1][1]["offset"] + 1 if count else 0
        found.setdefault(topic, {})[str(partition)] = end
    return found


def read_on(
    parts: Steps, read: dict[TopicPartition, int], step: int, strays: dict[TopicPartition, int]
) -> list[Row]:
    """Read all partitions up to a step, and those that stray some messages less or more."""
    taken: list[Row] = []
    for partition, events in parts.items():
        reach = sum(number < step for number, _ in events) + strays.get(partition, 0)
        reach = max(read[partition], min(reach, len(events)))
        taken += [one for _, one in events[read[partition] : reach]]
        read[partition] = reach
    return taken


def run(
    sink: MakeSink,
    spark: Any,
    tmp_path: Path,
    seeds: range,
    transactions: int,
    batches: int,
    least: int,
) -> None:
    """Deliver histories, each partition as far as it likes, until enough batches were cuts."""
    from sparksink.state.snapshots import ReadProgress  # noqa: PLC0415 - needs Spark

    shops = Shops(seeds)
    shops.live(transactions)
    parts, chance = partitions(shops.steps), shops.chance
    steps = len(shops.steps)
    read, cuts = dict.fromkeys(parts, 0), 0
    given = {"source": {"transaction.topic": TRANSACTIONS}, "target": {"format": "iceberg"}}
    for batch in range(2 * batches):
        if batch >= batches:  # all is delivered: so much depends on chance
            if cuts >= least:
                return
            shops.live(1)
            parts = partitions(shops.steps)
        # All reach some step, and then a few stray; so that some batches may be cuts.
        strays = {one: chance.choice([-1, 1, 2]) for one in chance.sample([*parts], batch % 3)}
        reach = steps * (batch + 1) // batches if batch < batches else len(shops.steps)
        taken = read_on(parts, read, reach, strays)
        latest = max(n for p, events in parts.items() for n, _ in events[: read[p]])
        present = {p: sum(n <= latest for n, _ in events) for p, events in parts.items()}
        progress = ReadProgress(offsets(parts, read), partial(offsets, parts, present))
        messages = frame(spark, taken)
        if chance.random() < 0.3:  # the process that is killed first
            lake = CrashingLake(
                real_lake(spark, tmp_path, **given), chance.randrange(9), after=batch % 2 == 0
            )
            with contextlib.suppress(Crash):
                torn = sink(lake, **given)
                torn.batches.apply(messages, "app", batch, cut=True, progress=progress)
        made = sink(**given)
        made.batches.apply(messages, "app", batch, cut=True, progress=progress)
        commits = made.state.table("commits").read()
        if commits.where(f"batch = {batch}").collect()[0]["consistent"]:
            cuts += 1
            missing = [events[read[p]][0] for p, events in parts.items() if read[p] < len(events)]
            state = shops.states[min(missing, default=len(shops.steps))]
            for name in NAMES:
                expected = sorted((r["id"], r["v"]) for r in state[name].values())
                there = made.lake.table(f"shop__{name}").columns() is not None
                found = sorted(rows(made, f"shop__{name}", "id", "v")) if there else []
                assert found == expected, f"seeds from {seeds[0]}, batch {batch}, {name}"
    assert cuts >= least


def test_random_cuts(sink: MakeSink, spark: Any, tmp_path: Path) -> None:
    run(sink, spark, tmp_path, range(20), transactions=3, batches=3, least=1)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(_FIRST, _FIRST + SEEDS, _SHOPS))
def test_many_random_cuts(sink: MakeSink, spark: Any, tmp_path: Path, first: int) -> None:
    seeds = range(first, first + _SHOPS)
    run(sink, spark, tmp_path, seeds, transactions=12, batches=30, least=10)
