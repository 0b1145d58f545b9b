"""Columns are read from the schemas that messages carry: JSON, Avro, or the schema-change topic."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from sparksink.config.columns import Types
from sparksink.config.file import parse
from sparksink.config.ordering import Ordering
from sparksink.config.source import Modes
from sparksink.decode.format_names import NEW_SCHEMA, PLAIN
from sparksink.decode.message_schema import parse_json_schema
from sparksink.decode.message_schemas import MessageSchemas
from sparksink.errors import TableError
from sparksink.schemas.defaults import connect_default
from sparksink.schemas.definitions import Definitions, Message
from sparksink.schemas.mysql_types import column_of
from sparksink.schemas.row_schema import (
    from_avro,
    from_connect,
    key_names,
    plain_avro,
    split_value_schema,
)
from sparksink.schemas.schema_changes import parse_definitions, table_name
from sparksink.schemas.spark_types import column_conversion
from tests.fixtures.sink.mutations import mutated

LEAST = {
    "name": "shop",
    "source": {"kind": "file", "path": "/in", "topics": ".*"},
    "checkpoint": "/c",
    "target": {"path": "/t"},
}
ROW: dict[str, Any] = {
    "type": "struct",
    "optional": True,
    "fields": [
        {"type": "int32", "optional": False, "field": "id"},
        {"type": "string", "optional": True, "default": "ü", "field": "payload"},
    ],
}
SCHEMA: dict[str, Any] = {
    "type": "struct",
    "optional": False,
    "fields": [
        {**ROW, "field": "before"},
        {**ROW, "field": "after"},
        {"type": "struct", "fields": [], "optional": False, "field": "source"},
        {"type": "string", "optional": False, "field": "op"},
    ],
}
AVRO_ROW: dict[str, Any] = {
    "type": "record",
    "name": "Value",
    "fields": [
        {"name": "id", "type": "int"},
        {
            "name": "price",
            "type": [
                "null",
                {
                    "type": "bytes",
                    "scale": 2,
                    "precision": 10,
                    "connect.parameters": {"scale": "2", "connect.decimal.precision": "10"},
                    "connect.name": "org.apache.kafka.connect.data.Decimal",
                    "logicalType": "decimal",
                },
            ],
        },
    ],
}
AVRO: dict[str, Any] = {
    "type": "record",
    "name": "Envelope",
    "namespace": "srv.shop.orders",
    "fields": [
        {"name": "before", "type": ["null", AVRO_ROW]},
        {"name": "after", "type": ["null", "Value"]},
        {"name": "source", "type": {"type": "record", "name": "Source", "fields": []}},
        {"name": "op", "type": "string"},
    ],
}


def test_a_corrupt_schema_is_refused_whatever_its_bytes() -> None:
    payload = {"before": None, "after": {"id": 1, "payload": "a"}, "source": {}, "op": "c"}
    whole = json.dumps({"schema": SCHEMA, "payload": payload}, separators=(",", ":")).encode()
    known = parse_json_schema("m", whole).shape
    chance, learned = random.Random(1), 0
    for _ in range(3000):
        try:
            found = parse_json_schema("m", mutated(whole, chance)).shape
        except TableError:
            continue
        learned += 1
        assert found.names == known.names
    assert learned > 50  # of these no column is wrong


def test_a_json_schema_is_cut_off_exactly() -> None:
    value = {"before": None, "after": {"id": 1, "payload": '"payload":{}'}}
    for separators in ((",", ":"), (", ", ": ")):
        text = json.dumps({"schema": SCHEMA, "payload": value}, separators=separators)
        sample = text.replace('{"schema": ', '{"schema":').encode()
        layout = parse_json_schema("json:0", sample)
        assert json.loads(sample[len(layout.prefix) : -1]) == value
        assert layout.form == "envelope"
        assert layout.shape.names == ("id", "payload")


@pytest.mark.parametrize("sample", [b'{"schema":', b'{"schema":{}}', b'{"schema":3,"payload":1}'])
def test_something_else_than_a_schema_is_refused(sample: bytes) -> None:
    with pytest.raises(TableError):
        parse_json_schema("json:0", sample)


def test_an_avro_schema_gives_the_same_columns_and_reads_as_on_the_wire() -> None:
    form, shape = split_value_schema(from_avro(AVRO))
    assert form == "envelope"
    price = shape.column("price")
    assert price is not None
    assert (price.type, price.parameters["scale"], price.optional) == ("bytes", "2", True)
    assert "logicalType" not in json.dumps(plain_avro(AVRO))


@pytest.mark.parametrize(
    ("kind", "default"),
    [("int", 7), ({"type": "int", "connect.default": 8}, 8), ("bytes", None), (["null", "int"], 7)],
)
def test_the_default_of_an_avro_field_is_that_of_its_column(kind: Any, default: Any) -> None:
    fields = [{"name": "n", "type": kind, "default": 7}]
    found = from_avro({"type": "record", "name": "row", "fields": fields})
    assert found.fields[0].default == default


def test_an_avro_union_of_two_types_is_refused() -> None:
    with pytest.raises(TableError, match="union of 2"):
        from_avro(["int", "string"])


def test_the_digest_distinguishes_schemas() -> None:
    narrow = split_value_schema(from_connect(SCHEMA))[1]
    wide_row = {**ROW, "fields": [{**ROW["fields"][0], "type": "int64"}, ROW["fields"][1]]}
    wide = split_value_schema(from_connect({**SCHEMA, "fields": [{**wide_row, "field": "after"},
                                                        *SCHEMA["fields"][2:]]}))[1]  # fmt: skip
    assert narrow.digest != wide.digest
    assert narrow.digest == split_value_schema(from_connect(SCHEMA))[1].digest


@pytest.mark.parametrize(
    ("key", "names"),
    [
        (b'{"id":1,"part":2}', ("id", "part")),
        (json.dumps({"schema": ROW, "payload": {"id": 1}}).encode(), ("id", "payload")),
        (None, ()),
        (b"7", ()),
        (b"not json", ()),
    ],
)
def test_the_key_names_columns(key: bytes | None, names: tuple[str, ...]) -> None:
    assert key_names(key) == names


@pytest.mark.parametrize(
    ("text", "kind", "semantic"),
    [
        ("tinyint", "int16", ""),
        ("INT UNSIGNED", "int64", ""),
        ("int(10) unsigned zerofill", "int64", ""),
        ("decimal(10,2)", "bytes", "Decimal"),
        ("datetime", "int64", "Timestamp"),
        ("datetime(6)", "int64", "MicroTimestamp"),
        ("time(3)", "int64", "MicroTime"),
        ("timestamp(6)", "string", "ZonedTimestamp"),
        ("bit(1)", "boolean", ""),
        ("bit(9)", "bytes", "Bits"),
        ("enum('a','b(c)')", "string", "Enum"),
        ("float(10,3)", "double", ""),
        ("float", "float", ""),
        ("varbinary(3)", "bytes", ""),
        ("geomcollection", "struct", "Geometry"),
        ("vector(3)", "array", "FloatVector"),
    ],
)
def test_a_mysql_type_becomes_the_connectors_schema(text: str, kind: str, semantic: str) -> None:
    column = column_of("c", text, Modes())
    assert (column.type, column.semantic.rpartition(".")[2]) == (kind, semantic)


@pytest.mark.parametrize(
    ("modes", "text", "kind"),
    [
        ({"time": "connect"}, "datetime(6)", "org.apache.kafka.connect.data.Timestamp"),
        ({"time": "isostring"}, "date", "io.debezium.time.IsoDate"),
        ({"time": "adaptive"}, "time(2)", "io.debezium.time.Time"),
        (
            {"bigint.unsigned": "precise"},
            "bigint unsigned",
            "org.apache.kafka.connect.data.Decimal",
        ),
    ],
)
def test_the_modes_of_the_connector_count(modes: dict[str, str], text: str, kind: str) -> None:
    assert column_of("c", text, Modes.model_validate(modes)).semantic == kind


@pytest.mark.parametrize(
    ("text", "flag"),
    [
        ("tinyint(1)", True),
        ("tinyint(4)", False),
        ("tinyint", False),
        ("tinyint(1) unsigned", False),
    ],
)
def test_tinyint_1_is_a_flag_if_configured(text: str, flag: bool) -> None:
    column = column_of("c", text, Modes())
    assert column_conversion(column, Types()).target == "smallint"
    types = Types(tinyint1="boolean")
    assert column_conversion(column, types).target == ("boolean" if flag else "smallint")


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(TableError, match="c: money is not a MySQL column type"):
        column_of("c", "money", Modes())


def test_a_column_is_dropped_until_it_is_added_again() -> None:
    def statement(ddl: str, *names: str) -> bytes:
        table = {"columns": [column(name, "INT") for name in names]}
        changes = [{"id": '"shop"."orders"', "table": table}]
        return json.dumps({"ddl": ddl, "tableChanges": changes}).encode()

    statements = [statement("ALTER TABLE orders DROP a, DROP b", "id"),
                  statement("ALTER TABLE orders ADD b INT", "id", "b")]  # fmt: skip
    lines: list[Message] = [(offset, value, None) for offset, value in enumerate(statements)]
    known = Definitions(parse(LEAST), lambda offset: lines[offset : offset + 1])
    for gone in ({"a", "b"}, {"a"}, {"a"}):
        known.refresh()
        found = known.versions("shop.orders")
        assert found is not None
        assert found.dropped == gone


def column(name: str, kind: str, length: int | None = None) -> dict[str, object]:
    return {"name": name, "typeName": kind, "length": length, "scale": None}


def test_the_schema_change_topic_defines_tables() -> None:
    table = {"primaryKeyColumnNames": ["id"], "columns": [column("id", "INT UNSIGNED"),
                                                          column("v", "VARCHAR", 20)]}  # fmt: skip
    change = {"type": "ALTER", "id": '"shop"."orders"', "table": table}
    value = {"ddl": "ALTER TABLE orders RENAME COLUMN w TO v", "tableChanges": [change]}
    dropped = {"ddl": "DROP TABLE x", "tableChanges": [{"type": "DROP", "id": "x", "table": None}]}
    messages = [json.dumps({"schema": {}, "payload": value}), json.dumps(dropped)]
    found, gone = parse_definitions(((m.encode(), None) for m in messages), Modes(), Ordering())
    assert (gone.table, gone.kind, gone.start) == ("x", "DROP", None)
    assert (found.table, found.keys, found.renamed) == ("shop.orders", ("id",), {"w": "v"})
    assert [c.type for c in found.shape.columns] == ["int64", "string"]
    assert table_name('"a""b"."c"') == 'a"b.c'


def test_layouts_learn_one_schema_after_the_other() -> None:
    layouts = MessageSchemas(lambda _: None, lambda _: json.dumps(AVRO))
    whole = {"schema": SCHEMA, "payload": {"after": None}}
    sample = json.dumps(whole, separators=(",", ":")).encode()
    renamed = sample.replace(b'"after":null', b'"after":{"id":1,"prise":2}')
    with pytest.raises(TableError, match="not the message's"):
        layouts.add_schema("t", NEW_SCHEMA, renamed)
    layouts.add_schema("t", NEW_SCHEMA, sample)
    layouts.add_schema("t", "avro:7", b"")
    assert not layouts.detect_form("t", [b"{", b"[]"])
    assert layouts.detect_form("t", [b"{", b'{"specversion":"1.0","data":{}}'])
    assert [mark for mark, _ in layouts.prefixes()["t"]] == ["json:0"]
    assert layouts.layout("t", "d.t", "avro:7").shape.names == ("id", "price")
    assert all(layouts.has_schema("t", mark) for mark in ("json:0", "avro:7", PLAIN, "none"))
    assert not layouts.has_schema("u", PLAIN)
    with pytest.raises(TableError, match="carry no schema"):
        layouts.layout("t", "d.t", PLAIN)


@pytest.mark.parametrize(("field", "found"), [("sequence", True), ("file", False)])
def test_only_some_avro_has_a_place_for_the_sequence(field: str, found: bool) -> None:
    block = {"type": "record", "name": "S", "fields": [{"name": field, "type": "string"}]}
    fields = [f | ({"type": block} if f["name"] == "source" else {}) for f in AVRO["fields"]]
    layouts = MessageSchemas(lambda _: None, lambda _: json.dumps({**AVRO, "fields": fields}))
    layouts.add_schema("t", "avro:7", b"")
    compact = json.dumps({"schema": SCHEMA, "payload": {}}, separators=(",", ":"))
    layouts.add_schema("t", NEW_SCHEMA, compact.encode())
    sequence = "__v.source.sequence"
    assert layouts.layout("t", "d.t", "avro:7").has(sequence) is found
    assert layouts.layout("t", "d.t", "json:1").has(sequence)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("int", "7", 7),
        ("int", "(uuid())", None),
        ("varchar(9)", "x", "x"),
        ("decimal(10,2)", "-1.00", "nA=="),
        ("date", "1970-01-03", 2),
        ("datetime", "1970-01-01 00:00:01", 1000),
        ("datetime(6)", "1969-12-31 23:59:59.999999", -1),
        ("timestamp", "1970-01-01 00:00:00", "1970-01-01T00:00:00Z"),
        ("bit(1)", "1", True),
        ("blob", "a", "YQ=="),
        ("int", None, None),
    ],
)
def test_a_default_of_ddl_becomes_a_value_of_the_wire(
    kind: str, text: str | None, value: object
) -> None:
    assert connect_default(column_of("c", kind, Modes()), text) == value
