"""Mirrors and histories equal their sources, whatever happened to the columns of tables."""

from __future__ import annotations

import os
import random

import pytest

from tests.unit.sparksink.evolved_tables import differences, settings

pytest.importorskip("pyspark")

from sparksink.config.file import parse
from sparksink.errors import TableError
from tests.fixtures.sink.deliveries import deliveries
from tests.fixtures.sink.random_tables import KeylessTable, RandomTable, random_table
from tests.unit.sparksink.played_tables import PlayedTable

TABLES = int(os.environ.get("EVOLUTION_TABLES", "60"))
"""How many tables are played."""
_GROUPS = 5


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


def play_late(seed: int) -> list[str]:
    """Play a table some of whose rows come before their statements; return the differences.

    Without a definition, messages without a schema are dead letters.
    """
    table = RandomTable(f"t{seed}", seed, ("schema", "avro")[seed % 2])
    chance = random.Random(f"late statements of {seed}")
    table.live(chance.randint(8, 60))
    given = settings(chance)
    given["history"]["before"] = "none"
    given["evolution"]["drop"] = "keep"
    played = PlayedTable(table, parse(given), chance)
    for delivery in deliveries([table], chance.randint(2, 5), chance, late=0.7):
        played.play(delivery, crash=chance.random() < 0.4)
    played.finish()
    found = [*differences(played, table)]
    played.close()
    return found


@pytest.mark.parametrize("group", range(_GROUPS))
def test_random_columns_whose_statements_are_late(group: int) -> None:
    seeds = range(group, TABLES, _GROUPS)
    faults = [one for seed in seeds for one in play_late(seed)]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("conflict", ["park", "rewrite", "new_column"])
@pytest.mark.parametrize("group", range(_GROUPS))
def test_random_columns(group: int, conflict: str) -> None:
    seeds = range(group, TABLES, _GROUPS)
    faults = [one for seed in seeds for one in play(seed, conflict)]
    assert not faults, "\n".join(faults)
