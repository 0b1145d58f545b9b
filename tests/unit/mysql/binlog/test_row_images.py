"""Generated decoders against the values that were written, and against a plain slow decoder."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connector.capture.change import Row
from connector.errors import SchemaMismatchError
from connector.mysql.binlog import rows as row_images
from connector.mysql.binlog.rows import ImageDecoder
from tests.fixtures.fields_as_bytes import bitmap
from tests.unit.mysql.binlog import events_as_bytes as written
from tests.unit.mysql.binlog import plain
from tests.unit.mysql.binlog.equal_values import same
from tests.unit.mysql.binlog.images import PlainRow, RandomTable, bitmaps, rows_of, table_of, tables
from tests.unit.mysql.binlog.kind import Kind
from tests.unit.mysql.binlog.kinds import KINDS
from tests.unit.mysql.binlog.kinds_of_numbers import INTEGERS
from tests.unit.mysql.binlog.table_rows import rows_by_plan

Present = tuple[bool, ...]


def decoder(table: RandomTable, present: Present) -> ImageDecoder:
    wires = [kind.wire for kind in table.kinds]
    return ImageDecoder(wires, table.codecs, bitmap(list(present)))


def plainly(table: RandomTable, present: Present, data: bytes, start: int, end: int) -> list[Row]:
    """Decode images with the slow decoder, then convert the values as the kinds say."""
    columns = [kind.plain for kind in table.kinds]
    found = []
    while start < end:
        held, start = plain.row(columns, bitmap(list(present)), data, start)
        values = tuple(held.get(number) for number in range(len(columns)))
        found.append(table.connect(values, present))
    assert start == end
    return found


@settings(max_examples=150)
@given(st.data(), st.binary(max_size=5), st.binary(max_size=5))
def test_rows_are_decoded_to_the_values_that_were_written(
    data: st.DataObject, before: bytes, behind: bytes
) -> None:
    table = data.draw(tables())
    present = data.draw(bitmaps(table))
    rows: list[PlainRow] = data.draw(st.lists(rows_of(table), max_size=6))
    images = b"".join(table.image(row, present) for row in rows)
    buffer = before + images + behind
    start, end = len(before), len(before) + len(images)
    expected = [table.connect(row, present) for row in rows]

    assert same(plainly(table, present, buffer, start, end), expected)
    assert same(decoder(table, present).decode(buffer, start, end), expected)
    assert same(_one_by_one(decoder(table, present), buffer, start, end), expected)
    assert same(_without_variants(decoder(table, present), buffer, start, end), expected)


def _one_by_one(images: ImageDecoder, data: bytes, start: int, end: int) -> list[Row]:
    rows = []
    while start < end:
        row, start = images.decode_one(data, start)
        rows.append(row)
    return rows


def _without_variants(images: ImageDecoder, data: bytes, start: int, end: int) -> list[Row]:
    rows: list[Row] = []
    while start < end:
        start = images.decode_plainly(data, start, end, rows.append)
    return rows


@pytest.mark.parametrize("kind", KINDS, ids=repr)
@settings(max_examples=20)
@given(data=st.data())
def test_every_kind_of_column_stands_between_others(kind: Kind, data: st.DataObject) -> None:
    table = table_of([INTEGERS[4], kind, kind, INTEGERS[1]], [1, 2])
    present = (True,) * 4
    row: PlainRow = (-7, data.draw(kind.values), data.draw(kind.values), 255)
    image = table.image(row, present)
    expected = [table.connect(row, present)]
    assert same(plainly(table, present, image, 0, len(image)), expected)
    assert same(decoder(table, present).decode(image, 0, len(image)), expected)


def test_beyond_the_bound_of_variants_the_values_are_the_same() -> None:
    table = table_of(INTEGERS)
    present = (True,) * len(INTEGERS)
    rows: list[PlainRow] = [
        tuple(None if number >> column & 1 else column for column in range(len(INTEGERS)))
        for number in range(row_images.MAX_VARIANTS + 50)
    ]
    images = b"".join(table.image(row, present) for row in rows)
    one = decoder(table, present)
    assert one.decode(images, 0, len(images)) == rows
    assert one.decode(images, 0, len(images)) == rows


def test_images_without_columns_are_refused_instead_of_read_for_ever() -> None:
    images = decoder(table_of(INTEGERS[:2]), (False, False))
    assert images.decode(b"", 0, 0) == []
    assert images.decode_one(b"", 0) == ((None, None), 0)
    with pytest.raises(SchemaMismatchError, match="no column"):
        images.decode(b"\0\0", 0, 2)


def test_updates_without_columns_are_refused_instead_of_read_for_ever() -> None:
    beyond = (False, False, True)  # a bit that stands for no column: the bitmaps differ
    event = written.rows(written.UPDATE, b"\0\0", [(False, False), beyond])
    with pytest.raises(SchemaMismatchError, match="no column"):
        rows_by_plan(table_of(INTEGERS[:2]), event)


def test_a_column_of_another_type_than_its_definition_is_named() -> None:
    table = table_of([INTEGERS[0]])
    wires = [KINDS[-1].wire]
    with pytest.raises(SchemaMismatchError, match="column c0"):
        ImageDecoder(wires, table.codecs, b"\x01")
