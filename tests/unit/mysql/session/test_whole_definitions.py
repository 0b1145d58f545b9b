"""The settings with which a session shows whole definitions of tables."""

from __future__ import annotations

import pytest

from connector.mysql.session.whole_definitions import whole_definitions


@pytest.mark.parametrize("sql_mode", ["", "ANSI_QUOTES,STRICT_TRANS_TABLES", "NO_ZERO_DATE"])
def test_other_modes_stay(sql_mode: str) -> None:
    assert list(whole_definitions({"sql_mode": sql_mode})) == []


@pytest.mark.parametrize(
    ("sql_mode", "kept"),
    [
        ("NO_TABLE_OPTIONS", ""),
        ("ANSI_QUOTES,ORACLE,NO_KEY_OPTIONS,NO_TABLE_OPTIONS,NO_FIELD_OPTIONS", "ANSI_QUOTES"),
        ("STRICT_TRANS_TABLES,NO_FIELD_OPTIONS,MYSQL40", "STRICT_TRANS_TABLES"),
    ],
)
def test_modes_that_leave_out_options_are_removed(sql_mode: str, kept: str) -> None:
    found = list(whole_definitions({"sql_mode": sql_mode}))
    assert found == [f"SET SESSION sql_mode = '{kept}'"]


def test_generated_keys_are_shown() -> None:
    name = "show_gipk_in_create_table_and_information_schema"
    assert list(whole_definitions({name: "OFF"})) == [f"SET SESSION {name} = ON"]
    assert list(whole_definitions({name: "ON"})) == []
