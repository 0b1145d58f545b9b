"""Whole events: TABLE_MAP and rows, through the parser to the rows of changes."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connector.errors import ConversionError, SchemaMismatchError
from connector.mysql.binlog.events import RowsChanged
from connector.mysql.binlog.parser import EventParser
from connector.mysql.binlog.row_decoding import TablePlan
from tests.unit.mysql.binlog import events_as_bytes as written
from tests.unit.mysql.binlog import library
from tests.unit.mysql.binlog.equal_values import same
from tests.unit.mysql.binlog.images import (
    PlainRow,
    bitmaps,
    rows_of,
    table_of,
    tables,
)
from tests.unit.mysql.binlog.kinds import KINDS
from tests.unit.mysql.binlog.kinds_of_numbers import INTEGERS
from tests.unit.mysql.binlog.table_rows import codec_of, read, rows_by_plan

V1 = {written.WRITE: 23, written.UPDATE: 24, written.DELETE: 25}
KIND_LETTERS = {written.WRITE: "c", written.UPDATE: "u", written.DELETE: "d"}


@given(st.data(), st.booleans())
def test_inserts_and_deletes(data: st.DataObject, old_events: bool) -> None:
    table = data.draw(tables(most=9))
    present = data.draw(bitmaps(table))
    rows: list[PlainRow] = data.draw(st.lists(rows_of(table), min_size=1, max_size=5))
    images = b"".join(table.image(row, present) for row in rows)
    expected = [table.connect(row, present) for row in rows]
    for kind, pairs in (
        (written.WRITE, [(None, row) for row in expected]),
        (written.DELETE, [(row, None) for row in expected]),
    ):
        event = written.rows(V1[kind] if old_events else kind, images, [present])
        assert same(rows_by_plan(table, event), pairs)


@given(st.data(), st.booleans(), st.binary(max_size=5))
def test_updates_have_pairs_of_images(data: st.DataObject, alike: bool, extra: bytes) -> None:
    table = data.draw(tables(most=9))
    before = data.draw(bitmaps(table))
    after = before if alike else data.draw(bitmaps(table))
    rows: list[tuple[PlainRow, PlainRow]] = data.draw(
        st.lists(st.tuples(rows_of(table), rows_of(table)), min_size=1, max_size=4)
    )
    images = b"".join(table.image(old, before) + table.image(new, after) for old, new in rows)
    # what only the image before has was not changed
    kept = [before[index] and not after[index] for index in table.requested]
    expected = []
    for old, new in rows:
        first, second = table.connect(old, before), table.connect(new, after)
        pairs = zip(kept, first, second, strict=True)
        expected.append((first, tuple(a if keep else b for keep, a, b in pairs)))
    event = written.rows(written.UPDATE, images, [before, after], extra=extra)
    assert same(rows_by_plan(table, event), expected)


@given(st.data())
def test_a_statement_may_be_split_over_several_events(data: st.DataObject) -> None:
    table = data.draw(tables(most=6))
    present = (True,) * len(table.kinds)
    rows: list[PlainRow] = data.draw(st.lists(rows_of(table), min_size=1, max_size=8))
    size = data.draw(st.integers(1, 3))
    events = [
        written.rows(
            written.WRITE,
            b"".join(table.image(row, present) for row in rows[start : start + size]),
            [present],
        )
        for start in range(0, len(rows), size)
    ]
    expected = [(None, table.connect(row, present)) for row in rows]
    assert same(rows_by_plan(table, *events), expected)


def _of_library(value: Any) -> Any:
    """Return a decimal as the unscaled number."""
    return int(f"{value:f}".replace(".", "")) if isinstance(value, Decimal) else value


@given(st.data())
def test_mysql_replication_reads_the_same(data: st.DataObject) -> None:
    table = data.draw(tables(most=8, kinds=library.TRUSTED))
    table = table_of(table.kinds)
    present = (True,) * len(table.kinds)
    rows: list[PlainRow] = data.draw(st.lists(rows_of(table), min_size=1, max_size=3))
    images = b"".join(table.image(row, present) for row in rows)
    event = written.rows(written.WRITE, images, [present])
    names = [column.name for column in table.columns]
    found = library.rows(written.table_map(table.kinds, names=names), event)
    theirs = [tuple(row["values"][name] for name in names) for row in found]
    assert same(theirs, rows)
    ours = [row for _, row in rows_by_plan(table, event)]
    assert same(ours, [table.connect(row, present) for row in theirs])


@settings(max_examples=100)
@given(st.data(), st.sampled_from(list(KIND_LETTERS)))
def test_rows_that_are_cut_short_are_refused(data: st.DataObject, kind: int) -> None:
    table = data.draw(tables(most=5, kinds=KINDS))
    images = 2 if kind == written.UPDATE else 1
    present = [data.draw(bitmaps(table)) for _ in range(images)]
    image = b"".join(table.image(data.draw(rows_of(table)), columns) for columns in present)
    cut = data.draw(st.integers(1, len(image) - 1)) if len(image) > 1 else 0
    if cut:
        with pytest.raises((SchemaMismatchError, ConversionError)):
            rows_by_plan(table, written.rows(kind, image[:cut], present))


def test_bytes_of_the_next_event_are_not_taken_for_a_row() -> None:
    table = table_of(INTEGERS[:4])
    present = (True,) * 4
    for kind in (written.WRITE, written.UPDATE):
        unlike = [present, (True, True, True, False)][: 1 + (kind == written.UPDATE)]
        images = b"".join(table.image((1, 2, 3, 4), columns) for columns in unlike)
        event = written.rows(kind, images, unlike)
        parser = EventParser(checksums=False)
        mapped = read(parser, written.table_map(table.kinds))
        changed = parser.event(event + written.xid(), 0, len(event) - 1)
        assert isinstance(changed, RowsChanged)
        with pytest.raises(SchemaMismatchError, match="1 bytes behind"):
            TablePlan(codec_of(table), mapped.table_map).rows(changed)


def test_an_error_names_the_table_and_no_value() -> None:
    table = table_of(INTEGERS[:2])
    event = written.rows(written.WRITE, b"\0\x41", [(True, True)])
    with pytest.raises(SchemaMismatchError) as caught:
        rows_by_plan(table, event)
    assert str(caught.value) == (
        "the rows of table shop.orders at position 4 of the log cannot be read (error)"
    )
    assert caught.value.__suppress_context__


def test_an_update_takes_what_its_second_image_lacks_from_the_first() -> None:
    """With ``binlog_row_image=MINIMAL`` only the image before has the key."""
    table = table_of([INTEGERS[4], INTEGERS[4], INTEGERS[4]])
    before, after = (True, False, False), (False, True, False)
    images = table.image((1, 0, 0), before) + table.image((0, 2, 0), after)
    event = written.rows(written.UPDATE, images, [before, after])
    missing = table.connect((0, 0, 0), (False, False, False))
    ((old, new),) = rows_by_plan(table, event)
    assert old == (1, *missing[1:])
    assert new == (1, 2, missing[2])
