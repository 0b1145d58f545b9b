"""Changes of few rows are sent together, in order and never later than what follows them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.capture.change import CaughtUp, Change, HeartbeatDue, Operation, Progress, RowChanges
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import Table, TableId
from connector.data.schema import struct
from connector.task.row_groups import group_rows

CODEC = TableEventSchema(Table(TableId("d", "t"), ()), "t", None, struct("v"), struct("v"), (), ())


@dataclass(frozen=True)
class At:
    def to_offset(self) -> dict[str, Any]:
        return {}


def of_rows(count: int, op: Operation = "c") -> RowChanges:
    return RowChanges(CODEC, op, [(None, ())] * count, ())


OTHERS: list[Change] = [CaughtUp(), HeartbeatDue(), Progress(At())]
CHANGES = st.lists(st.sampled_from((1, 2, 8, 9, 500)).map(of_rows) | st.sampled_from(OTHERS))


@given(CHANGES)
def test_all_changes_in_order(changes: list[Change]) -> None:
    found: list[Change] = []
    for item in group_rows(changes):
        found += item if isinstance(item, list) else [item]
    assert [id(change) for change in found] == [id(change) for change in changes]


@given(CHANGES)
def test_groups_are_small(changes: list[Change]) -> None:
    for group in group_rows(changes):
        if isinstance(group, list):
            assert len(group) == 1 or max(len(change.rows) for change in group) <= 8
            assert len(group) <= 64


def test_small_changes_are_together() -> None:
    changes: list[Change] = [of_rows(1), of_rows(2), of_rows(1), Progress(At()), of_rows(1)]
    assert sizes(changes) == [3, 1]
    assert sizes([of_rows(1)] * 130) == [64, 64, 2]


def test_rows_of_a_snapshot_and_large_changes_are_alone() -> None:
    assert sizes([of_rows(1), of_rows(500), of_rows(1), of_rows(1, "r")]) == [1, 1, 1, 1]


def sizes(changes: list[Change]) -> list[int]:
    return [len(item) for item in group_rows(changes) if isinstance(item, list)]


def test_nothing_waits_for_what_follows() -> None:
    """A source may wait for long behind any other change."""
    read: list[Change] = []

    def source() -> Iterator[Change]:
        for change in (*OTHERS[:2], of_rows(500), of_rows(1), HeartbeatDue(), of_rows(1)):
            read.append(change)
            yield change

    handled: list[Change] = []
    for item in group_rows(source()):
        handled += item if isinstance(item, list) else [item]
        assert len(read) - len(handled) <= 1
    assert len(handled) == len(read) == 6


def test_what_comes_before_an_error_is_yielded() -> None:
    def source() -> Iterable[Change]:
        yield of_rows(1)
        yield of_rows(1)
        raise ValueError("a damaged event")

    groups = group_rows(source())
    assert len(next(groups)) == 2  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a damaged event"):
        next(groups)
