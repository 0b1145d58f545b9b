"""The bundled custom converters."""

from __future__ import annotations

from typing import Any

import pytest

from connector.capture.columns import ColumnCodec
from connector.capture.tables import Column, TableId
from connector.errors import StopError
from connector.mysql.custom_converters import custom_converters, faults
from connector.mysql.types.fields import DATE, TINY, VARCHAR, Wire
from connector.mysql.types.type_options import TypeOptions

TABLE = TableId("d", "t")
_EPOCH = "1970-01-01T00:00:00Z"
PACKAGE = "io.debezium.connector.binlog.converters."


def build_codec(
    name: str, column: Column, *, exact: bool = False, **settings: str
) -> ColumnCodec | None:
    own = {f"c.{key.replace('_', '.')}": value for key, value in settings.items()}
    config = {"converters": "c", "c.type": PACKAGE + name, **own}
    (converter,) = custom_converters(config, TypeOptions(exact=exact))
    return converter.codec(TABLE, column)


def codec_of(*arguments: Any, **settings: Any) -> ColumnCodec:
    codec = build_codec(*arguments, **settings)
    assert codec is not None
    return codec


def test_tinyint_of_one_digit_becomes_a_boolean() -> None:
    codec = codec_of(
        "TinyIntOneToBooleanConverter", Column("v", "TINYINT", 5, length=1, default="1")
    )
    assert (codec.schema.type, codec.schema.default) == ("boolean", True)
    text, log = codec.from_text.function(), codec.from_log(Wire(TINY)).convert.function()
    assert [text(b"1"), text(b"0"), text(b"-1"), log(1), log(-1)] == [
        True,
        False,
        False,
        True,
        False,
    ]


def test_a_negative_number_is_true_where_values_are_exact() -> None:
    column = Column("v", "TINYINT", 5, length=1)
    codec = codec_of("TinyIntOneToBooleanConverter", column, exact=True)
    assert codec.from_text.function()(b"-1") is True


def test_other_columns_stay_as_they_are() -> None:
    for column in (Column("v", "TINYINT", 5), Column("v", "INT", 4, length=1)):
        assert build_codec("TinyIntOneToBooleanConverter", column) is None
    column = Column("v", "TINYINT", 5, length=1)
    assert build_codec("TinyIntOneToBooleanConverter", column, selector=r"d\.t\.w") is None


def test_the_length_need_not_be_checked() -> None:
    codec = codec_of(
        "TinyIntOneToBooleanConverter", Column("v", "TINYINT", 5), length_checker="false"
    )
    assert codec.schema.type == "boolean"


def test_the_sink_gets_the_character_set() -> None:
    column = Column("v", "VARCHAR", 12, charset="latin1", optional=False)
    codec = codec_of("JdbcSinkDataTypesConverter", column, selector_string=".*")
    assert codec.schema.parameters == {"__debezium.source.column.character_set": "latin1"}
    assert codec.from_log(Wire(VARCHAR, 10)).convert.function()("ü".encode()) == "ü"
    assert codec.absent == ""


def test_the_sink_gets_numbers() -> None:
    column = Column("v", "TINYINT", 5)
    codec = codec_of("JdbcSinkDataTypesConverter", column, selector_boolean=".*")
    assert (codec.schema.type, codec.from_text.function()(b"5")) == ("int16", 1)
    column = Column("v", "REAL", 8)
    codec = codec_of(
        "JdbcSinkDataTypesConverter", column, selector_real=".*", treat_real_as_double="false"
    )
    assert (codec.schema.type, codec.from_text.function()(b"1.5")) == ("float32", 1.5)


@pytest.mark.parametrize(
    ("selects", "kind"),
    [("boolean", "DATE"), ("real", "VARCHAR"), ("string", "INT UNSIGNED"), ("string", "BIT")],
)
def test_a_selector_for_the_sink_names_columns_of_its_kind_only(selects: str, kind: str) -> None:
    column = Column("v", kind, 1, length=9)
    setting = {f"selector_{selects}": ".*"}
    with pytest.raises(StopError, match=rf"selector\.{selects} names column .*v, which is {kind}"):
        codec_of("JdbcSinkDataTypesConverter", column, **setting)


@pytest.mark.parametrize(
    ("kind", "jdbc", "key", "text", "value"),
    [
        ("DATE", 91, "fallback_date", "1970-01-02", 1),
        ("DATETIME", 93, "fallback_datetime", "1970-01-01 00:00:01", 1000),
        (
            "TIMESTAMP",
            2014,
            "fallback_timestamp",
            "1970-01-01T01:00:00+01:00",
            "1970-01-01T00:00:00Z",
        ),
    ],
)
def test_a_zero_date_becomes_the_fallback(
    kind: str, jdbc: int, key: str, text: str, value: object
) -> None:
    column = Column("v", kind, jdbc, optional=False)
    codec = codec_of("ZeroDateFallbackConverter", column, **{key: text})
    assert (
        codec.from_text.function()(b"0000-00-00 00:00:00"[: 10 if kind == "DATE" else None])
        == value
    )
    assert codec.absent == value
    assert not codec.schema.optional
    assert codec_of("ZeroDateFallbackConverter", column).schema.optional


def test_a_column_can_have_a_fallback_of_its_own() -> None:
    settings = {
        "converters": "c",
        "c.type": PACKAGE + "ZeroDateFallbackConverter",
        "c.fallback.date": "1970-01-02",
        "c.column.d.t.v.fallback": "1970-01-03",
    }
    (converter,) = custom_converters(settings, TypeOptions())
    codec = converter.codec(TABLE, Column("v", "DATE", 91))
    assert codec is not None
    assert codec.from_log(Wire(DATE)).convert.function()(b"\0\0\0") == 2


@pytest.mark.parametrize(
    ("config", "named"),
    [
        ({"converters": "c"}, "c.type"),
        ({"converters": "c", "c.type": "com.example.None"}, "com.example.None"),
        (
            {
                "converters": "c",
                "c.type": PACKAGE + "ZeroDateFallbackConverter",
                "c.fallback.date": "yesterday",
            },
            "fallback.date",
        ),
    ],
)
def test_faults_name_what_is_wrong(config: dict[str, str], named: str) -> None:
    assert named in faults(config)["converters"]
