"""ExtractNewRecordState: the names of Debezium 1, and what it refuses."""

from __future__ import annotations

import pytest

from connector.converters.simple_header import SimpleHeaderConverter
from connector.data.record import Record
from connector.data.schema import INT32, INT64, STRING, struct
from connector.errors import ConfigError, TransformError
from connector.transforms.extract_new_record_state import ExtractNewRecordState

ROW = struct("t.Value", ("id", INT32), optional=True)
ENVELOPE = struct("t.Envelope", ("before", ROW), ("after", ROW), ("op", STRING))


def _deleted() -> Record:
    value = {"before": {"id": 1}, "after": None, "op": "d"}
    return Record("t", None, None, None, ENVELOPE, value)


@pytest.mark.parametrize(
    ("config", "deleted", "tombstone"),
    [
        ({}, None, False),
        ({"drop.tombstones": "true"}, "dropped", False),
        ({"drop.tombstones": "false"}, None, False),
        ({"delete.handling.mode": "none"}, None, False),
        ({"delete.handling.mode": "rewrite"}, {"id": 1, "__deleted": "true"}, False),
        (
            {"delete.handling.mode": "rewrite", "drop.tombstones": "false"},
            {"id": 1, "__deleted": "true"},
            True,
        ),
        (
            {"delete.handling.mode": "rewrite", "delete.tombstone.handling.mode": "drop"},
            "dropped",
            False,
        ),
    ],
)
def test_the_names_of_debezium_1(
    config: dict[str, str], deleted: object, tombstone: object
) -> None:
    transform = ExtractNewRecordState(config)
    found = transform.apply(_deleted())
    assert (found.value if found else "dropped") == deleted
    assert (transform.apply(Record("t", None, None, None, None, None)) is not None) is tombstone


@pytest.mark.parametrize(
    ("config", "text"),
    [
        ({"delete.tombstone.handling.mode": "x"}, "Value must be one of drop, tombstone"),
        ({"delete.handling.mode": "none", "drop.tombstones": "false"}, "has no successor"),
        ({"add.fields": "a:b:c"}, "Unexpected field name: a:b:c"),
    ],
)
def test_settings_that_are_refused(config: dict[str, str], text: str) -> None:
    with pytest.raises(ConfigError, match=text):
        ExtractNewRecordState(config)


def test_truncates_are_dropped_and_other_records_pass() -> None:
    transform = ExtractNewRecordState({})
    truncated = Record("t", None, None, None, ENVELOPE, {"before": None, "after": None, "op": "t"})
    assert transform.apply(truncated) is None
    other = Record("t", None, None, None, struct("other"), {})
    assert transform.apply(other) is other


def test_an_envelope_without_the_row_is_refused() -> None:
    flattened = struct("t.Envelope", ("after.id", INT32), ("op", STRING))
    record = Record("t", None, None, None, flattened, {"after.id": 1, "op": "c"})
    with pytest.raises(TransformError, match="Unknown field: after"):
        ExtractNewRecordState({}).apply(record)


SOURCE = struct("Source", ("db", STRING), ("ts_ms", INT64))
WITH_SOURCE = struct(
    "t.Envelope", ("before", ROW), ("after", ROW), ("source", SOURCE), ("op", STRING)
)


def _inserted(config: dict[str, str]) -> Record | None:
    value = {"before": None, "after": {"id": 1}, "source": {"db": "shop", "ts_ms": 5}, "op": "c"}
    return ExtractNewRecordState(config).apply(Record("t", None, None, None, WITH_SOURCE, value))


def test_a_header_can_hold_a_struct_but_a_field_cannot() -> None:
    record = _inserted({"add.headers": "source,after:row"})
    assert record is not None
    texts = [SimpleHeaderConverter().from_header(*header) for header in record.headers]
    assert texts == [b'{"db":"shop","ts_ms":5}', b'{"id":1}']
    with pytest.raises(TransformError, match="Struct schemas do not match"):
        _inserted({"add.fields": "source"})


def test_a_colon_without_a_new_name_keeps_the_name() -> None:
    record = _inserted({"add.fields": "op:,source.ts_ms:"})
    assert record is not None
    assert record.value == {"id": 1, "__op": "c", "__source_ts_ms": 5}


def test_a_path_into_a_field_that_is_no_struct_is_refused() -> None:
    with pytest.raises(TransformError, match="op is not a struct of the event"):
        _inserted({"add.headers": "op.x"})
