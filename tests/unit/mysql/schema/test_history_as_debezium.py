"""Schema histories as Debezium 3.6.1 (MySQL) and 3.5.0 (MariaDB) wrote them.

``….json`` holds the values of a Kafka topic, ``….history`` is a file; both come from the same run
of statements, with ``include.schema.comments=true``.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from connector.capture.history.record import HistoryRecord, parse_record
from connector.capture.history.recover import recover
from connector.capture.tables import Table, Tables
from connector.mysql.ddl.tokens import Dialect
from connector.mysql.position.binlog_position import position_of
from connector.mysql.position.recorded_positions import recorded_before
from connector.mysql.schema.database_schema import DatabaseSchema
from connector.mysql.schema.schema_rules import SchemaRules

FOLDER = Path(__file__).parent
DIALECTS: tuple[Dialect, ...] = ("mysql", "mariadb")


def topic(dialect: Dialect) -> list[str]:
    values = json.loads((FOLDER / f"debezium_{dialect}.json").read_text(encoding="utf-8"))
    return [str(value) for value in values]


def lines(dialect: Dialect) -> list[str]:
    text = (FOLDER / f"debezium_{dialect}.history").read_text(encoding="utf-8")
    return text.removesuffix("\n").split("\n")


def rerun(dialect: Dialect, recorded: HistoryRecord, schema: DatabaseSchema) -> HistoryRecord:
    """Apply a recorded statement again and record its changes."""
    assert recorded.ddl is not None
    assert recorded.database is not None
    assert recorded.ts_ms is not None
    in_snapshot = "snapshot" in recorded.position
    apply = schema.apply_snapshot if in_snapshot else schema.apply
    [change] = apply(recorded.ddl, recorded.database)
    assert change.recorded
    return HistoryRecord.of(
        recorded.source,
        recorded.position,
        change.database,
        change.ddl,
        change.changes,
        recorded.ts_ms,
    )


@pytest.mark.parametrize("dialect", DIALECTS)
def test_messages_are_equal_to_the_byte(dialect: Dialect) -> None:
    schema = DatabaseSchema(SchemaRules(dialect=dialect, comments=True), Tables())
    for value in topic(dialect):
        assert rerun(dialect, parse_record(value), schema).text() == value


@pytest.mark.parametrize("dialect", DIALECTS)
def test_lines_of_a_file_are_equal_to_the_byte(dialect: Dialect) -> None:
    schema = DatabaseSchema(SchemaRules(dialect=dialect, comments=True), Tables())
    for line in lines(dialect):
        assert rerun(dialect, parse_record(line), schema).line() == line


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("prefer_ddl", [False, True])
def test_tables_are_recovered_from_documents_as_from_statements(
    dialect: Dialect,
    prefer_ddl: bool,
) -> None:
    records = [parse_record(value) for value in topic(dialect)]
    live = DatabaseSchema(SchemaRules(dialect=dialect, comments=True), Tables())
    for stop, record in enumerate(records, 1):
        rerun(dialect, record, live)
        if "snapshot" not in record.position:
            recovered = recovered_at(dialect, records, stop, prefer_ddl=prefer_ddl)
            kept = live.tables if prefer_ddl else (replace(t, comment=None) for t in live.tables)
            assert recovered == list(kept), "Debezium does not find the comments of tables again"


def recovered_at(
    dialect: Dialect, records: list[HistoryRecord], stop: int, *, prefer_ddl: bool
) -> list[Table]:
    """Recover from a whole history up to the position of its record number ``stop``."""
    schema = DatabaseSchema(SchemaRules(dialect=dialect, comments=True), Tables())
    is_mariadb = dialect == "mariadb"
    desired = position_of(records[stop - 1].position, is_mariadb=is_mariadb)
    end = stop
    while end < len(records) and records[end].position == records[stop - 1].position:
        end += 1  # two tables dropped by one statement stand at one place
    recover(
        iter(records if end == stop else records[:stop]),
        {"server": "shop"},
        schema.tables,
        schema.replay,
        recorded_before(desired, None, is_mariadb=is_mariadb, by_gtids=False),
        prefer_ddl=prefer_ddl,
    )
    return list(schema.tables)


def test_records_of_another_connector_are_skipped() -> None:
    schema = DatabaseSchema(SchemaRules(), Tables())
    records = map(parse_record, topic("mysql"))
    found = recover(records, {"server": "x"}, schema.tables, schema.replay, lambda _: True)
    assert found.changes == 0
    assert len(schema.tables) == 0
