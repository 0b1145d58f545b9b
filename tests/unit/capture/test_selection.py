"""Which databases, tables and columns are captured."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.capture.selection import any_of, selection, split_list
from connector.capture.tables import TableId
from connector.errors import ConfigError


def _captured(config: dict[str, str | None], *tables: str) -> list[str]:
    chosen = selection(config, builtin=["mysql", "sys"])
    return [name for name in tables if chosen.captures(TableId(*name.split(".", 1)))]


ALL = ("shop.orders", "shop.items", "Shop.Users", "crm.orders", "mysql.user", "SYS.x")


@pytest.mark.parametrize(
    ("config", "captured"),
    [
        ({}, ["shop.orders", "shop.items", "Shop.Users", "crm.orders"]),
        ({"database.include.list": "shop"}, ["shop.orders", "shop.items", "Shop.Users"]),
        ({"database.include.list": "sho"}, []),
        ({"database.exclude.list": "sh.*"}, ["crm.orders"]),
        ({"table.include.list": "shop.orders, crm.*"}, ["shop.orders", "crm.orders"]),
        ({"table.include.list": "orders"}, []),
        ({"table.exclude.list": ".*\\.orders"}, ["shop.items", "Shop.Users"]),
        ({"table.include.list": "SHOP\\.(orders|users)"}, ["shop.orders", "Shop.Users"]),
        ({"database.include.list": "crm", "table.include.list": ".*orders"}, ["crm.orders"]),
        ({"table.include.list": "mysql.user"}, []),
        ({"table.include.list": "", "table.exclude.list": "crm.*"}, [*ALL[:3]]),
    ],
)
def test_tables_are_chosen_by_whole_names_without_regard_to_case(
    config: dict[str, str | None], captured: list[str]
) -> None:
    assert _captured(config, *ALL) == captured


def test_columns_are_chosen_by_their_full_names() -> None:
    chosen = selection({"column.exclude.list": "shop\\.users\\.pass.*,.*\\.secret"})
    table = TableId("shop", "users")
    names = ["id", "password", "SECRET", "name"]
    assert [name for name in names if chosen.captures_column(table, name)] == ["id", "name"]


@pytest.mark.parametrize("kind", ["database", "table", "column"])
def test_an_include_and_an_exclude_list_of_one_kind_are_refused(kind: str) -> None:
    with pytest.raises(ConfigError, match=rf"{kind}\.exclude\.list"):
        selection({f"{kind}.include.list": "a", f"{kind}.exclude.list": "b"})


def test_a_bad_expression_is_named_with_its_key() -> None:
    with pytest.raises(ConfigError, match=r"Invalid value \(b for configuration k: not a regular"):
        any_of("k", "a,(b")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a,b", ["a", "b"]),
        (" a , b ", ["a", "b"]),
        ("a{1\\,2},b", ["a{1,2}", "b"]),
        (",,", []),
        ("", []),
    ],
)
def test_a_list_is_split_at_commas_that_are_not_escaped(text: str, parts: list[str]) -> None:
    assert split_list(text) == parts


_ITEMS = st.text(st.characters(codec="ascii", exclude_characters="\\"), min_size=1)


@given(st.lists(_ITEMS.map(str.strip).filter(bool)))
def test_an_escaped_list_is_read_back(items: list[str]) -> None:
    assert split_list(",".join(item.replace(",", "\\,") for item in items)) == items
