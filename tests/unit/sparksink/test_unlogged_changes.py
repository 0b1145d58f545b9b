"""Statements that remove or bring rows without events."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("pyspark")

from sparksink.config.file import parse
from sparksink.schemas.schema_changes import parse_statements
from sparksink.schemas.unlogged_changes import (
    LastStatement,
    removes_rows,
    statements_without_events,
)
from tests.unit.sparksink.least_config import LEAST


def statement(ddl: str, table: str = "t", pos: int = 1) -> dict[str, Any]:
    change = {"type": "ALTER", "id": f'"d"."{table}"', "table": {"columns": []}}
    return {"ddl": ddl, "source": {"file": "b.1", "pos": pos}, "tableChanges": [change]}


def test_partitions_that_go_take_their_rows_without_events() -> None:
    for clause in (
        "DROP PARTITION p0",
        "truncate partition all",
        "EXCHANGE PARTITION p WITH TABLE u",
        "CONVERT TABLE u TO PARTITION p VALUES LESS THAN (5)",
        "DISCARD TABLESPACE",
    ):
        assert removes_rows(f"ALTER TABLE t {clause}")
    for clause in (
        "ADD PARTITION (PARTITION p)",
        "COALESCE PARTITION 2",
        "COMMENT 'DROP PARTITION'",
    ):
        assert not removes_rows(f"ALTER TABLE t {clause}")


def test_a_renamed_table_brings_rows_unless_it_replaces_another_one() -> None:
    def changed_tables(
        *renames: tuple[str, str, int], before: LastStatement | None = ("CREATE", "b.1", 1)
    ) -> list[str]:
        messages = []
        for number, (old, new, pos) in enumerate(renames):
            one = statement(f"RENAME TABLE {old} TO {new}", new, pos)
            messages.append((number, json.dumps(one).encode(), None))
        given = parse_statements(messages, parse(LEAST).ordering)
        known = {} if before is None else {"d.t": before}
        return [one["source_table"] for one in statements_without_events(given, known)]

    assert changed_tables(("a", "t", 5), before=None) == ["d.t"]
    assert changed_tables(("a", "t", 5), before=("DROP", "b.1", 4)) == ["d.t"]
    assert changed_tables(("t", "_t_old", 5), ("_t_new", "t", 5)) == ["d._t_old"]
    assert changed_tables(("t", "_t_old", 5), ("_t_new", "t", 6)) == ["d._t_old", "d.t"]
    assert changed_tables(("_t_new", "t", 5)) == []  # the other half was not published
    assert changed_tables(("t", "_t_old", 5), ("b", "t", 5)) == ["d._t_old", "d.t"]
    assert changed_tables(("b", "t", 5)) == ["d.t"]  # it need not be a copy of the table


@pytest.mark.parametrize(
    "clause",
    [
        "EXCHANGE PARTITION p WITH TABLE u",
        'EXCHANGE PARTITION `p 1` WITH TABLE "u"',
        "CONVERT TABLE `u` TO PARTITION p VALUES (1)",
    ],
)
def test_partitions_that_become_tables_change_both(clause: str) -> None:
    given = [(0, json.dumps(statement(f"ALTER TABLE t {clause}")).encode(), None)]
    found = statements_without_events(parse_statements(given, parse(LEAST).ordering), {})
    assert [one["source_table"] for one in found] == ["d.t", "d.u"]
