"""A record that a lost acknowledgement made come twice in the history is applied once."""

from __future__ import annotations

from typing import Any

import pytest

from connector.capture.history.record import HistoryRecord
from connector.capture.history.recover import recover
from connector.capture.tables import Tables
from connector.mysql.schema.database_schema import DatabaseSchema
from connector.mysql.schema.schema_rules import SchemaRules

SOURCE = {"server": "shop"}
SWAP = "ALTER TABLE t RENAME COLUMN a TO b, RENAME COLUMN b TO a"


def record(place: int, ddl: str, ts_ms: int, **more: Any) -> HistoryRecord:
    return HistoryRecord(SOURCE, {"pos": place, **more}, "shop", ddl, None, ts_ms)


def columns(*records: HistoryRecord) -> list[str]:
    schema = DatabaseSchema(SchemaRules(), Tables())
    recover(records, SOURCE, schema.tables, schema.replay, lambda _: True)
    [table] = schema.tables
    return [column.name for column in table.columns]


CREATED = record(10, "CREATE TABLE t (a INT, b INT)", 1)


@pytest.mark.parametrize("times", [1, 2, 3])
def test_a_repeated_record_changes_nothing(times: int) -> None:
    repeated = [record(20, SWAP, 2 + number) for number in range(times)]
    assert columns(CREATED, *repeated) == ["b", "a"]


def test_the_same_statement_at_another_position_is_another_one() -> None:
    assert columns(CREATED, record(20, SWAP, 2), record(30, SWAP, 3)) == ["a", "b"]
