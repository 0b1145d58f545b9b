"""Files that a registry holds: whether messages of one are messages of another."""

from __future__ import annotations

import pytest

from connector.converters.protobuf.parser import UnreadableFileError, parse_file
from connector.converters.protobuf.registered import message_index, same_messages
from connector.converters.protobuf.schemas import ProtobufDialect, proto_file
from connector.data.schema import INT32, INT64, OPTIONAL_STRING, STRING, array, map_of, struct
from connector.data.semantic import CONNECT_TIMESTAMP, decimal

_INNER = struct("a.I", ("x", INT64))
_ROW = struct(
    "a.b.V",
    ("id", INT32),
    ("name", OPTIONAL_STRING),
    ("list", array(_INNER)),
    ("pairs", map_of(STRING, INT32).with_changes(name="pairs")),
    ("price", decimal(2, 6)),
    ("at", CONNECT_TIMESTAMP),
)
_OWN = proto_file(_ROW, ProtobufDialect()).text
_NORMALIZED = """
syntax = "proto3"; /* a "comment" { */
package a.b;
// message W {
import public "x.proto";
option java_package = "a;b}";
option (my.option) = { a: [1, 2] };
enum E { A = 0; B = -1; }
message Other { oneof o { int32 a = 1; } reserved 2, 4 to max; map<string, Other> m = 3; }
message V {
  option deprecated = true;
  .a.b.V.I first = 9 [deprecated = true, (x).y = "];"];
  int32 id = 1;
  string name = 2;
  repeated .a.b.V.I list = 3;
  map<string, int32> pairs = 4;
  .confluent.type.Decimal price = 5 [(confluent.field_meta) = { params: [ { key: "a" } ] }];
  google.protobuf.Timestamp at = 6;
  message I { int64 x = 1; E more = 2; }
  enum E { C = 0; }
}
service S { rpc F (V) returns (stream V); }
"""


def test_a_file_has_its_own_messages() -> None:
    assert same_messages(_OWN, _OWN, {})
    assert message_index(_OWN, "a.b.V") == 0


def test_a_file_that_is_written_in_another_way() -> None:
    assert same_messages(_NORMALIZED, _OWN, {})
    assert message_index(_NORMALIZED, "a.b.V") == 1
    assert not same_messages(_OWN, _NORMALIZED, {})


@pytest.mark.parametrize(
    ("part", "other"),
    [
        ("proto3", "proto2"),
        ("package a.b;", "package a;"),
        ("package a.b;", ""),
        ("message V {", "message W {"),
        ("int32 id = 1", "int64 id = 1"),
        ("int32 id = 1", "int32 id = 11"),
        ("int32 id = 1", "int32 number = 1"),
        ("int32 id = 1", "optional int32 id = 1"),
        ("int32 id = 1;", "oneof o { int32 id = 1; }"),
        ("repeated .a.b.V.I list", ".a.b.V.I list"),
        ("int64 x = 1", "sint64 x = 1"),
        ("map<string, int32>", "map<string, int64>"),
        (".confluent.type.Decimal", ".google.type.Decimal"),
        ("google.protobuf.Timestamp at", "I at"),
        ("service S {", "service S { {"),
        ("int64 x = 1", "group x = 1"),
        ("int64 x = 1", "int64 x = y"),
        ("int64 x = 1", "int64 x"),
    ],
)
def test_a_file_with_other_messages(part: str, other: str) -> None:
    assert part in _NORMALIZED
    assert not same_messages(_NORMALIZED.replace(part, other), _OWN, {})


def test_types_are_found_from_the_inside_out() -> None:
    text = (
        'syntax = "proto3"; message V { I i = 1; message I { %s x = 1; } } message I { V v = 2; }'
    )
    own = 'syntax = "proto3"; message V { I i = 1; message I { int32 x = 1; } }'
    assert same_messages(text % "int32", own, {})
    assert not same_messages(text % "I", own, {})


@pytest.mark.parametrize("text", ['"open', "message V {", "message V { int32 a }", "package"])
def test_what_is_no_file(text: str) -> None:
    with pytest.raises(UnreadableFileError):
        parse_file(text)
