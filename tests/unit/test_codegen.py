"""Generated functions: their source in tracebacks and logs, and the language of expressions."""

from __future__ import annotations

import gc
import linecache
import traceback
from typing import Any

import pytest

from connector.codegen import Expression, call, compile_function, source_of
from connector.logs import TRACE

HALF = ["def half(v):", "    return v / divisor"]


def test_a_traceback_shows_the_generated_line() -> None:
    half = compile_function(HALF, {"divisor": 0})
    with pytest.raises(ZeroDivisionError) as raised:
        half(1)
    assert "return v / divisor" in "".join(traceback.format_exception(raised.value))


def test_the_source_is_released_with_its_function() -> None:
    half = compile_function(HALF, {"divisor": 2})
    filename = half.__code__.co_filename
    assert source_of(half).splitlines() == HALF
    assert half(8) == 4
    del half
    gc.collect()
    assert filename not in linecache.cache


def test_functions_of_one_name_have_sources_of_their_own() -> None:
    one = compile_function(["def f(v):", "    return 1"], {})
    two = compile_function(["def f(v):", "    return 2"], {})
    assert ("return 1" in source_of(one), "return 2" in source_of(two)) == (True, True)


def test_a_logger_at_trace_shows_what_is_compiled(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(TRACE, "connector.codegen"):
        compile_function(HALF, {"divisor": 2})
    [message] = caplog.messages
    assert "\n".join(HALF) in message


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
