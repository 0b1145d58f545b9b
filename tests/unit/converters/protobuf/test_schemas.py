"""Protobuf files of Connect schemas: the text that Confluent's converter registers."""

from __future__ import annotations

from textwrap import dedent

import pytest

from connector.converters.protobuf.known_files import DATE, FILES, TIMESTAMP
from connector.converters.protobuf.schemas import ProtobufDialect, proto_file
from connector.data.schema import (
    BOOLEAN,
    BYTES,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INT64,
    OPTIONAL_STRING,
    STRING,
    Schema,
    array,
    map_of,
    struct,
)
from connector.data.semantic import (
    CONNECT_DATE,
    CONNECT_TIME,
    CONNECT_TIMESTAMP,
    JSON,
    POINT,
    decimal,
)
from connector.errors import ConversionError
from tests.fixtures.protobuf_files import message_class

_ROW = struct("server.shop.t.Value", ("id", INT32), ("note", OPTIONAL_STRING)).as_optional()


def _text(schema: Schema, **dialect: bool) -> str:
    """Return the text of a schema; Protobuf's compiler reads it, too."""
    file = proto_file(schema, ProtobufDialect(**dialect))
    message_class(file.text, file.name)
    return file.text


def test_an_envelope_holds_its_messages() -> None:
    source = struct("io.debezium.connector.mysql.Source", ("version", STRING))
    envelope = struct(
        "server.shop.t.Envelope", ("before", _ROW), ("after", _ROW), ("source", source)
    )
    assert _text(envelope) == dedent("""\
        syntax = "proto3";
        package server.shop.t;

        message Envelope {
          Value before = 1;
          Value after = 2;
          Source source = 3;

          message Value {
            int32 id = 1;
            string note = 2;
          }
          message Source {
            string version = 1;
          }
        }
        """)


def test_types_and_what_they_say_of_connect() -> None:
    row = struct(
        "Value",
        ("tiny", INT8),
        ("small", INT16.as_optional()),
        ("price", decimal(2, 6)),
        ("free", decimal(0)),
        ("day", CONNECT_DATE),
        ("time", CONNECT_TIME),
        ("at", CONNECT_TIMESTAMP.as_optional()),
        ("json", JSON),
        ("flag", BOOLEAN.with_changes(default=True)),
        ("double", FLOAT64),
        ("data", BYTES),
    )
    meta = " [(confluent.field_meta) = {\n    params: [\n      {\n        %s,\n        %s\n      }"
    end = "\n    ]\n  }];"
    tiny = meta % ('key: "connect.type"', 'value: "int8"') + end
    small = meta % ('key: "connect.type"', 'value: "int16"') + end
    both = meta % ('value: "6"', 'key: "precision"')
    both += ',\n      {\n        value: "2",\n        key: "scale"\n      }' + end
    zero = meta % ('value: "0"', 'key: "scale"') + end
    assert _text(row) == (
        'syntax = "proto3";\n\n'
        'import "confluent/type/decimal.proto";\n'
        'import "google/type/date.proto";\n'
        'import "google/type/timeofday.proto";\n'
        'import "google/protobuf/timestamp.proto";\n\n'
        "message Value {\n"
        f"  int32 tiny = 1{tiny}\n"
        f"  int32 small = 2{small}\n"
        f"  confluent.type.Decimal price = 3{both}\n"
        f"  confluent.type.Decimal free = 4{zero}\n"
        "  google.type.Date day = 5;\n"
        "  google.type.TimeOfDay time = 6;\n"
        "  google.protobuf.Timestamp at = 7;\n"
        "  string json = 8;\n"
        "  bool flag = 9;\n"
        "  double double = 10;\n"
        "  bytes data = 11;\n"
        "}\n"
    )


def test_lists_maps_and_messages_in_messages() -> None:
    pairs = map_of(STRING, map_of(INT32.as_optional(), STRING))
    named = map_of(STRING, INT64).with_changes(name="shop.all_counts")
    row = struct(
        "Value",
        ("list", array(INT32, optional=True)),
        ("spots", array(struct("a.Spot", ("x", INT32)))),
        ("Point", POINT),
        ("pairs", pairs),
        ("named", named),
    )
    assert _text(row, optional=True).splitlines()[2:] == [
        "message Value {",
        "  repeated int32 list = 1;",
        "  repeated Spot spots = 2;",
        "  PointMessage Point = 3;",
        "  repeated ConnectDefault1Entry pairs = 4;",
        "  repeated AllCountsEntry named = 5;",
        "",
        "  message Spot {",
        "    int32 x = 1;",
        "  }",
        "  message PointMessage {",
        *_POINT,
        "  }",
        "  message ConnectDefault1Entry {",
        "    string key = 1;",
        "    repeated ConnectDefault2Entry value = 2;",
        "  ",
        "    message ConnectDefault2Entry {",
        "      int32 key = 1;",
        "      string value = 2;",
        "    }",
        "  }",
        "  message AllCountsEntry {",
        "    string key = 1;",
        "    int64 value = 2;",
        "  }",
        "}",
    ]


_POINT = [
    "    double x = 1;",
    "    double y = 2;",
    "    optional bytes wkb = 3;",
    "    optional int32 srid = 4;",
]


