"""Events that are too large: which columns are cut, and by how much."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.data.record import Record
from connector.data.schema import BYTES, INT32, INT64, OPTIONAL_STRING, STRING, struct
from connector.data.semantic import bits, decimal
from connector.errors import ConfigError
from connector.transforms.enforce_record_size import EnforceRecordSize
from connector.transforms.record_size import record_size

ROW = struct(
    "t.Value",
    ("id", INT32),
    ("text", OPTIONAL_STRING),
    ("raw", BYTES.as_optional()),
    ("amount", decimal(2).as_optional()),
    ("mask", bits(8).as_optional()),
    optional=True,
)
SOURCE = struct("source", ("server_id", INT64), ("gtid", OPTIONAL_STRING))
ENVELOPE = struct("t.Envelope", ("before", ROW), ("after", ROW), ("source", SOURCE), ("op", STRING))


def record(before: Any, after: Any) -> Record:
    value = {"before": before, "after": after, "source": {"server_id": 1, "gtid": None}, "op": "u"}
    return Record("t", None, None, None, ENVELOPE, value)


def row(text: str | None = None, raw: bytes | None = None) -> dict[str, Any]:
    return {"id": 1, "text": text, "raw": raw, "amount": 10**40, "mask": b"\1"}


def cut(event: Record, **options: str) -> Any:
    settings = {name.replace("_", "."): text for name, text in options.items()}
    return EnforceRecordSize(settings).apply(event).value


def test_the_size_counts_all_parts() -> None:
    empty, texts = record(None, None), record(row(), row("é" * 10, b"abc"))
    number = 8 + 24
    rows = 2 * (56 + 5 * 8 + 24 + (24 + 17) + (24 + 1)) + (56 + 20) + (24 + 3)
    source = 8 + 56 + number + 8
    assert record_size(empty) == 7 * 100 + 8 + 56 + 2 * 8 + source + (8 + 57) + 1
    assert record_size(texts) == record_size(empty) + rows


def test_small_events_and_short_columns_stay() -> None:
    event = record(row("a" * 100), row("b" * 100))
    size = record_size(event)
    assert cut(event, max_bytes=str(size), min_field_size="0") == event.value
    assert cut(event, max_bytes="1", min_field_size="100") == event.value
    assert cut(event, max_bytes="1") == event.value, "the default leaves columns under 25000"


@given(st.integers(0, 400), st.integers(0, 400), st.integers(0, 400), st.integers(1, 3000))
def test_a_cut_event_fits_if_its_columns_are_long_enough(
    before: int, after: int, raw: int, limit: int
) -> None:
    event = record(row("a" * before), row("b" * after, b"c" * raw))
    original, size = event.value, record_size(event)
    value = cut(event, max_bytes=str(limit), min_field_size="0")
    assert record_size(event) <= max(limit, size - before - after - raw)
    assert original["after"]["text"].startswith(value["after"]["text"])
    assert value["after"]["amount"] == 10**40, "a number that lost digits is another number"
    assert value["after"]["mask"] == b"\1"
    assert len(original["before"]["text"]) == before, "other records share the row"


def test_the_ratio_counts() -> None:
    event = record(None, row("a" * 1000))
    size = record_size(event)
    value = cut(event, max_bytes=str(size), compression_ratio="1.1", min_field_size="0")
    assert len(value["after"]["text"]) == 1000 - -(-size * 11 // 10) + size


@given(st.integers(0, 20))
def test_no_half_characters_stay(excess: int) -> None:
    event = record(None, row("😀" * 10))
    limit = str(record_size(event) - excess)
    text = cut(event, max_bytes=limit, min_field_size="0")["after"]["text"]
    assert text == "😀" * ((20 - excess) // 2)


def test_rows_without_envelope_and_null_stay() -> None:
    flat = Record("t", None, None, None, ROW, row("a" * 9))
    assert cut(flat, max_bytes="1", min_field_size="0") == row("a" * 9)
    assert cut(Record("t", None, None, None, None, None), max_bytes="1") is None


@pytest.mark.parametrize(
    "settings",
    [
        {"max.bytes": "0"},
        {"max.bytes": "1", "compression.ratio": "0"},
        {"max.bytes": "1", "compression.ratio": "NaN"},
        {"max.bytes": "1", "min.field.size": "-1"},
    ],
)
def test_settings_without_meaning_are_refused(settings: dict[str, str]) -> None:
    with pytest.raises(ConfigError):
        EnforceRecordSize(settings)
