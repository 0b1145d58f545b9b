from datetime import date
from decimal import Decimal
from typing import Any

from tools.demo.tables import Comparison

SOURCE: list[dict[str, Any]] = [
    {"id": 1, "name": "Ada", "price": Decimal("1.50"), "at": date(2026, 1, 2)},
    {"id": 2, "name": None, "price": Decimal("2.00"), "at": None},
]
COPY: list[dict[str, Any]] = [
    {"id": 2, "name": None, "price": "2.00", "at": None},
    {"id": 1, "name": "Ada", "price": "1.50", "at": "2026-01-02"},
]


def test_rows_are_compared_by_their_ids() -> None:
    found = Comparison(SOURCE, COPY)
    assert found.differing == []
    assert list(found.lines(("here", "there"))) == [
        "here                            there",
        "id  name  price  at             id  name  price  at",
        "1   Ada   1.50   2026-01-02  =  1   Ada   1.50   2026-01-02",
        "2   NULL  2.00   NULL        =  2   NULL  2.00   NULL",
        "EQUAL: 2 rows",
    ]


def test_rows_that_differ_are_shown_and_those_that_are_missing() -> None:
    changed = [{**COPY[1], "name": "Eda"}, {**COPY[0], "id": 3}]
    found = Comparison(SOURCE, changed)
    assert found.differing == [1, 2, 3]
    signs = [line for line in found.lines(("", "")) if "≠" in line]
    assert [line.split() for line in signs] == [
        "1 Ada 1.50 2026-01-02 ≠ 1 Eda 1.50 2026-01-02".split(),
        "2 NULL 2.00 NULL ≠ - - - -".split(),
        "- - - - ≠ 3 NULL 2.00 NULL".split(),
    ]
    assert found.verdict == "DIFFERENT: 3 of 2 rows"


def test_of_many_rows_the_first_are_shown() -> None:
    many = [{"id": number} for number in range(9)]
    lines = list(Comparison(many, many[:8]).lines(("", ""), count=3))
    assert [line.split() for line in lines[2:]] == [
        ["0", "=", "0"], ["1", "=", "1"], ["2", "=", "2"], ["8", "≠", "-"],
        "… and 5 more".split(), "DIFFERENT: 1 of 9 rows".split(),
    ]  # fmt: skip


def test_a_value_that_only_one_side_has_is_a_difference() -> None:
    assert Comparison([{"id": 1, "phone": None}], [{"id": 1}]).differing == [1]
