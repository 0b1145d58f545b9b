"""Mirrors and histories equal their sources, whatever happened to tables, messages and jobs."""

from __future__ import annotations

import json
import os
import random
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from http.server import HTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.sink.crashing import Crash, CrashingLake
from tests.fixtures.sink.deliveries import Delivery, deliveries
from tests.fixtures.sink.history_rows import row_differences
from tests.fixtures.sink.random_tables import (
    SCHEMAS,
    AnyTable,
    KeylessTable,
    RandomTable,
    random_table,
)
from tests.fixtures.sink.recorded import MakeSink, frame, rows
from tests.sink.test_convergence import real_lake
from tests.sink.test_formats import Registry
from tests.sink.test_keyless import counted

SEEDS = int(os.environ.get("TABLE_SEEDS", "1000"))
"""How many tables test-long tries."""
_FIRST = int(os.environ.get("TABLE_SEED", "1000"))
_TABLES = int(os.environ.get("TABLE_COUNT", "25"))
_PARKED = "a test"
_LETTER = ("topic", "partition", "offset", "reason")


@pytest.fixture
def registry() -> Iterator[str]:
    answers = type("Answers", (Registry,), {"schemas": SCHEMAS})
    with HTTPServer(("127.0.0.1", 0), answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@dataclass(frozen=True)
class Plan:
    """How tables live and how their messages arrive.

    ``waiting`` is the share of tables without messages in a batch before the last one; ``trouble``
    is the chance that a process is killed, or a table parked, in a batch.
    """

    batches: int
    steps: tuple[int, int]
    waiting: float
    trouble: float = 0.0
    history: bool = True
    retypes: bool = False
    table_format: str = "iceberg"  # which takes a third of the time

    def settings(self, registry: str, chance: random.Random) -> dict[str, Any]:
        """Return sections of a configuration."""
        evolution = {"drop": chance.choice(["keep", "drop"])}
        if self.retypes:
            evolution["conflict"] = "rewrite"
        return {
            "source": {"ddl.topic": "srv", "schema.registry": {"url": registry}},
            "target": {"format": self.table_format},
            "ordering": {"epoch": "header"},
            "history": {"enabled": self.history and not self.retypes},
            "evolution": evolution,
            "nopk": "bag_view",
        }


class Jobs:
    """Applies batches, each by a process that may be killed at any write."""

    def __init__(
        self, sink: MakeSink, lake: Callable[[], Any], seed: int, given: Any, trouble: float
    ) -> None:
        self._sink = sink
        self._lake = lake
        self._chance = random.Random(f"jobs of {seed}")
        self._given = given
        self._trouble = trouble
        self.made = sink(**given)
        self.parked: dict[str, str] = {}
        """Tables that were parked by a fault of their own, and why."""

    def disturb(self, tables: Sequence[AnyTable]) -> None:
        """Perhaps park a table, and perhaps kill a process that compacts some."""
        from sparksink.commands.maintenance import compact_tables  # noqa: PLC0415 - needs Spark

        if self._chance.random() < self._trouble:
            self.made.state.park(f"shop.{self._chance.choice(tables).name}", _PARKED)
        if self._chance.random() < self._trouble / 2:
            lake = CrashingLake(self._lake(), self._chance.randrange(4), after=True)
            some = rf"shop\.{self._chance.choice(tables).name}"
            torn = self._sink(lake, **self._given)
            self._until_crash(lambda: list(compact_tables(torn, some)))
            self.made = self._sink(**self._given)  # the lease lets one process write at a time

    def resume(self) -> list[str]:
        """Resume parked tables, each by a process that may be killed and is repeated then."""
        from sparksink.commands import replay  # noqa: PLC0415 - needs Spark

        found = replay.tables_with_messages(self.made)
        for name in found:
            lake = CrashingLake(self._lake(), self._chance.randrange(20), after=True)
            torn = self._sink(lake, **self._given)
            if self._until_crash(partial(replay.replay_parked, torn, name)):
                replay.replay_parked(self._sink(**self._given), name)
        self.made = self._sink(**self._given)
        return found

    def apply(self, messages: Any, number: int, delivery: Delivery) -> None:
        if self._chance.random() < self._trouble:
            after = self._chance.random() < 0.5
            lake = CrashingLake(self._lake(), self._chance.randrange(60), after=after)
            torn = self._sink(lake, **self._given)
            self._until_crash(lambda: self._apply(torn, messages, number, delivery))
            self.made = self._sink(**self._given)  # what it remembers of tables is its own
        elif self._chance.random() < 0.3:
            self.made = self._sink(**self._given)
        self._apply(self.made, messages, number, delivery)

    def _apply(self, made: Any, messages: Any, number: int, delivery: Delivery) -> None:
        from sparksink.state.snapshots import ReadProgress  # noqa: PLC0415 - needs Spark

        progress = ReadProgress(delivery.reached, lambda: delivery.present)
        made.batches.apply(messages, "app", number, progress=progress)
        found = made.state.parked_tables().items()
        self.parked |= {name: reason for name, reason in found if reason != _PARKED}

    def _until_crash(self, work: Callable[[], object]) -> bool:
        """Return whether a process was killed at its work."""
        try:
            work()
        except Crash:
            return True
        return False


def run(
    sink: MakeSink, spark: Any, tmp_path: Path, registry: str, seeds: range, plan: Plan
) -> None:
    """Deliver a table for each seed, and compare all of them with their sources."""
    chance = random.Random(seeds[0])
    tables = [random_table(seed, retypes=plan.retypes) for seed in seeds]
    for table in tables:
        table.live(chance.randint(*plan.steps))
    given = plan.settings(registry, chance)
    jobs = Jobs(sink, lambda: real_lake(spark, tmp_path, **given), seeds[0], given, plan.trouble)
    found = deliveries(tables, plan.batches, chance, waiting=plan.waiting)
    for number, delivery in enumerate(found):
        jobs.disturb(tables)
        lines = "\n".join(map(json.dumps, delivery.statements))
        (tmp_path / "in" / "ddl.json").write_text(lines)
        jobs.apply(frame(spark, delivery.messages).localCheckpoint(), number, delivery)
    if jobs.resume():  # a snapshot that waited is swept with the next batch
        jobs.apply(frame(spark, []), plan.batches, delivery)
    assert jobs.parked == {}
    check(jobs.made, tables, history=given["history"]["enabled"])


def check(made: Any, tables: list[AnyTable], *, history: bool) -> None:
    """Compare tables with their sources, all of them before one fails."""
    faults = [f"{name} is parked: {reason}" for name, reason in made.state.parked_tables().items()]
    faults += [f"a sweep is pending: {one}" for one in made.state.pending_sweeps()]
    faults += [f"{name}: {reason}" for name, reason in made.state.gaps().items()]
    faults += unexpected_dead_letters(made, tables)
    parked = made.state.parked_tables()
    for table in tables:
        if f"shop.{table.name}" not in parked:
            faults += differences(made, table, history=history)
    assert not faults, "\n".join(faults)


def unexpected_dead_letters(made: Any, tables: list[AnyTable]) -> Iterator[str]:
    """Yield dead letters that are readable, and unreadable messages that are none."""
    found = {tuple(one[:3]): one[3] for one in rows(made, "_cdc/dead_letter", *_LETTER)}
    expected = {
        (table.topic.name, one.message["partition"], one.message["offset"])
        for table in tables
        for one in table.events
        if one.garbage
    }
    yield from (f"{place} is a dead letter: {found[place]}" for place in found.keys() - expected)
    yield from (f"{place} is no dead letter" for place in expected - found.keys())


def differences(made: Any, table: AnyTable, *, history: bool) -> Iterator[str]:
    """Yield how the tables of the sink differ from their source."""
    if isinstance(table, KeylessTable):
        found = counted(made, f"shop__{table.name}") if table.events else []
        if found != table.source.expected():
            yield f"seed {table.seed}, keyless: {found} is not {table.source.expected()}"
        yield from (f"seed {table.seed}, keyless: {one}" for one in history_faults(made, table)[1])
        return
    described = f"seed {table.seed}, {table.form}"
    # Columns come to a target with the first row that has them.
    columns = sorted(table.columns, key=lambda one: one.name) if table.rows else []
    names = [f"`{one.name}`" for one in columns]
    mirror = rows(made, f"shop__{table.name}", "id", *names)
    if mirror != table.expected():
        yield f"{described}: {mirror} is not {table.expected()}"
    if history:
        yield from (f"{described}: {one}" for one in history_differences(made, table))


def history_faults(made: Any, table: AnyTable) -> tuple[dict[Any, Any], list[str]]:
    """Return the rows of a history by partition and offset, and which are missing or too many."""
    name = f"shop__{table.name}__history"
    stored = made.lake.table(name).read().collect() if table.events else []
    found = {(row["__partition"], row["__offset"]): row.asDict() for row in stored}
    places = {(one.message["partition"], one.message["offset"]): one for one in table.events}
    expected = {place for place, one in places.items() if not one.skipped}
    # A tombstone is a delete: the one that it belongs to may have been compacted away.
    tombstones = {place for place, one in places.items() if one.message["value64"] is None}
    missing, others = expected - found.keys(), found.keys() - expected - tombstones
    if len(stored) != len(found) or missing or others:
        return {}, [f"history: {len(stored)} rows; {missing} missing, {others} not"]
    return found, []


def history_differences(made: Any, table: RandomTable) -> Iterator[str]:
    """Yield how a history differs from the events of its table."""
    found, faults = history_faults(made, table)
    yield from faults
    for one in table.events:
        row = found.get((one.message["partition"], one.message["offset"]))
        if row is not None and not one.skipped:
            yield from (f"history: {fault}" for fault in row_differences(table, one, row))


def test_random_tables(sink: MakeSink, spark: Any, tmp_path: Path, registry: str) -> None:
    plan = Plan(batches=2, steps=(6, 6), waiting=0.8, history=False)
    run(sink, spark, tmp_path, registry, range(10), plan)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(_FIRST, _FIRST + SEEDS, _TABLES))
def test_many_random_tables(
    sink: MakeSink, spark: Any, tmp_path: Path, registry: str, first: int
) -> None:
    group = first // _TABLES
    plan = Plan(
        batches=3,
        steps=(8, 30),
        waiting=0.6,
        trouble=0.5,
        retypes=group % 4 == 3,
        table_format="delta" if group % 10 == 9 else "iceberg",
    )
    run(sink, spark, tmp_path, registry, range(first, first + _TABLES), plan)