def test_values_that_allow_null() -> None:
    row = struct(
        "Value",
        ("id", INT32),
        ("a", INT64.as_optional()),
        ("b", decimal(0).as_optional()),
        ("c", array(OPTIONAL_STRING)),
        ("d", map_of(STRING, OPTIONAL_STRING)),
    )
    lines = _text(row, wrappers=True).splitlines()
    assert 'import "google/protobuf/wrappers.proto";' in lines
    assert "  google.protobuf.Int64Value a = 2;" in lines
    assert "  confluent.type.Decimal b = 3 [(confluent.field_meta) = {" in lines
    assert "  repeated google.protobuf.StringValue c = 4;" in lines
    assert "    google.protobuf.StringValue value = 2;" in lines
    assert (
        "  optional google.protobuf.Int64Value a = 2;"
        in _text(row, wrappers=True, optional=True).splitlines()
    )


def test_schemas_without_a_name_are_counted() -> None:
    inner = struct(None, ("x", struct(None, ("y", INT32))))
    file = proto_file(struct(None, ("a", inner), ("b", inner)), ProtobufDialect())
    assert file.name == "ConnectDefault1"
    assert [line.strip() for line in file.text.splitlines() if "message" in line] == [
        "message ConnectDefault1 {",
        "message ConnectDefault2 {",
        "message ConnectDefault3 {",
        "message ConnectDefault4 {",
        "message ConnectDefault5 {",
    ]
    named = struct("I", ("x", struct(None, ("y", INT32))))
    twice = proto_file(
        struct("V", ("a", named), ("b", named), ("c", inner)), ProtobufDialect()
    ).text
    assert [line.strip() for line in twice.splitlines() if "message Connect" in line] == [
        "message ConnectDefault1 {",
        "message ConnectDefault2 {",
        "message ConnectDefault3 {",
    ]


def test_a_message_without_fields() -> None:
    assert _text(struct("V")) == 'syntax = "proto3";\n\nmessage V {}\n'


@pytest.mark.parametrize(
    ("schema", "name"),
    [(INT8, "Int32Value"), (INT64, "Int64Value"), (STRING, "StringValue"), (BOOLEAN, "BoolValue")],
)
def test_a_single_value_is_a_wrapper(schema: Schema, name: str) -> None:
    file = proto_file(schema.as_optional(), ProtobufDialect())
    assert file.name == f"google.protobuf.{name}"
    assert f"\nmessage {name} {{\n" in file.text
    assert not file.imports


def test_names_that_are_scrubbed() -> None:
    row = struct(
        "my-server.ö.1st.Value_", ("a b", INT32), ("_c", INT32), ("1", INT32), ("ä~", INT32)
    )
    assert _text(row, scrub=True).splitlines() == [
        'syntax = "proto3";',
        "package my_server._C3_B6.x1st;",
        "",
        "message Value_ {",
        "  int32 a_b = 1;",
        "  int32 x_c = 2;",
        "  int32 x1 = 3;",
        "  int32 _C3_A4_7E = 4;",
        "}",
    ]


def test_a_package_hides_no_type() -> None:
    at = [("at", CONNECT_TIMESTAMP), ("price", decimal(2))]
    assert "  google.protobuf.Timestamp at = 1;" in _text(struct("google.Value", *at))
    hidden = _text(struct("server.google.t.Value", *at))
    assert "  .google.protobuf.Timestamp at = 1;" in hidden
    assert "  confluent.type.Decimal price = 2 [" in hidden
    message = proto_file(struct("google", *at), ProtobufDialect()).text
    assert "  .google.protobuf.Timestamp at = 1;" in message


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        (struct("V", ("a b", INT32)), "name 'a b' is illegal"),
        (struct("V", ("1a", INT32)), "name '1a' is illegal"),
        (struct("ä.V", ("a", INT32)), "package 'ä' is illegal"),
        (struct("a..V", ("a", INT32)), "package 'a.' is illegal"),
        (struct("a.1V", ("a", INT32)), "name '1V' is illegal"),
        (struct("V", ("a", array(array(INT32)))), "no array in an array"),
        (struct("V", ("a", array(map_of(STRING, INT32)))), "no map in an array"),
        (struct("V", ("Point", INT32), ("p", POINT)), "two members of the name Point"),
        (struct("V", ("a", struct("x.I")), ("b", struct("y.I", ("c", INT32)))), "two different"),
        (struct("V", ("a", struct("x.V", ("c", INT32)))), "two different"),
        (array(INT32), "type array cannot"),
        (decimal(2), "Decimal cannot"),
        (CONNECT_DATE, "Date cannot"),
        (struct("V", ("a", struct("io.confluent.connect.protobuf.Union.x"))), "Unions"),
        (struct("V", ("a", STRING.with_changes(parameters={
            "org.apache.kafka.connect.data.Enum": "x"}))), "enumerations"),
    ],
)  # fmt: skip
def test_what_protobuf_cannot_describe(schema: Schema, reason: str) -> None:
    with pytest.raises(ConversionError, match=reason):
        proto_file(schema, ProtobufDialect())


def test_scrubbed_names_that_become_one() -> None:
    with pytest.raises(ConversionError, match="two members of the name a_b"):
        proto_file(struct("V", ("a b", INT32), ("a-b", INT32)), ProtobufDialect(scrub=True))


def test_files_of_google_hold_the_names_of_fields_in_json() -> None:
    assert '  int64 seconds = 1 [json_name = "seconds"];' in FILES[TIMESTAMP].splitlines()
    whole = proto_file(INT32, ProtobufDialect()).text.splitlines()
    assert '  int32 value = 1 [json_name = "value"];' in whole
    assert "  int32 year = 1;" in FILES[DATE].splitlines()
