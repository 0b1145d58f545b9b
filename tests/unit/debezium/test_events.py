"""Changes as records."""

from __future__ import annotations

from typing import Any

import pytest

from connector.capture.change import (
    Change,
    HeartbeatDue,
    Progress,
    Row,
    RowChanges,
    SchemaChange,
    TableChange,
    TransactionBoundary,
    Truncated,
    Waiting,
)
from connector.capture.tables import Column, Table, TableId
from connector.converters.json import JsonConverter
from connector.data.record import Record
from connector.data.schema import INT32, STRING, Field
from connector.debezium.events import EventOptions, EventRecords, context_headers
from connector.debezium.transactions import Transaction
from tests.fixtures.random_changes import NAMING, ROW_SLOT, SOURCE, codec_for

CODEC = codec_for((Field("id", INT32), Field("name", STRING.as_optional())), ("id",))
KEYLESS = codec_for((Field("id", INT32),))
SOURCE_VALUES: Row = ("3", "acme", "srv", 5, None, "shop", None, 5000, 5000000, "orders", 0, None)
NOW = 1_795_226_600_123_456_789


class _At:
    def to_offset(self) -> dict[str, Any]:
        return {}


def _records(change: Change, transaction: Transaction | None = None, **more: Any) -> list[Record]:
    options = EventOptions("acme", NAMING, SOURCE, ROW_SLOT, now=lambda: NOW, **more)
    return list(EventRecords(options, transaction or Transaction()).records(change))


def _rows(op: Any, *rows: tuple[Row | None, Row | None], first: int | None = 0) -> RowChanges:
    return RowChanges(CODEC, op, list(rows), SOURCE_VALUES, first)


