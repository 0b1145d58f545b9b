"""Every type of the connector, in every mode, becomes the right Spark type and value."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest

from tests.fixtures.sink.recorded import MakeSink, Topic, field, frame, rows

DECIMAL = "org.apache.kafka.connect.data.Decimal"


def number(value: int) -> str:
    import base64  # noqa: PLC0415 - for one line

    size = max(1, (value.bit_length() + 8) // 8)
    return base64.b64encode(value.to_bytes(size, "big", signed=True)).decode()


def decimal(name: str, precision: int, scale: int) -> dict[str, Any]:
    parameters = {"scale": str(scale), "connect.decimal.precision": str(precision)}
    return field(name, "bytes", DECIMAL, parameters=parameters)


UNSIGNED = {"__debezium.source.column.type": "BIGINT UNSIGNED"}
LENGTH = "__debezium.source.column.length"
FLAG = {"__debezium.source.column.type": "TINYINT", LENGTH: "1"}
# Column, its Spark type, and pairs of what is in the message and what is in the table.
CASES: list[tuple[dict[str, Any], str, Any, Any]] = [
    (field("i8", "int16"), "smallint", -32768, -32768),
    (field("i32", "int32"), "int", 2147483647, 2147483647),
    (field("i64", "int64"), "bigint", -(2**63), -(2**63)),
    (field("u64", "int64", parameters=UNSIGNED), "decimal(20,0)", -1, Decimal(2**64 - 1)),
    (field("flag", "boolean"), "boolean", True, True),
    (field("f32", "float"), "float", 1.2345679, 1.2345678806304932),
    (field("f64", "double"), "double", 1e300, 1e300),
    (field("text", "string"), "string", 'a"ü\n\\', 'a"ü\n\\'),
    (field("blob", "bytes"), "binary", "AAH/", bytearray(b"\x00\x01\xff")),
    (decimal("d5", 5, 2), "decimal(5,2)", number(-12345), Decimal("-123.45")),
    (decimal("d18", 18, 0), "decimal(18,0)", number(10**18 - 1), Decimal(10**18 - 1)),
    (decimal("d18n", 18, 18), "decimal(18,18)", number(-1), Decimal("-1e-18")),
    (decimal("d38", 38, 10), "decimal(38,10)", number(10**38 - 1),
     Decimal(f"{'9' * 28}.{'9' * 10}")),
    (decimal("d38n", 38, 10), "decimal(38,10)", number(1 - 10**38),
     Decimal(f"-{'9' * 28}.{'9' * 10}")),
    (decimal("d30", 30, 2), "decimal(30,2)", number(-(2**64)), Decimal(-(2**64)).scaleb(-2)),
    (decimal("d65", 65, 2), "string", number(1 - 10**65), f"-{'9' * 63}.99"),
    (field("day", "int32", "io.debezium.time.Date"), "date", -1, date(1969, 12, 31)),
    (field("cday", "int32", "org.apache.kafka.connect.data.Date"), "date", 19000,
     date(2022, 1, 8)),
    (field("dt3", "int64", "io.debezium.time.Timestamp"), "timestamp_ntz", 1_700_000_000_123,
     datetime.fromisoformat("2023-11-14T22:13:20.123")),
    (field("dt6", "int64", "io.debezium.time.MicroTimestamp"), "timestamp_ntz", -1,
     datetime.fromisoformat("1969-12-31T23:59:59.999999")),
    (field("dt9", "int64", "io.debezium.time.NanoTimestamp"), "timestamp_ntz", -1,
     datetime.fromisoformat("1969-12-31T23:59:59.999999")),
    (field("ts", "string", "io.debezium.time.ZonedTimestamp"), "timestamp",
     "2024-02-29T12:34:56.5+02:00", "2024-02-29 10:34:56.5"),
    (field("time", "int64", "io.debezium.time.MicroTime"), "string", -3020399000000,
     "-838:59:59"),
    (field("timef", "int64", "io.debezium.time.MicroTime"), "string", 3723000001,
     "01:02:03.000001"),
    (field("time3", "int32", "io.debezium.time.Time"), "string", 1500, "00:00:01.500000"),
    (field("time9", "int64", "io.debezium.time.NanoTime"), "string", 1000, "00:00:00.000001"),
    (field("isod", "string", "io.debezium.time.IsoDate"), "date", "2024-02-29Z",
     date(2024, 2, 29)),
    (field("isodt", "string", "io.debezium.time.IsoTimestamp"), "timestamp_ntz",
     "2024-02-29T12:34:56Z", datetime.fromisoformat("2024-02-29T12:34:56")),
    (field("isot", "string", "io.debezium.time.IsoTime"), "string", "12:34:56Z", "12:34:56Z"),
    (field("year", "int32", "io.debezium.time.Year"), "int", 2024, 2024),
    (field("json", "string", "io.debezium.data.Json"), "string", '{"a":1}', '{"a":1}'),
    (field("enum", "string", "io.debezium.data.Enum"), "string", "x", "x"),
    (field("set", "string", "io.debezium.data.EnumSet"), "string", "a,b", "a,b"),
    (field("bits", "bytes", "io.debezium.data.Bits", parameters={"length": "16"}), "binary",
     "D6o=", bytearray(b"\x0f\xaa")),
    ({**field("geo", "struct", "io.debezium.data.geometry.Point"),
      "fields": [field("x", "double"), field("y", "double"), field("wkb", "bytes"),
                 field("srid", "int32")]},
     "struct<wkb:binary,srid:int>", {"x": 1, "y": 2, "wkb": "AQ==", "srid": 4326},
     (bytearray(b"\x01"), 4326)),
    ({**field("vec", "array", "io.debezium.data.FloatVector"),
      "items": {"type": "float", "optional": False}}, "array<float>", [1.5, -2], [1.5, -2.0]),
]  # fmt: skip
NAMES = [case[0]["field"] for case in CASES]

OTHER_CASES: list[tuple[dict[str, Any], str, Any, Any]] = [
    (field("u64", "int64", parameters=UNSIGNED), "bigint", -1, -1),
    (field("dt3", "int64", "io.debezium.time.Timestamp"), "timestamp", 1_700_000_000_123,
     "2023-11-14 22:13:20.123"),
    (field("time", "int64", "io.debezium.time.MicroTime"), "bigint", -1, -1),
    (field("set", "string", "io.debezium.data.EnumSet"), "array<string>", "a,b", ["a", "b"]),
    (field("empty", "string", "io.debezium.data.EnumSet"), "array<string>", "", []),
    (field("bits", "bytes", "io.debezium.data.Bits", parameters={"length": "16"}), "bigint",
     "D6o=", 0xAA0F),
    ({**field("geo", "struct", "io.debezium.data.geometry.Geometry"),
      "fields": [field("wkb", "bytes"), field("srid", "int32")]}, "binary",
     {"wkb": "AQ==", "srid": None}, bytearray(b"\x01")),
    (field("yes", "int16", parameters=FLAG), "boolean", 2, True),
    (field("no", "int16", parameters=FLAG), "boolean", 0, False),
    (field("tiny", "int16", parameters={**FLAG, LENGTH: "4"}), "smallint", 2, 2),
    (decimal("d65", 65, 2), "double", number(1 - 10**65), -1e63),
    (decimal("d38", 38, 10), "decimal(38,10)", number(1), Decimal("1e-10")),
]  # fmt: skip


@pytest.fixture(params=[pytest.param("UTC", marks=pytest.mark.slow), "America/New_York"])
def zone(request: pytest.FixtureRequest, spark: Any) -> str:
    """The zone that the cluster has before the sink begins."""
    spark.conf.set("spark.sql.session.timeZone", request.param)
    return str(request.param)


def values(sink: Any, names: list[str], which: str = "true") -> dict[Any, dict[str, Any]]:
    """Return the rows by id; instants as text in UTC, whatever this process's zone is."""
    table = sink.lake.table("shop__orders")
    kinds = table.columns()
    texts = [f"CAST(`{n}` AS STRING) AS `{n}`" if kinds[n] == "timestamp" else f"`{n}`"
             for n in names]  # fmt: skip
    found = table.read().where(which).selectExpr("id", *texts)
    return {row["id"]: row.asDict() for row in found.collect()}


