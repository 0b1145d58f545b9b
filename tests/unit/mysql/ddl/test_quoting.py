"""Sessions that quote in their own way, and statements in other character sets."""

from __future__ import annotations

import pytest

from connector.capture.tables import TableId, Tables
from connector.mysql.binlog.query import QuerySession, session_of, text_of
from connector.mysql.ddl.apply_text import apply_text
from connector.mysql.ddl.catalog import Catalog
from connector.mysql.ddl.variables import Quoting

ANSI, NO_ESCAPES = 1 << 2, 1 << 20
TEXT = """CREATE TABLE "t" ("a b" INT, c VARCHAR(5) DEFAULT 'x\\', d VARCHAR(5) DEFAULT '\\')"""


@pytest.mark.parametrize("quoting", [Quoting.of_bits(ANSI | NO_ESCAPES), None])
def test_a_mode_is_taken_from_the_log_or_found_out(quoting: Quoting | None) -> None:
    catalog = Catalog(Tables(), "mysql")
    [event] = apply_text(catalog, TEXT, "d", quoting)
    assert event.statement == TEXT
    table = catalog.tables.get(TableId("d", "t"))
    assert table is not None
    assert [(column.name, column.default) for column in table.columns] == [
        ("a b", None),
        ("c", "x\\"),
        ("d", "\\"),
    ]


def test_the_mode_of_the_session_comes_before_that_of_the_server() -> None:
    catalog = Catalog(Tables(), "mysql")
    catalog.variables.set("sql_mode", "ANSI_QUOTES", "GLOBAL")
    [event] = apply_text(catalog, 'CREATE TABLE t (a CHAR DEFAULT "x")', "d", Quoting.of_bits(0))
    assert event.statement == "CREATE TABLE t (a CHAR DEFAULT 'x')"


@pytest.mark.parametrize(
    ("names", "ansi_quotes", "backslashes"),
    [("", False, True), ("ANSI_QUOTES,ANSI", True, True), ("no_backslash_escapes", False, False)],
)
def test_the_modes_of_a_server(names: str, ansi_quotes: bool, backslashes: bool) -> None:
    catalog = Catalog(Tables(), "mysql")
    catalog.variables.set("sql_mode", names, "GLOBAL")
    assert catalog.variables.quoting() == Quoting(ansi_quotes, backslashes)


@pytest.mark.parametrize("oracle", [False, True])
@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("mariadb_schema.date", "DATE"),
        ("oracle_schema.date", "DATETIME"),
        ("ORACLE_SCHEMA . raw(3)", "VARBINARY"),
        ("maxdb_schema.timestamp(3)", "DATETIME"),
        ("mariadb_schema.timestamp(3)", "TIMESTAMP"),
    ],
)
def test_types_with_schemas_mean_the_same_in_all_modes(
    written: str, name: str, *, oracle: bool
) -> None:
    catalog = Catalog(Tables(), "mariadb")
    apply_text(catalog, f"CREATE TABLE t (a {written}, b INT)", "d", Quoting(oracle=oracle))
    [table] = catalog.tables
    assert [column.type_name for column in table.columns] == [name, "INT"]


def status(client: int) -> bytes:
    """Build the status variables that a server writes before those that are not read."""
    mode = (ANSI | 1 << 33).to_bytes(8, "little")
    charset = client.to_bytes(2, "little") + b"\xff\x00\x08\x00"
    return (
        b"\x00\x00\x00\x00\x00\x01" + mode + b"\x06\x03std" + b"\x04" + charset + b"\x0c\x01d\x00"
    )


@pytest.mark.parametrize(
    ("client", "codec"), [(8, "cp1252"), (28, "gbk"), (13, "shift_jis"), (255, None), (2304, None)]
)
def test_the_session_of_a_statement(client: int, codec: str | None) -> None:
    assert session_of(status(client)) == QuerySession(ANSI | 1 << 33, codec)


def test_a_session_that_is_not_logged() -> None:
    assert session_of(b"") == QuerySession(None, None)
    assert session_of(b"\x80\x01\x02") == QuerySession(None, None)


def test_a_statement_is_in_the_character_set_of_its_client() -> None:
    text = "CREATE TABLE `ü` (e ENUM('ä','ß'))"
    assert text_of(text.encode("cp1252"), "cp1252") == text
    assert text_of("ENUM('十')".encode("gbk"), "gbk") == "ENUM('十')"
    assert text_of(text.encode(), None) == text
    assert text_of(b"a\xe4", None) == "a\ufffd"


def test_what_the_server_makes_is_utf_8_whatever_the_client_uses() -> None:
    text = "CREATE TABLE `ü` (\n  `e` enum('ä') DEFAULT NULL\n)"
    assert text_of(text.encode(), "cp1252") == text
    assert text_of(text.encode("cp1252"), "cp1252") == text
