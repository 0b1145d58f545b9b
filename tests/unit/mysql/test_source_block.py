"""The source block of MySQL's and MariaDB's events."""

from __future__ import annotations

import pytest

from connector.mysql.position.binlog_position import BinlogPosition
from connector.mysql.position.coordinates import Coordinates
from connector.mysql.position.gtid import GtidSet
from connector.mysql.source_block import ROW_SLOT, SourceBlock, source_schema

BLOCK = SourceBlock("3.6.1.Final", "mysql", "shop")
MICROS = 1_700_000_000_123_456


def by_name(values: tuple[object, ...]) -> dict[str, object]:
    names = [field.name for field in source_schema("mysql").fields]
    return dict(zip(names, values, strict=True))


@pytest.mark.parametrize("connector", ["mysql", "mariadb"])
def test_the_schema_is_that_of_debezium(connector: str) -> None:
    schema = source_schema(connector)
    assert schema.name == f"io.debezium.connector.{connector}.Source"
    assert [field.name for field in schema.fields][9:] == (
        "table server_id gtid file pos row thread query".split()
    )
    assert schema.fields[ROW_SLOT].name == "row"


def test_an_event_of_the_log() -> None:
    server = "3e11fa47-71ca-11e1-9e33-c80aa9429562"
    at = Coordinates(BinlogPosition("b.1", 4, GtidSet(), server_id=9))
    at.start_gtid(f"{server}:1")
    at.move(200, 50)
    at.row, at.thread, at.query = 3, 17, "DELETE FROM t"
    assert by_name(BLOCK.for_stream(at, "db", "t", MICROS)) == {
        "version": "3.6.1.Final",
        "connector": "mysql",
        "name": "shop",
        "ts_ms": MICROS // 1000,
        "snapshot": None,
        "db": "db",
        "sequence": None,
        "ts_us": MICROS,
        "ts_ns": MICROS * 1000,
        "table": "t",
        "server_id": 9,
        "gtid": f"{server}:1",
        "file": "b.1",
        "pos": 200,
        "row": 3,
        "thread": 17,
        "query": "DELETE FROM t",
    }


def test_a_row_of_a_snapshot_has_its_mark_and_no_transaction() -> None:
    at = BinlogPosition("b.7", 157, GtidSet(), server_id=9)
    values = by_name(BLOCK.for_snapshot(at, "db", None, "first", MICROS))
    assert (values["snapshot"], values["file"], values["pos"]) == ("first", "b.7", 157)
    assert (values["server_id"], values["row"]) == (0, 0)
    assert [values[name] for name in ("gtid", "thread", "query", "table")] == [None] * 4


def test_only_the_mark_of_a_snapshot_changes() -> None:
    values = BLOCK.for_snapshot(BinlogPosition("b.7", 157), "db", "t", "true", MICROS)
    marked = by_name(BLOCK.with_marker(values, "last"))
    assert marked == {**by_name(values), "snapshot": "last"}
