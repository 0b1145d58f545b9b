"""Rows that arrive after newer ones, whose columns had other names, types or defaults."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

pytest.importorskip("pyspark")

from sparksink.config.file import parse
from tests.fixtures.sink.deliveries import Delivery
from tests.fixtures.sink.redefined import Column
from tests.unit.sparksink.evolved_tables import differences, settings
from tests.unit.sparksink.played_tables import PlayedTable
from tests.unit.sparksink.written_tables import WrittenTable


def play(table: WrittenTable, *batches: Sequence[int], conflict: str = "park") -> PlayedTable:
    """Apply events by their numbers, all statements being known; compare with the source."""
    chance = random.Random(0)
    config = parse(settings(chance, conflict))
    found = PlayedTable(table, config, chance)
    lines = [
        {"offset": number, "value": json.dumps(value), "position": table.position(at)}
        for number, (at, value) in enumerate(table.statements)
    ]
    for numbers in batches:
        messages = [table.events[number].message for number in numbers]
        found.play(Delivery(messages, lines, {}, {}), crash=False)
    assert [*differences(found, table)] == []
    return found


@pytest.mark.parametrize("form", ["plain", "schema", "row", "avro"])
def test_rows_from_before_a_column_get_the_default_of_its_statement(form: str) -> None:
    table = WrittenTable("t", 0, form)
    a, b = table.columns
    table.insert(1, 10, 20)
    d = Column(3, "d", "int32", 7)
    table.alter("ADD COLUMN d INT NOT NULL DEFAULT 7", a, b, d)
    table.alter("ALTER COLUMN d SET DEFAULT 8", a, b, replace(d, default=8))
    table.insert(2, 11, 21, 31)
    play(table, [1], [0])
    play(table, [0], [1])


@pytest.mark.parametrize("form", ["plain", "schema", "row", "avro"])
@pytest.mark.parametrize("order", [([0], [1]), ([1], [0]), ([0, 1],)])
def test_a_dropped_column_keeps_its_values_when_another_one_gets_its_name(
    form: str, order: Sequence[Sequence[int]]
) -> None:
    table = WrittenTable("t", 0, form)
    _, b = table.columns
    table.insert(1, 10, 20)
    table.alter("DROP COLUMN a", b)
    table.alter("RENAME COLUMN b TO a", replace(b, name="a"))
    table.insert(2, 21)
    found = play(table, *order)
    history = {one["id"]: one for one in found.rows("shop__t__history")}
    assert [history[1][name] for name in ("a", "a__former")] == [20, 10]


@pytest.mark.parametrize("order", [([0], [1], [2]), ([2], [1], [0]), ([2, 0], [1])])
def test_values_from_before_a_cast_arrive_after_it(order: Sequence[Sequence[int]]) -> None:
    table = WrittenTable("t", 0, retypes=True)
    a, b = table.columns
    table.insert(1, 10, 20)
    table.alter("MODIFY a BIGINT", replace(a, kind="int64"), b)
    table.insert(2, 2**40, 21)
    for row in table.rows.values():
        row[a.identity] = str(row[a.identity])
    table.alter("MODIFY a VARCHAR(20)", replace(a, kind="string"), b)
    table.insert(3, "x", 22)
    play(table, *order, conflict="rewrite")


def test_columns_that_swapped_their_names_are_read_with_the_names_of_their_time() -> None:
    for form in ("plain", "schema", "row", "avro"):
        table = WrittenTable("t", 0, form)
        a, b = table.columns
        table.insert(1, 10, 20)
        swapped = replace(a, name="b"), replace(b, name="a")
        table.alter("RENAME COLUMN a TO b, RENAME COLUMN b TO a", *swapped)
        table.insert(2, 11, 21)
        play(table, [1], [0])
        play(table, [0], [1])


def test_a_default_goes_along_with_its_column_to_a_name_that_a_dropped_one_had() -> None:
    table = WrittenTable("t", 0)
    a, b = table.columns
    table.insert(1, 10, 20)
    d = Column(3, "d", "int32", 7)
    table.alter("ADD COLUMN d INT NOT NULL DEFAULT 7", a, b, d)
    table.insert(2, 11, 21, 31)
    table.alter("DROP COLUMN b", a, d)
    table.alter("RENAME COLUMN d TO b", a, replace(d, name="b"))
    table.insert(3, 12, 32)
    table.alter("RENAME COLUMN b TO c", a, replace(d, name="c"))
    table.insert(4, 13, 33)
    play(table, [1], [2], [3], [0])
    play(table, [1], [2], [0], [3])


def test_a_column_of_a_former_name_has_no_value_of_the_former_ones_additional_column() -> None:
    table = WrittenTable("t", 0, retypes=True)
    a, b = table.columns
    table.insert(1, 10, 20)
    table.alter("MODIFY a VARCHAR(20)", replace(a, kind="string"), b)
    table.insert(2, "x", 21)
    again = Column(3, "a", "string")
    table.alter("DROP COLUMN a, ADD COLUMN a VARCHAR(20)", again, b)
    for row in table.rows.values():
        row[again.identity] = None
    table.insert(3, "y", 22)
    play(table, [0], [1], [2], conflict="new_column")
