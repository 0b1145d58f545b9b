"""Literals of temporal defaults as statements write them, in every form that a server takes."""

from __future__ import annotations

from typing import Any

import pytest

from connector.mysql.types.type_options import TypeOptions
from tests.unit.mysql.types.columns import default

NOT_NULL: dict[str, Any] = {"optional": False}
FALLBACKS = {"DATE": (91, 0), "TIME": (92, None), "DATETIME": (93, 0), "TIMESTAMP": (2014, None)}


@pytest.mark.parametrize(
    ("type_name", "literal"),
    [
        ("DATE", "2020/01/02"),
        ("DATE", "2020-1-2"),
        ("DATE", "2020-01-2"),
        ("DATE", "20200102"),
        ("DATE", "20-01-02"),
        ("DATE", "2020-01-02 1:02"),
        ("TIME", "1 02:03:04"),
        ("TIME", "-1 10:00:00"),
        ("TIME", "1200"),
        ("DATETIME", "2020/01/02 03:04:05"),
        ("DATETIME", "2020-01-02T03:04:05"),
        ("DATETIME", "2020-01-02 3:4"),
        ("DATETIME", "2020-01-02 03"),
        ("DATETIME", "20200102030405"),
        ("DATETIME", "2020-01-02  03:04:05"),
        ("TIMESTAMP", "20200102"),
        ("TIMESTAMP", "20200102030405.5"),
        ("TIMESTAMP", "20200102T030405"),
        ("TIMESTAMP", "2020-01-02 03:04:05+02:00"),
        ("TIMESTAMP", "2020-13-02"),
        ("TIMESTAMP", "0000-00-00"),
        ("TIMESTAMP", "20-02-30"),
        ("TIMESTAMP", "now"),
    ],
)
def test_other_forms_are_no_default(type_name: str, literal: str) -> None:
    assert default(type_name, literal) is None
    jdbc_type, fallback = FALLBACKS[type_name]
    assert default(type_name, literal, jdbc_type=jdbc_type, **NOT_NULL) == fallback


@pytest.mark.parametrize(
    ("type_name", "literal", "attributes", "value"),
    [
        ("DATE", "2020-01-02 10:11", {}, 18263),
        ("DATE", "2020-01-02 10:11:12.5", {}, 18263),
        ("TIME", "2020-1-2 1:2:3.25", {}, 3_723_250_000),
        ("DATETIME", "2020-01-02 03:04", {}, 1_577_934_240_000),
        ("DATETIME", "2020-01-02 03:04:05.", {}, 1_577_934_245_000),
        ("DATETIME", "2020-01-02 03:04:05.9", {}, 1_577_934_245_900),
        ("TIMESTAMP", "2020-01-02", {}, "2020-01-02T00:00:00Z"),
        ("TIMESTAMP", "2020-01-02 3", {}, "2020-01-02T03:00:00Z"),
        ("TIMESTAMP", "2020/1/2 3:4", {}, "2020-01-02T03:04:00Z"),
        ("TIMESTAMP", "2020.01.02 03.04.05", {}, "2020-01-02T03:04:05Z"),
        ("TIMESTAMP", "2020-01-02T03:04:05.50", {}, "2020-01-02T03:04:05.5Z"),
        ("TIMESTAMP", "2020-01-02 03:04:05.000", {}, "2020-01-02T03:04:05Z"),
        ("TIMESTAMP", "2020-1-2 3:4", {"length": 6}, "2020-01-02T03:04:00.000000Z"),
        ("TIMESTAMP", "2020-1-2 3:4:5.1234567", {"length": 3}, "2020-01-02T03:04:05.123Z"),
        ("TIMESTAMP", "0000-00-00 00:00:00.0", NOT_NULL, "1970-01-01T00:00:00Z"),
    ],
)
def test_forms_that_are_read(
    type_name: str, literal: str, attributes: dict[str, Any], value: Any
) -> None:
    assert default(type_name, literal, **attributes) == value


def test_a_year_of_two_digits_stands_in_an_old_calendar() -> None:
    assert default("TIMESTAMP", "20-01-02 03:04:05") == "2019-12-31T03:04:05Z"
    assert default("TIMESTAMP", "70-01-02 03:04:05") == "2069-12-31T03:04:05Z"
    plain = TypeOptions(adjust_years=False)
    assert default("TIMESTAMP", "20-01-02 03:04:05", options=plain) == "0019-12-31T03:04:05Z"