def check(sink: Any, spark: Any, cases: list[tuple[dict[str, Any], str, Any, Any]]) -> None:
    names = [case[0]["field"] for case in cases]
    topic = Topic(columns=[field("id", "int32"), *(case[0] for case in cases)])
    full = {"id": 1, **{case[0]["field"]: case[2] for case in cases}}
    empty = {"id": 2, **dict.fromkeys(names)}
    messages = [topic.change("c", 100, None, full), topic.change("c", 200, None, empty)]
    sink.batches.apply(frame(spark, messages), "app", 0)
    kinds = sink.lake.table("shop__orders").columns()
    assert {name: kinds[name] for name in names} == {c[0]["field"]: c[1] for c in cases}
    found = values(sink, names)
    assert {n: _plain(v) for n, v in found[1].items() if n != "id"} == {
        c[0]["field"]: c[3] for c in cases
    }
    assert set(found[2].values()) == {2, None}


def check_versions(
    sink: Any, spark: Any, cases: list[tuple[dict[str, Any], str, Any, Any]]
) -> None:
    """A version that ends is written once more, with the values that it had."""
    check(sink, spark, cases)
    topic = Topic(columns=[field("id", "int32"), *(case[0] for case in cases)])
    names = [case[0]["field"] for case in cases]
    later = [topic.change("u", 300, None, {"id": n, **dict.fromkeys(names)}) for n in (1, 2)]
    sink.batches.apply(frame(spark, later), "app", 1)
    ended = values(sink, names, "NOT __current")
    assert {n: _plain(v) for n, v in ended[1].items()} == {
        "id": 1,
        **{c[0]["field"]: c[3] for c in cases},
    }
    assert set(values(sink, names, "__current")[1].values()) == {1, None}


