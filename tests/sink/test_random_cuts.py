"""Whenever a batch is said to be a consistent cut, all tables equal the source as of one moment."""

from __future__ import annotations

import base64
import copy
import json
import os
import random
from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest

from tests.sink.recorded import MakeSink, Row, Topic, field, frame, rows

pytestmark = pytest.mark.usefixtures("adaptive")
SEEDS = int(os.environ.get("CUT_SEEDS", "20"))
"""How many histories test-long tries."""
COLUMNS = [field("id", "int32"), field("v", "string")]
TRANSACTIONS = "srv.transaction"
NAMES = ("orders", "items", "log")
PARTITIONS = 2


class Shop:
    """Tables that transactions change; ``steps`` are these and the snapshots, as messages."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.topics = {name: Topic(f"srv.shop.{name}", COLUMNS) for name in NAMES}
        self.ends = Topic(TRANSACTIONS)
        self.rows: dict[str, dict[int, Row]] = {name: {} for name in NAMES}
        self.steps: list[list[Row]] = []
        self.states = [copy.deepcopy(self.rows)]
        self._pos = 100

    def live(self, count: int) -> None:
        for number in range(count):
            self.steps.append(self._snapshot() if number % 9 == 4 else self._transaction(number))
            self.states.append(copy.deepcopy(self.rows))

    def _transaction(self, number: int) -> list[Row]:
        found: list[Row] = []
        counts = dict.fromkeys(NAMES, 0)
        for order in range(1, self.chance.randint(1, 5) + 1):
            name = self.chance.choice(NAMES)
            counts[name] += 1
            self._pos += 10
            message = self._change(name)
            value = json.loads(base64.b64decode(message["value64"]))
            value["payload"]["transaction"] = {"id": f"t{number}", "total_order": order}
            text = json.dumps(value, separators=(",", ":"))
            found.append({**message, "value64": None, "value": text})
        tables = [{"data_collection": f"shop.{name}", "event_count": count}
                  for name, count in counts.items() if count]  # fmt: skip
        end = {"status": "END", "id": f"t{number}", "event_count": sum(counts.values()),
               "data_collections": tables}  # fmt: skip
        return [*found, {**self.ends.message({"id": f"t{number}"}, end), "partition": 0}]

    def _change(self, name: str) -> Row:
        key, known = self.chance.randint(1, 6), self.rows[name]
        before = known.pop(key, None)
        if before is not None and self.chance.random() < 0.4:
            return self._message(name, "d", before, None)
        row = known[key] = {"id": key, "v": f"v{self._pos}"}
        return self._message(name, "u" if before else "c", before, row)

    def _snapshot(self) -> list[Row]:
        """Lose some changes, and take a snapshot of all tables."""
        for name in NAMES:
            self._pos += 10
            self._change(name)
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


def run(sink: MakeSink, spark: Any, seed: int, steps: int, batches: int) -> int:
    """Deliver a history, each partition as far as it likes; return how many batches were cuts."""
    from sparksink.state.snapshots import ReadProgress  # noqa: PLC0415 - needs Spark

    shop = Shop(seed)
    shop.live(steps)
    parts = partitions(shop.steps)
    read, cuts = dict.fromkeys(parts, 0), 0
    given = {"source": {"transaction.topic": TRANSACTIONS}, "target": {"format": "iceberg"}}
    for batch in range(batches):
        made = sink(**given)
        # All reach some step, and some go on; so that some batches may be cuts.
        step = steps * (batch + 1) // batches
        taken: list[Row] = []
        for partition, events in parts.items():
            reach = sum(number < step for number, _ in events)
            reach += shop.chance.choice([0, 0, 0, -1, 1, 2]) if batch % 2 else 0
            reach = max(read[partition], min(reach, len(events)))
            taken += [one for _, one in events[read[partition] : reach]]
            read[partition] = reach
        latest = max(n for p, events in parts.items() for n, _ in events[: read[p]])
        present = {p: sum(n <= latest for n, _ in events) for p, events in parts.items()}
        progress = ReadProgress(offsets(parts, read), partial(offsets, parts, present))
        made.batches.apply(frame(spark, taken), "app", batch, cut=True, progress=progress)
        commits = made.state.table("commits").read()
        if commits.where(f"batch = {batch}").collect()[0]["consistent"]:
            cuts += 1
            missing = [events[read[p]][0] for p, events in parts.items() if read[p] < len(events)]
            whole = min(missing, default=steps)
            for name in NAMES:
                state = sorted((r["id"], r["v"]) for r in shop.states[whole][name].values())
                there = made.lake.table(f"shop__{name}").columns() is not None
                found = rows(made, f"shop__{name}", "id", "v") if there else []
                assert found == state, f"seed {seed}, batch {batch}, {name}"
    return cuts


@pytest.mark.slow
def test_random_cuts(sink: MakeSink, spark: Any) -> None:
    assert run(sink, spark, seed=1, steps=18, batches=4) > 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 100 + SEEDS))
def test_many_random_cuts(sink: MakeSink, spark: Any, seed: int) -> None:
    run(sink, spark, seed, steps=60, batches=10)
