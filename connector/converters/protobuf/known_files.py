"""The Protobuf files that schemas import, as registries keep them."""

from __future__ import annotations

from typing import Final

DECIMAL: Final = "confluent/type/decimal.proto"
DATE: Final = "google/type/date.proto"
TIME: Final = "google/type/timeofday.proto"
TIMESTAMP: Final = "google/protobuf/timestamp.proto"
WRAPPERS: Final = "google/protobuf/wrappers.proto"

# The wrappers of Connect's types, in the order of the file.
WRAPPER_TYPES: Final = {
    "DoubleValue": "double",
    "FloatValue": "float",
    "Int64Value": "int64",
    "UInt64Value": "uint64",
    "Int32Value": "int32",
    "UInt32Value": "uint32",
    "BoolValue": "bool",
    "StringValue": "string",
    "BytesValue": "bytes",
}


def _file(package: str, options: dict[str, str], *messages: tuple[str, tuple[str, ...]]) -> str:
    """Return the text as Confluent's Java class writes it from the compiled file.

    Of `google.protobuf` the compiled files hold the fields' names in JSON.
    """
    with_json_names = package == "google.protobuf"
    lines = ['syntax = "proto3";', f"package {package};", ""]
    lines += [f"option {name} = {value};" for name, value in options.items()]
    lines.append("")
    for name, fields in messages:
        members = [
            f"  {field} = {number}{_json_name(field) if with_json_names else ''};"
            for number, field in enumerate(fields, 1)
        ]
        lines += [f"message {name} {{", *members, "}"]
    return "\n".join(lines) + "\n"


def _json_name(field: str) -> str:
    return f' [json_name = "{field.rpartition(" ")[2]}"]'


def _well_known(name: str, outer: str) -> dict[str, str]:
    return {
        "java_package": '"com.google.protobuf"',
        "java_outer_classname": f'"{outer}"',
        "java_multiple_files": "true",
        "go_package": f'"google.golang.org/protobuf/types/known/{name}"',
        "cc_enable_arenas": "true",
        "objc_class_prefix": '"GPB"',
        "csharp_namespace": '"Google.Protobuf.WellKnownTypes"',
    }


def _common(name: str, outer: str) -> dict[str, str]:
    return {
        "java_package": '"com.google.type"',
        "java_outer_classname": f'"{outer}"',
        "java_multiple_files": "true",
        "go_package": f'"google.golang.org/genproto/googleapis/type/{name};{name}"',
        "cc_enable_arenas": "true",
        "objc_class_prefix": '"GTP"',
    }


FILES: Final = {
    DECIMAL: _file(
        "confluent.type",
        {
            "java_package": '"io.confluent.protobuf.type"',
            "java_outer_classname": '"DecimalProto"',
            "java_multiple_files": "true",
        },
        ("Decimal", ("bytes value", "uint32 precision", "int32 scale")),
    ),
    DATE: _file(
        "google.type",
        _common("date", "DateProto"),
        ("Date", ("int32 year", "int32 month", "int32 day")),
    ),
    TIME: _file(
        "google.type",
        _common("timeofday", "TimeOfDayProto"),
        ("TimeOfDay", ("int32 hours", "int32 minutes", "int32 seconds", "int32 nanos")),
    ),
    TIMESTAMP: _file(
        "google.protobuf",
        _well_known("timestamppb", "TimestampProto"),
        ("Timestamp", ("int64 seconds", "int32 nanos")),
    ),
    WRAPPERS: _file(
        "google.protobuf",
        _well_known("wrapperspb", "WrappersProto"),
        *((name, (f"{kind} value",)) for name, kind in WRAPPER_TYPES.items()),
    ),
}