def _plain(value: Any) -> Any:
    return tuple(value) if hasattr(value, "asDict") else value


def test_types_and_values_do_not_depend_on_the_zone(zone: str, sink: MakeSink, spark: Any) -> None:
    check(sink(), spark, CASES)


@pytest.mark.slow
def test_iceberg_holds_the_same_values(sink: MakeSink, spark: Any) -> None:
    as_int = {"tinyint": "int", "smallint": "int"}
    cases = [(column, as_int.get(kind, kind), *more) for column, kind, *more in CASES]
    check(sink(target={"format": "iceberg"}), spark, cases)


def test_the_other_choices(sink: MakeSink, spark: Any) -> None:
    other = {"unsigned.bigint": "bigint", "datetime": "timestamp", "time": "micros",
             "set": "array", "bits": "long", "geometry": "wkb", "tinyint1": "boolean",
             "decimal.max": "decimal38_else_double"}  # fmt: skip
    check(sink(types=other), spark, OTHER_CASES)


def test_what_does_not_fit_is_a_dead_letter_with_the_reason(sink: MakeSink, spark: Any) -> None:
    made = sink(types={"decimal.max": "decimal38"})
    topic = Topic(columns=[field("id", "int32"), decimal("d", 5, 2), decimal("big", 60, 2),
                           field("ts", "string", "io.debezium.time.ZonedTimestamp")])  # fmt: skip
    good = {"id": 1, "d": number(1), "ts": None, "big": number(10**38 - 1)}
    messages = [
        topic.change("c", 100, None, good),
        topic.change("c", 110, None, {**good, "id": 2, "d": number(100000)}),
        topic.change("c", 120, None, {**good, "id": 3, "ts": "yesterday"}),
        topic.change("c", 130, None, {**good, "id": 4, "d": 7}),
        topic.change("x", 140, None, good),
        topic.change("c", 150, None, {**good, "id": None}),
        topic.change("c", 1 << 41, None, good),
        topic.change("c", 160, None, good, file="strange"),
        topic.message({"id": 9}, b"\x07garbage"),
        topic.message({"id": 9}, None),
        topic.change("c", 170, None, {**good, "id": 5, "big": number(10**38)}),
    ]
    for _ in range(2):  # a batch that is repeated adds no letters
        made.batches.apply(frame(spark, messages), "app", 0)
    assert rows(made, "shop__orders", "id") == [(1,)]
    letters = dict(rows(made, "_cdc/dead_letter", "offset", "reason"))
    unfit = "a value does not fit its type"
    assert letters == {2: unfit, 3: unfit, 4: "not readable", 5: "unknown operation",
                       6: "no key", 7: "no binlog position", 8: "no binlog position",
                       9: "neither JSON nor Avro", 11: unfit}  # fmt: skip


def test_unsigned_numbers_are_known_from_the_definition_of_the_table(
    sink: MakeSink, spark: Any
) -> None:
    """Schemas of messages name them only if the connector propagates source types."""
    types = {"id": "int", "n": "bigint unsigned"}
    made = sink(tables=[{"match": r"shop\.orders", "columns": {"types": types}}])
    topic = Topic(columns=[field("id", "int32"), field("n", "int64")])
    made.batches.apply(frame(spark, [topic.change("c", 100, None, {"id": 1, "n": -1})]), "app", 0)
    assert made.lake.table("shop__orders").columns()["n"] == "decimal(20,0)"
    assert rows(made, "shop__orders", "id", "n") == [(1, Decimal(2**64 - 1))]
