"""Rows that are written before the statements that changed their columns are known."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("pyspark")

from sparksink.config.file import parse
from sparksink.errors import TableError
from tests.fixtures.sink.deliveries import Delivery
from tests.fixtures.sink.redefined import Column
from tests.unit.sparksink.evolved_tables import differences, settings
from tests.unit.sparksink.played_tables import PlayedTable
from tests.unit.sparksink.written_tables import WrittenTable

FORMS = ("schema", "avro")


def sink(table: WrittenTable, drop: str = "keep") -> PlayedTable:
    given = settings(random.Random(0))
    given["history"]["before"] = "none"
    given["evolution"]["drop"] = drop
    return PlayedTable(table, parse(given), random.Random(0))


def deliver(
    played: PlayedTable, table: WrittenTable, events: Sequence[int], statements: int, left: int = 0
) -> None:
    """Apply events by their numbers, perhaps after a process that had some statements left."""
    lines = [
        {"offset": number, "value": json.dumps(value), "position": table.position(at)}
        for number, (at, value) in enumerate(table.statements[:statements])
    ]
    messages = [table.events[number].message for number in events]
    played.play(Delivery(messages, lines, {}, {}), crash=left > 0, left=left)


def renamed(form: str) -> WrittenTable:
    """Return a table with a row from before a rename, and one from after it."""
    table = WrittenTable("t", 0, form)
    a, b = table.columns
    table.insert(1, 10, 20)
    table.insert(2, 11, 21)
    table.alter("RENAME COLUMN a TO c", replace(a, name="c"), b)
    table.insert(2, 12, 22)
    table.insert(3, 13, 23)
    return table


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("left", range(10))
def test_a_column_keeps_its_values_if_its_rename_is_late(form: str, left: int) -> None:
    table = renamed(form)
    played = sink(table)
    deliver(played, table, [0, 1], 1)
    deliver(played, table, [2], 1)
    deliver(played, table, [3], 2, left)
    assert [*differences(played, table)] == []
    assert {*played.rows("shop__t")[0]} & {"a", "c__late"} == set()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("known", [0, 1])
def test_rows_of_columns_that_swapped_their_names_are_corrected(form: str, known: int) -> None:
    table = WrittenTable("t", 0, form)
    a, b = table.columns
    table.insert(1, 10, 20)
    swapped = replace(a, name="b"), replace(b, name="a")
    table.alter("RENAME COLUMN a TO b, RENAME COLUMN b TO a", *swapped)
    table.insert(2, 11, 21)
    table.insert(3, 12, 22)
    played = sink(table)
    deliver(played, table, [0, 1], known)
    deliver(played, table, [2], 2)
    assert [*differences(played, table)] == []


@pytest.mark.parametrize("form", FORMS)
def test_a_column_that_gets_the_name_of_a_dropped_one_late_has_only_its_own_values(
    form: str,
) -> None:
    table = WrittenTable("t", 0, form)
    a, _ = table.columns
    table.insert(1, 10, 20)
    table.alter("DROP COLUMN b", a)
    table.insert(2, 11)
    table.alter("RENAME COLUMN a TO b", replace(a, name="b"))
    table.insert(3, 12)
    table.insert(4, 13)
    played = sink(table)
    deliver(played, table, [0, 1, 2], 2)
    deliver(played, table, [3], 3)
    assert [*differences(played, table)] == []


@pytest.mark.parametrize("form", FORMS)
def test_a_column_that_is_added_late_has_the_default_of_its_statement(form: str) -> None:
    table = WrittenTable("t", 0, form)
    a, b = table.columns
    table.insert(1, 10, 20)
    added = Column(3, "d", "int32", 7)
    table.alter("ADD COLUMN d INT NOT NULL DEFAULT 7", a, b, added)
    table.alter("ALTER COLUMN d SET DEFAULT 8", a, b, replace(added, default=8))
    table.insert(2, 11, 21, 31)
    table.insert(3, 12, 22, 32)
    played = sink(table)
    deliver(played, table, [0, 1], 1)
    deliver(played, table, [2], 3)
    assert [*differences(played, table)] == []


@pytest.mark.parametrize("form", FORMS)
def test_values_of_a_column_that_is_added_again_late_are_not_lost(form: str) -> None:
    table = WrittenTable("t", 0, form)
    a, b = table.columns
    table.insert(1, 10, 20)
    table.alter("DROP COLUMN b", a)
    table.alter("ADD COLUMN b INT", a, replace(b, identity=3))
    table.insert(2, 11, 21)
    played = sink(table, drop="drop")
    deliver(played, table, [0], 2)
    with pytest.raises(TableError, match=r"no definition .* has added column b again"):
        deliver(played, table, [1], 2)
    deliver(played, table, [1], 3)
    assert [*differences(played, table)] == []


@pytest.mark.parametrize("form", ["plain", "row", *FORMS])
@pytest.mark.parametrize("clause", ["RENAME COLUMN a TO A", "MODIFY A INT", "CHANGE a A INT"])
def test_a_column_whose_name_changes_its_case_stays_the_same(form: str, clause: str) -> None:
    table = WrittenTable("t", 0, form)
    a, b = table.columns
    table.insert(1, 10, 20)
    table.alter(clause, replace(a, name="A"), b)
    table.insert(2, 11, 21)
    for first, last in ([0], [1]), ([1], [0]):
        played = sink(table)
        deliver(played, table, first, 2)
        deliver(played, table, last, 2)
        assert [*differences(played, table)] == []


@pytest.mark.parametrize("left", range(4))
def test_a_late_change_of_case_renames_the_column(left: int) -> None:
    table = WrittenTable("t", 0, "schema")
    a, b = table.columns
    table.insert(1, 10, 20)
    table.alter("RENAME COLUMN a TO A", replace(a, name="A"), b)
    table.insert(2, 11, 21)
    table.insert(3, 12, 22)
    played = sink(table)
    deliver(played, table, [0, 1], 1)
    rows: list[Any] = played.rows("shop__t")
    assert [one["a"] for one in rows] == [10, 11]
    deliver(played, table, [2], 2, left)
    assert [*differences(played, table)] == []
