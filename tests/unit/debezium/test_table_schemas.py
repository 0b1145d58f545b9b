"""From a table's definition to the shape of its events."""

from __future__ import annotations

import logging

import pytest

from connector.capture.columns import ColumnCodec
from connector.capture.selection import selection
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import Column, Table, TableId
from connector.codegen import Expression
from connector.data.schema import INT32, STRING, Field, struct
from connector.debezium.table_schemas import TableSchemas, key_columns
from connector.errors import ConfigError
from tests.fixtures.random_changes import NAMING, SOURCE, codec_for

MEMBERS = (Field("id", INT32), Field("name", STRING), Field("note", STRING.as_optional()))


def _names(codec: TableEventSchema) -> tuple[list[str], list[str] | None]:
    key = codec.key_schema
    return (
        [field.name for field in codec.value_schema.fields],
        None if key is None else [field.name for field in key.fields],
    )


def test_names_and_versions_of_the_schemas() -> None:
    codec = codec_for(MEMBERS, ("id",))
    assert codec.topic == "srv.shop.orders"
    assert codec.key_schema is not None
    assert (codec.key_schema.name, codec.key_schema.optional) == ("srv.shop.orders.Key", False)
    value = codec.value_schema
    assert (value.name, value.version, value.optional) == ("srv.shop.orders.Value", None, True)
    envelope = codec.envelope_schema
    assert (envelope.name, envelope.version, envelope.optional) == (
        "srv.shop.orders.Envelope",
        2,
        False,
    )
    fields = "before after source transaction op ts_ms ts_us ts_ns"
    assert [field.name for field in envelope.fields] == fields.split()
    assert envelope.fields[0].schema is envelope.fields[1].schema is value


@pytest.mark.parametrize(
    ("primary", "setting", "key"),
    [
        (("id",), None, ["id"]),
        (("NAME", "id"), None, ["name", "id"]),
        ((), None, None),
        (("id",), "shop.orders:name", ["name"]),
        (("id",), "(.*).orders:note,name", ["note", "name"]),
        (("id",), "x.y:name; SHOP.ORDERS:Name", ["name"]),
        (("id",), "x.y:name", ["id"]),
        ((), "shop.*:missing", None),
        (("id",), "shop.orders:n.*;.*:name,id", ["name", "note", "id"]),
    ],
)
def test_the_key_is_the_primary_key_or_what_the_configuration_says(
    primary: tuple[str, ...], setting: str | None, key: list[str] | None
) -> None:
    assert _names(codec_for(MEMBERS, primary, key_setting=setting))[1] == key


@pytest.mark.parametrize("setting", ["shop.orders", "shop.orders:", ":id", "a:b;shop.orders"])
def test_a_key_setting_of_another_form_is_refused(setting: str) -> None:
    with pytest.raises(ConfigError, match=r"message\.key\.columns"):
        key_columns(setting)


def test_an_excluded_column_stays_in_the_key() -> None:
    codec = codec_for(MEMBERS, ("id",), hidden="shop.orders.id")
    assert _names(codec) == (["name", "note"], ["id"])
    row = ("a", None, 7)  # the value's fields, then what only the key needs
    assert codec.value_struct(row) == {"name": "a", "note": None}
    assert codec.key_struct(row) == {"id": 7}


def test_a_column_of_an_unknown_type_is_left_out_with_a_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    schemas = TableSchemas(
        NAMING,
        SOURCE,
        selection({}),
        lambda _, column: (
            None if column.type_name == "SPHERE" else ColumnCodec(column, INT32, Expression(), None)
        ),
        key_columns(None),
    )
    columns = (Column("a", "INT", 4), Column("b", "SPHERE", 1111))
    with caplog.at_level(logging.WARNING):
        codec = schemas.of(Table(TableId("d", "t"), columns, ("b", "a")))
    assert _names(codec) == (["a"], ["a"])
    assert "Column b of table d.t has a type that cannot be captured (SPHERE)" in caplog.text


def test_a_version_of_a_table_is_built_once() -> None:
    built: list[str] = []

    def codec_of(table: TableId, column: Column) -> ColumnCodec:
        built.append(f"{table}.{column.name}")
        return ColumnCodec(column, INT32, Expression(), None)

    schemas = TableSchemas(NAMING, SOURCE, selection({}), codec_of, key_columns(None))
    first = Table(TableId("d", "t"), (Column("a", "INT", 4),))
    codec = schemas.of(first)
    assert schemas.of(first) is codec
    assert built == ["d.t.a"]
    second = first.with_changes(columns=(*first.columns, Column("b", "INT", 4)))
    assert schemas.of(second) is not codec
    assert built == ["d.t.a", "d.t.a", "d.t.b"]


def test_the_source_block_is_one_schema_for_all_tables() -> None:
    envelopes = [codec_for(MEMBERS, table=TableId("d", name)).envelope_schema for name in "ab"]
    assert {id(envelope.fields[2].schema) for envelope in envelopes} == {id(SOURCE)}
    assert not struct("x").same_as(SOURCE)
