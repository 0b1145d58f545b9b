"""Mirrors and histories equal their sources, whatever happened to tables, messages and jobs."""

from __future__ import annotations

import json
import os
import random
import threading
from collections.abc import Callable, Iterator
from http.server import HTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.sink.crashing import Crash, CrashingLake
from tests.sink.deliveries import Delivery, deliveries
from tests.sink.random_tables import SCHEMAS, AnyTable, KeylessTable, RandomTable, random_table
from tests.sink.recorded import MakeSink, frame, rows
from tests.sink.test_convergence import real_lake
from tests.sink.test_formats import Registry
from tests.sink.test_keyless import counted

pytestmark = pytest.mark.usefixtures("adaptive")
SEEDS = int(os.environ.get("TABLE_SEEDS", "1000"))
"""How many tables test-long tries."""
_FIRST = int(os.environ.get("TABLE_SEED", "1000"))
_TABLES = int(os.environ.get("TABLE_COUNT", "20"))
_LETTER = ("topic", "partition", "offset", "reason")


@pytest.fixture
def registry() -> Iterator[str]:
    answers = type("Answers", (Registry,), {"schemas": SCHEMAS})
    with HTTPServer(("127.0.0.1", 0), answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class Jobs:
    """Applies batches, each by a process that may be killed at any write."""

    def __init__(
        self,
        sink: MakeSink,
        lake: Callable[[], Any],
        chance: random.Random,
        given: Any,
        kills: float,
    ) -> None:
        self._sink = sink
        self._lake = lake
        self._chance = chance
        self._given = given
        self._kills = kills
        self.made = sink(**given)

    def apply(self, messages: Any, number: int, delivery: Delivery) -> None:
        if self._chance.random() < self._kills:
            try:
                after = self._chance.random() < 0.5
                lake = CrashingLake(self._lake(), self._chance.randrange(60), after=after)
                self._apply(self._sink(lake, **self._given), messages, number, delivery)
            except Crash:
                pass
            self.made = self._sink(**self._given)  # what it remembers of tables is its own
        elif self._chance.random() < 0.5:
            self.made = self._sink(**self._given)
        self._apply(self.made, messages, number, delivery)

    def _apply(self, made: Any, messages: Any, number: int, delivery: Delivery) -> None:
        from sparksink.state.snapshots import ReadProgress  # noqa: PLC0415 - needs Spark

        progress = ReadProgress(delivery.reached, lambda: delivery.present)
        made.batches.apply(messages, "app", number, progress=progress)


def run(
    sink: MakeSink,
    spark: Any,
    tmp_path: Path,
    registry: str,
    seeds: range,
    *,
    batches: int,
    steps: int = 0,
    retypes: bool = False,
    brief: bool = False,
) -> None:
    """Deliver a table for each seed, and compare all of them with their sources.

    :param brief: without kills and histories, and most tables in one batch.
    """
    chance = random.Random(seeds[0])
    tables = [random_table(seed, retypes=retypes) for seed in seeds]
    for table in tables:
        table.live(steps or chance.randint(15, 60))
    given: dict[str, Any] = {
        "source": {"ddl.topic": "srv", "schema.registry": {"url": registry}},
        "target": {"format": "iceberg"},  # which takes a third of the time
        "ordering": {"epoch": "header"},
        "history": {"enabled": not (retypes or brief)},
        "evolution": {"drop": chance.choice(["keep", "drop"])},
        "nopk": "bag_view",
    }
    kills = 0.0 if brief else 0.5
    jobs = Jobs(sink, lambda: real_lake(spark, tmp_path, **given), chance, given, kills)
    waiting = 0.8 if brief else 0.0
    for number, delivery in enumerate(deliveries(tables, batches, chance, waiting=waiting)):
        lines = "\n".join(map(json.dumps, delivery.statements))
        (tmp_path / "in" / "ddl.json").write_text(lines)
        jobs.apply(frame(spark, delivery.messages), number, delivery)
    check(jobs.made, tables, history=given["history"]["enabled"])


def check(made: Any, tables: list[AnyTable], *, history: bool) -> None:
    """Compare tables with their sources, all of them before one fails."""
    faults = [f"{name} is parked: {reason}" for name, reason in made.state.parked().items()]
    faults += [f"a sweep is pending: {one}" for one in made.state.pending_sweeps()]
    faults += [f"{name}: {reason}" for name, reason in made.state.gaps().items()]
    faults += unexpected_dead_letters(made, tables)
    parked = made.state.parked()
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
        found = counted(made, f"shop__{table.name}")
        if found != table.source.expected():
            yield f"seed {table.seed}, keyless: {found} is not {table.source.expected()}"
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


def history_differences(made: Any, table: RandomTable) -> Iterator[str]:
    """Yield how a history differs from the events of its table."""
    stored = made.lake.table(f"shop__{table.name}__history").read().collect()
    found = {(row["__partition"], row["__offset"]): row.asDict() for row in stored}
    events = [one for one in table.events if not one.skipped]
    expected = {(one.message["partition"], one.message["offset"]) for one in events}
    # A tombstone is a delete: the one that it belongs to may have been compacted away.
    tombstones = {
        (one.message["partition"], one.message["offset"])
        for one in table.events
        if one.message["value64"] is None
    }
    unexpected = found.keys() - expected - tombstones
    if len(stored) != len(found) or expected - found.keys() or unexpected:
        yield f"history: {len(stored)} rows; {expected - found.keys()} missing, {unexpected} not"
        return
    others = reused_columns(table)
    for one in events:
        row = found[one.message["partition"], one.message["offset"]]
        for identity, value in one.values.items():
            name = table.last_names[identity]
            same = [other for other in one.values if table.last_names[other] == name]
            if same == [identity] and identity not in others and row.get(name) != value:
                yield f"history: {name} at {one.at} is {row.get(name)}, not {value}"


def reused_columns(table: RandomTable) -> set[int]:
    """Return columns that are gone and whose name another one had.

    In a history their values may have followed the other one's renames.
    """
    names: dict[int, set[str]] = {}
    for one in table.events:
        for identity, name in zip(one.values, one.named, strict=True):
            names.setdefault(identity, set()).add(name)
    living = {one.identity for one in table.columns}
    return {
        identity
        for identity, known in names.items()
        if identity not in living
        and any(other != identity and known & others for other, others in names.items())
    }


def test_random_tables(sink: MakeSink, spark: Any, tmp_path: Path, registry: str) -> None:
    run(sink, spark, tmp_path, registry, range(20), batches=2, steps=6, brief=True)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(_FIRST, _FIRST + SEEDS, _TABLES))
def test_many_random_tables(
    sink: MakeSink, spark: Any, tmp_path: Path, registry: str, first: int
) -> None:
    seeds = range(first, first + _TABLES)
    retypes = first // _TABLES % 4 == 3
    run(sink, spark, tmp_path, registry, seeds, batches=4, retypes=retypes)
