"""The schema of the source block."""

from __future__ import annotations

from connector.capture.source_block import source_block
from connector.data.schema import INT32


def test_a_database_adds_its_fields_to_the_common_ones() -> None:
    schema = source_block("acme", ("lsn", INT32))
    assert schema.name == "io.debezium.connector.acme.Source"
    assert schema.version == 1
    assert [(f.name, f.schema.type, f.schema.optional) for f in schema.fields] == [
        ("version", "string", False),
        ("connector", "string", False),
        ("name", "string", False),
        ("ts_ms", "int64", False),
        ("snapshot", "string", True),
        ("db", "string", False),
        ("sequence", "string", True),
        ("ts_us", "int64", True),
        ("ts_ns", "int64", True),
        ("lsn", "int32", False),
    ]


def test_a_row_that_says_nothing_about_snapshots_was_streamed() -> None:
    mark = source_block("acme").field("snapshot")
    assert mark is not None
    assert mark.schema.default == "false"
    allowed = (mark.schema.parameters or {})["allowed"].split(",")
    assert {"true", "first", "last", "false", "incremental"} < set(allowed)
