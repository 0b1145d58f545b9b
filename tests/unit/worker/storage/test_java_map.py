"""The serialized map of FileOffsetBackingStore."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.worker.storage.java_map import JavaMapFormat

# Written by Kafka Connect 4.3 (java.io.ObjectOutputStream, OpenJDK 17): one entry and none.
ONE_ENTRY = bytes.fromhex(
    "aced0005737200116a6176612e7574696c2e486173684d61700507dac1c31660d103000246000a6c6f6164466163"
    "746f724900097468726573686f6c6478703f4000000000000c7708000000100000000175"
    "7200025b42acf317f8060854e00200007870"
    "00000003"
    "6b6579"
    "7571007e0002"
    "00000001"
    "76"
    "78"
)


def test_a_file_that_java_wrote_is_read() -> None:
    assert JavaMapFormat().decode(ONE_ENTRY) == {b"key": b"v"}


def test_the_same_bytes_are_written() -> None:
    assert JavaMapFormat().encode({b"key": b"v"}) == ONE_ENTRY


@given(st.dictionaries(st.binary(), st.binary(), max_size=40))
def test_round_trip(entries: dict[bytes, bytes]) -> None:
    form = JavaMapFormat()
    assert form.decode(form.encode(entries)) == entries


def test_a_null_value_is_no_entry() -> None:
    value = bytes.fromhex("7571007e00020000000176")
    assert JavaMapFormat().decode(ONE_ENTRY.replace(value, b"p")) == {}


@given(st.binary(max_size=60))
def test_anything_else_is_a_value_error(content: bytes) -> None:
    with pytest.raises(ValueError, match="it is not a serialized"):
        JavaMapFormat().decode(content)


@pytest.mark.parametrize("end", range(70, len(ONE_ENTRY) - 1))
def test_a_cut_file_is_a_value_error(end: int) -> None:
    with pytest.raises(ValueError, match="it "):
        JavaMapFormat().decode(ONE_ENTRY[:end])
