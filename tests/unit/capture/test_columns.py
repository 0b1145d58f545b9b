"""Conversions as pieces of source: names, chains, and what they give."""

from __future__ import annotations

from typing import Any

import pytest

from connector.capture.columns import ColumnCodec, Expression, call
from connector.capture.tables import Column
from connector.data.schema import INT32


def test_an_expression_without_a_template_gives_its_value() -> None:
    assert Expression().function()(7) == 7


def test_an_expression_is_written_around_a_value_with_names_of_its_own() -> None:
    namespace: dict[str, Any] = {}
    source = call(hex).source("d[p:e]", "c3", namespace)
    assert source == "c3_f(d[p:e])"
    assert namespace == {"c3_f": hex}


def test_a_name_that_begins_like_another_is_not_mistaken_for_it() -> None:
    both = Expression("@fold(@f({}))", {"f": lambda v: v + 1, "fold": lambda v: v * 10})
    assert both.function()(1) == 20


def test_a_chain_keeps_the_objects_of_both_sides_apart() -> None:
    chain = call(lambda v: v + 1).then(call(lambda v: v * 10)).then(call(str))
    assert chain.function()(1) == "20"


def test_a_chain_passes_none_by() -> None:
    chain = Expression("@f({}) or None", {"f": int}).then(Expression("{} + 1"))
    assert [chain.function()(value) for value in ("0", "1")] == [None, 2]


def test_a_chain_may_use_its_value_twice() -> None:
    chain = Expression("{}.strip()").then(Expression("{} + {}"))
    assert chain.function()(" ab ") == "abab"


def test_a_chain_works_where_a_stand_in_is_part_of_it() -> None:
    stand_in = Expression("(@absent if (value := @f({})) is None else value)", {"f": _even})
    chain = Expression(stand_in.template, {**stand_in.names, "absent": 0}).then(call(str))
    assert [chain.function()(number) for number in (3, 4)] == ["0", "4"]


def _even(number: int) -> int | None:
    return None if number % 2 else number


def test_nothing_after_leaves_the_conversion_as_it_is() -> None:
    convert = call(int)
    assert convert.then(None) is convert


@pytest.mark.parametrize("changes", [{"absent": 5}, {"unavailable": "x"}, {"after": call(str)}])
def test_a_codec_is_changed_by_a_copy(changes: dict[str, Any]) -> None:
    codec = ColumnCodec(Column("a", "INT", 4), INT32, call(int), None)
    changed = codec.but(**changes)
    assert [getattr(changed, name) for name in changes] == list(changes.values())
    assert [getattr(codec, name) for name in changes] == [None]
