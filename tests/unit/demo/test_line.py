from dataclasses import replace
from decimal import Decimal

import pytest

from tools.demo.feed import Event
from tools.demo.line import line

BASE = Event("shop.inventory.customers", 0.25, "insert", "customers", {"id": 7})
ADA = {"id": 7, "name": "Ada", "price": Decimal("1.50")}
BOB = {"id": 7, "name": "Bob", "price": Decimal("1.50"), "phone": None}


@pytest.mark.parametrize(
    ("event", "shown"),
    [
        (replace(BASE, after=ADA), "insert     id=7     name=Ada, price=1.50"),
        (replace(BASE, kind="update", before=ADA, after=BOB), "update     id=7     name Ada → Bob"),
        (
            replace(BASE, kind="delete", before=BOB),
            "delete     id=7     was name=Bob, price=1.50, phone=NULL",
        ),
        (replace(BASE, kind="tombstone"), "tombstone  id=7"),
        (
            Event("shop", 0.25, "alter", "customers", ddl="ALTER TABLE a\n\t ADD b INT"),
            "alter               ALTER TABLE a ADD b INT",
        ),
    ],
)
def test_an_event_is_one_line(event: Event, shown: str) -> None:
    text = line(event)
    assert text[8:14] == ".250  "
    assert text[14:].split(None, 1) == [event.topic, shown]


def test_a_line_break_in_a_value_does_not_break_the_line() -> None:
    assert "name=A B" in line(replace(BASE, after={"name": "A\nB"}))


@pytest.mark.parametrize("width", [30, 60, 62, 80])
def test_a_long_line_is_cut_at_the_width(width: int) -> None:
    text = line(replace(BASE, after={"name": "x" * 200}), width=width)
    assert len(text) == width
    assert text.endswith("…")


def test_a_color_is_around_the_kind_and_does_not_count() -> None:
    event = replace(BASE, after={"name": "x" * 200})
    colored = line(event, width=80, color=True)
    assert "\033[32minsert   \033[0m" in colored
    assert colored.replace("\033[32m", "").replace("\033[0m", "") == line(event, width=80)
