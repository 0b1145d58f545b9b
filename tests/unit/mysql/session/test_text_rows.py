"""Rows of a SELECT, however the server's bytes arrive."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.capture.columns import ColumnCodec
from connector.codegen import call
from connector.errors import ConversionError, DatabaseUnavailableError, StopError
from connector.mysql.session.connection import RowStream
from connector.mysql.session.text_rows import TextRows
from tests.fixtures.text_packets import END, WHOLE, Chunks, packed, packets
from tests.unit.mysql.binlog.images import RandomTable, rows_of, table_of, tables
from tests.unit.mysql.binlog.kinds import BINARIES, KINDS, TEXTS
from tests.unit.mysql.binlog.kinds_of_numbers import INTEGERS
from tests.unit.mysql.binlog.kinds_of_times import DATE, DATETIMES, TIMESTAMPS

OK_END = b"\xfe\0\0\2\0\0\0"
# of some kinds a snapshot has other values than the log: see test_text_and_log
SAME_BOTH_WAYS = [kind for kind in KINDS if kind not in (DATE, *DATETIMES, *TIMESTAMPS)]


def read(
    rows: TextRows, data: bytes, sizes: Sequence[int] = (), *, end: bytes = END
) -> list[tuple[Any, ...]]:
    stream = Chunks(data + packets(end), sizes)
    found = [row for batch in rows.read(cast("RowStream", stream)) for row in batch]
    assert stream.is_done
    return found


def codecs(table: RandomTable) -> list[ColumnCodec]:
    return [codec for codec, _ in table.codecs]


@given(st.data(), st.lists(st.integers(1, 40), max_size=30), st.sampled_from([END, OK_END]))
def test_rows_are_decoded_however_they_arrive(
    data: st.DataObject, sizes: list[int], end: bytes
) -> None:
    table = data.draw(tables(most=6, kinds=SAME_BOTH_WAYS))
    table = replace(table, requested=tuple(range(len(table.kinds))))
    rows = data.draw(st.lists(rows_of(table), max_size=6))
    sent = b"".join(
        packed(
            None if value is None else kind.text(value)
            for kind, value in zip(table.kinds, row, strict=True)
        )
        for row in rows
    )
    expected = [table.connect(row, (True,) * len(row)) for row in rows]
    assert repr(read(TextRows(codecs(table)), sent, sizes, end=end)) == repr(expected)


TABLE = table_of([INTEGERS[4], TEXTS[3], BINARIES[1]])


@pytest.mark.parametrize("size", [0, 250, 251, 252, 65_535, 65_536, 1 << 20])
def test_values_of_any_length(size: int) -> None:
    row = (b"5", b"t" * size, b"\0" * size)
    found = read(TextRows(codecs(TABLE)), packed(row) * 2 + packed((b"6", b"", None)), [7, 100_000])
    assert found == [(5, "t" * size, b"\0" * size)] * 2 + [(6, "", None)]


@pytest.mark.parametrize("size", [WHOLE - 12, WHOLE - 11, WHOLE - 10, WHOLE + 5, 2 * WHOLE])
def test_a_row_of_16_megabytes_and_more(size: int) -> None:
    row = packed((b"5", b"", b"b" * size))
    small = packed((b"6", b"x", b"y"))
    sizes = [1 << 20] * 10
    found = read(TextRows(codecs(TABLE)), small + row + small, sizes)
    assert [(row[0], row[1], len(row[2])) for row in found] == [
        (6, "x", 1),
        (5, "", size),
        (6, "x", 1),
    ]


def test_a_first_value_whose_length_looks_like_the_end_of_the_result() -> None:
    """A row that starts with a value of 16 MB starts with the byte of an end packet."""
    huge = b"h" * (1 << 24)
    rows = TextRows(codecs(table_of([BINARIES[1], INTEGERS[4]])))
    found = read(rows, packed((huge, b"5")), [1 << 22] * 5)
    assert [(len(row[0]), row[1]) for row in found] == [(1 << 24, 5)]


def test_a_select_of_the_user_may_have_other_columns_in_another_order() -> None:
    rows = TextRows(codecs(TABLE), found=["C2", "extra", "c0"])
    sent = packed((b"bytes", b"not requested", b"5")) + packed((None, None, b"6"))
    sent += packed((b"b" * 300, b"n" * 300, b"7"))
    assert read(rows, sent) == [(5, None, b"bytes"), (6, None, None), (7, None, b"b" * 300)]


def test_a_column_that_the_select_lacks_has_its_stand_in() -> None:
    columns = [codec.with_changes(absent="-") for codec in codecs(TABLE)]
    rows = TextRows(columns, found=["c0"])
    assert read(rows, packed((b"5",))) == [(5, "-", "-")]
    huge = packed((b"5", b"x" * WHOLE))
    rows = TextRows(columns, found=["c0", "more"])
    assert read(rows, huge) == [(5, "-", "-")]


def test_what_comes_after_a_conversion_is_applied_to_short_and_long_values() -> None:
    column = codecs(TABLE)[1].with_changes(after=call(lambda value: value[:3] + "…"))
    rows = TextRows([column])
    assert read(rows, packed((b"abcdef",)) + packed((b"x" * 300,)) + packed((None,))) == [
        ("abc…",),
        ("xxx…",),
        (None,),
    ]


@pytest.mark.parametrize(("code", "error"), [(1105, StopError), (1053, DatabaseUnavailableError)])
def test_an_error_of_the_server_in_the_middle_is_reported(
    code: int, error: type[Exception]
) -> None:
    packet = b"\xff" + struct.pack("<H", code) + b"#HY000the reason"
    for before in (b"", packed((b"1", b"a", b"b"))):
        with pytest.raises(error, match=rf"the reason \(error {code}\)"):
            read(TextRows(codecs(TABLE)), before, end=packet)


def test_a_connection_that_ends_in_the_middle_is_reported() -> None:
    data = packed((b"1", b"a", b"b"))
    stream = Chunks(data[:-1], [])
    with pytest.raises(DatabaseUnavailableError):
        list(TextRows(codecs(TABLE)).read(cast("RowStream", stream)))


def test_a_row_that_is_shorter_than_its_columns_is_refused() -> None:
    rows = TextRows(codecs(TABLE))
    with pytest.raises(ConversionError, match="does not fill its packet"):
        read(rows, packets(b"\x015\xfd\xff\xff\xff" + b"x" * 10))


def test_a_result_without_rows() -> None:
    assert read(TextRows(codecs(TABLE)), b"") == []


@pytest.mark.parametrize("kind", [*INTEGERS, DATE, *DATETIMES], ids=str)
def test_a_text_of_another_type_is_a_conversion_error_without_the_text(kind: Any) -> None:
    """The table was altered, and its new definition is not known yet."""
    rows = TextRows(codecs(table_of([kind])))
    with pytest.raises(ConversionError) as raised:
        read(rows, packed([b"secret"]))
    assert "secret" not in str(raised.value)
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__
