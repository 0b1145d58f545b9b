"""Mirrors and histories equal their sources, whatever happened to the columns of tables."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("pyspark")

from sparksink.config.file import parse
from sparksink.errors import TableError
from sparksink.schemas.spark_types import BEFORE
from tests.fixtures.sink.deliveries import deliveries
from tests.fixtures.sink.history_rows import row_differences
from tests.fixtures.sink.random_tables import KeylessTable, RandomTable, random_table
from tests.fixtures.sink.recorded import Row
from tests.unit.sparksink.played_tables import PlayedTable
from tests.unit.sparksink.test_config import LEAST

TABLES = int(os.environ.get("EVOLUTION_TABLES", "60"))
"""How many tables are played."""
_GROUPS = 5


def settings(chance: random.Random, conflict: str = "park") -> dict[str, Any]:
    evolution = {"drop": chance.choice(["keep", "drop"]), "conflict": conflict}
    retypes = conflict != "park"
    return {
        **LEAST,
        "source": {**LEAST["source"], "ddl.topic": "srv"},  # type: ignore[dict-item] # a mapping
        "target": {**LEAST["target"], "format": chance.choice(["delta", "iceberg"])},  # type: ignore[dict-item]
        "ordering": {"epoch": "header"},
        "history": {"enabled": not retypes, "before": "none" if retypes else "struct"},
        "evolution": evolution,
    }


def play(seed: int, conflict: str = "park") -> list[str]:
    """Play the table of a seed; return how its tables differ from their source.

    Types change to ones that are not wider if tables can follow.
    """
    retypes = conflict != "park"
    table = random_table(seed, retypes=retypes)
    if isinstance(table, KeylessTable):  # its columns do not change
        table = RandomTable(table.name, seed, "plain", retypes=retypes)
    chance = random.Random(f"deliveries of {seed}")
    table.live(chance.randint(8, 60))
    config = parse(settings(chance, conflict))
    played = PlayedTable(table, config, chance)
    try:
        for delivery in deliveries([table], chance.randint(1, 5), chance):
            played.play(delivery, crash=chance.random() < 0.4)
    except TableError as error:
        return [f"seed {seed}, {table.form} is parked: {error}"]
    played.finish()
    found = [*differences(played, table)]
    played.close()
    return found


def differences(played: PlayedTable, table: RandomTable) -> Iterator[str]:
    described = f"seed {table.seed}, {table.form}"
    yield from (f"{described}: {one.named} at {one.at} was not read" for one in played.unread)
    stored = played.rows(f"shop__{table.name}")
    rows = [one for one in stored if one["__op"] != "d"]
    names = sorted(one.name for one in table.columns) if table.rows else []
    expected = table.expected()
    if beside := played.beside(f"shop__{table.name}"):  # a column for each type
        expected = [(key, *map(_text, values)) for key, *values in expected]
        rows = [
            {"id": one["id"]}
            | {name: _text(_first(one, name, *beside.get(name, ()))) for name in names}
            for one in rows
        ]
    found = sorted(((one["id"], *map(one.get, names)) for one in rows), key=repr)
    if found != sorted(expected, key=repr):
        yield f"{described}: {found} is not {expected}"
    history = played.rows(f"shop__{table.name}__history")
    places = {(one["__partition"], one["__offset"]): one for one in history}
    for one in table.events:
        row = places.get((one.message["partition"], one.message["offset"]))
        if row is not None and not one.skipped:
            yield from (
                f"{described}, history: {fault}" for fault in row_differences(table, one, row)
            )
        if row and one.gone and row.get(BEFORE):
            before = json.loads(row[BEFORE])
            yield from (f"{described}, before: {o}" for o in row_differences(table, one, before))


def _first(row: Row, *names: str) -> Any:
    """Return the first value that is set."""
    return next((row[name] for name in names if row.get(name) is not None), None)


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


@pytest.mark.parametrize("conflict", ["park", "rewrite", "new_column"])
@pytest.mark.parametrize("group", range(_GROUPS))
def test_random_columns(group: int, conflict: str) -> None:
    seeds = range(group, TABLES, _GROUPS)
    faults = [one for seed in seeds for one in play(seed, conflict)]
    assert not faults, "\n".join(faults)