def test_a_creation_is_an_envelope_with_the_row_after() -> None:
    (record,) = _records(_rows("c", (None, (1, "a"))))
    assert (record.topic, record.partition, record.timestamp) == ("srv.shop.orders", None, None)
    assert (record.key_schema, record.key) == (CODEC.key_schema, {"id": 1})
    assert record.value_schema is CODEC.envelope_schema
    value = record.value
    assert (value["op"], value["before"], value["after"]) == ("c", None, {"id": 1, "name": "a"})
    assert value["transaction"] is None
    assert (value["ts_ms"], value["ts_us"], value["ts_ns"]) == (NOW // 10**6, NOW // 10**3, NOW)
    assert value["source"]["db"] == "shop"
    assert value["source"]["snapshot"] is None


def test_rows_of_an_event_are_numbered_and_those_of_a_snapshot_are_not() -> None:
    pairs: list[tuple[Row | None, Row | None]] = [(None, (n, None)) for n in range(3)]
    numbers = [r.value["source"]["row"] for r in _records(_rows("c", *pairs, first=2))]
    assert numbers == [2, 3, 4]
    numbers = [r.value["source"]["row"] for r in _records(_rows("r", *pairs, first=None))]
    assert numbers == [0, 0, 0]


def test_an_update_has_both_rows() -> None:
    (record,) = _records(_rows("u", ((1, "a"), (1, "b"))))
    assert record.value["before"] == {"id": 1, "name": "a"}
    assert record.value["after"] == {"id": 1, "name": "b"}


@pytest.mark.parametrize("tombstones", [True, False])
def test_a_deletion_may_be_followed_by_a_tombstone(tombstones: bool) -> None:
    records = _records(_rows("d", ((1, "a"), None)), tombstones=tombstones)
    assert [record.value is None for record in records] == [False, True][: 1 + tombstones]
    assert {record.key["id"] for record in records} == {1}
    assert records[0].value["after"] is None
    assert all(record.value_schema is None for record in records[1:])


def test_a_changed_key_is_a_deletion_and_a_creation_that_name_each_other() -> None:
    headers = context_headers("acme", "srv", 0, "run")
    records = _records(_rows("u", ((1, "a"), (2, "b"))), context_headers=headers)
    old, tombstone, new = records
    assert [record.key["id"] for record in records] == [1, 1, 2]
    assert (old.value["op"], old.value["before"]["id"], old.value["after"]) == ("d", 1, None)
    assert tombstone.value is None
    assert (new.value["op"], new.value["before"], new.value["after"]["id"]) == ("c", None, 2)
    assert old.value["source"] == new.value["source"]
    assert old.headers == tombstone.headers
    for record, name, key in ((old, "__debezium.newkey", 2), (new, "__debezium.oldkey", 1)):
        first, *rest = record.headers
        assert (first.name, first.schema, first.value) == (name, CODEC.key_schema, {"id": key})
        assert rest == list(headers)


def test_a_table_without_a_key_has_no_key_in_its_records() -> None:
    change = RowChanges(KEYLESS, "u", [((1,), (2,))], SOURCE_VALUES)
    (record,) = _records(change)
    assert (record.key_schema, record.key, record.value["op"]) == (None, None, "u")


def test_events_of_a_transaction_are_counted_if_configured() -> None:
    transaction = Transaction()
    transaction.begin("x:1")
    change = _rows("u", ((1, "a"), (2, "b")), ((3, "a"), (3, "b")))
    orders = [
        record.value["transaction"]["total_order"]
        for record in _records(change, transaction, transactions=True)
        if record.value is not None
    ]
    assert orders == [1, 2, 3]
    assert [
        r.value["transaction"] for r in _records(_rows("c", (None, (1, "a"))), transaction)
    ] == [None]


def test_a_truncation_has_neither_key_nor_rows() -> None:
    (record,) = _records(Truncated(CODEC, SOURCE_VALUES))
    assert (record.topic, record.key_schema, record.key) == ("srv.shop.orders", None, None)
    value = record.value
    assert (value["op"], value["before"], value["after"]) == ("t", None, None)


def test_context_headers_are_on_rows_and_statements_only() -> None:
    headers = context_headers("acme", "srv", 3, "run-id")
    assert [(h.name.removeprefix("__debezium.context."), h.value) for h in headers] == [
        ("connectorLogicalName", "srv"),
        ("taskId", "3"),
        ("connectorName", "acme"),
        ("runId", "run-id"),
    ]
    schema_change = SchemaChange("DATABASE", "shop", "DROP DATABASE x", (), SOURCE_VALUES)
    changes: list[Change] = [
        _rows("c", (None, (1, "a"))),
        Truncated(CODEC, SOURCE_VALUES),
        schema_change,
        TransactionBoundary("BEGIN", "x:1", 1),
        HeartbeatDue(),
    ]
    more: dict[str, Any] = {"context_headers": headers, "transactions": True, "heartbeats": True}
    counts = [len(record.headers) for change in changes for record in _records(change, **more)]
    assert counts == [4, 4, 4, 0, 0]


def test_a_statement_goes_to_the_first_partition_of_the_schema_change_topic() -> None:
    column = Column(
        "id",
        "INT UNSIGNED",
        4,
        "INT UNSIGNED",
        None,
        None,
        11,
        position=1,
        optional=False,
        auto_incremented=True,
        generated=True,
        has_default=True,
        default="1",
    )
    kind = Column("kind", "ENUM", 1, charset="utf8mb4", position=2, enum_values=("'a'", "'b,c'"))
    table = Table(TableId("sh op", "t"), (column, kind), ("id",), "utf8mb4", "why")
    changes = (
        TableChange("CREATE", table.id, table),
        TableChange("DROP", TableId("shop", "u")),
    )
    change = SchemaChange("CREATE", "sh op", "CREATE …", changes, SOURCE_VALUES)
    (record,) = _records(change)
    assert (record.topic, record.partition, record.key) == ("srv", 0, {"databaseName": "sh op"})
    assert record.key_schema is not None
    assert record.key_schema.name == "io.debezium.connector.acme.SchemaChangeKey"
    value = record.value
    assert (value["ddl"], value["ts_ms"], value["schemaName"]) == ("CREATE …", NOW // 10**6, None)
    created, dropped = value["tableChanges"]
    assert dropped == {"type": "DROP", "id": '"shop"."u"', "table": None}
    assert created["id"] == '"sh op"."t"'
    described = created["table"]
    assert described["primaryKeyColumnNames"] == ["id"]
    assert described["comment"] == "why"
    assert [c["enumValues"] for c in described["columns"]] == [None, ["'a'", "'b,c'"]]
    assert described["columns"][0]["defaultValueExpression"] == "1"
    data = JsonConverter().from_connect(record.topic, record.value_schema, value)
    assert data is not None
    assert b'"typeName":"INT UNSIGNED"' in data


def test_statements_may_be_left_out() -> None:
    change = SchemaChange("DATABASE", "shop", "DROP DATABASE x", (), SOURCE_VALUES)
    assert _records(change, schema_changes=False) == []


@pytest.mark.parametrize(("heartbeats", "count"), [(True, 1), (False, 0)])
def test_heartbeats_are_written_if_configured(heartbeats: bool, count: int) -> None:
    records = _records(HeartbeatDue(), heartbeats=heartbeats)
    assert len(records) == count
    for record in records:
        assert (record.topic, record.partition) == ("__debezium-heartbeat.srv", 0)
        assert record.key == {"serverName": "srv"}
        assert record.value == {"ts_ms": NOW // 10**6}


def test_transaction_boundaries_are_written_if_configured() -> None:
    mark = TransactionBoundary("BEGIN", "x:1", 1)
    assert _records(mark) == []
    (record,) = _records(mark, transactions=True)
    assert record.topic == "srv.transaction"


@pytest.mark.parametrize("change", [Progress(_At()), Waiting("down", 1.0)])
def test_what_only_steers_a_task_makes_no_record(change: Change) -> None:
    assert _records(change, heartbeats=True, transactions=True) == []
