"""With compat.mode=exact tracked columns have the types and character sets that the server has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import Any, Final

import pymysql

from connector.capture.change import Change, RowChanges
from connector.capture.snapshot_plan import Plan
from connector.capture.source import Source
from connector.capture.tables import TableId, Tables
from connector.mysql.ddl.apply_text import apply_text
from connector.mysql.ddl.catalog import Catalog
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.single_changes import single_changes
from tests.fixtures.sources import source

COLUMNS: Final = """SELECT COLUMN_NAME, UPPER(DATA_TYPE), CHARACTER_SET_NAME FROM
    information_schema.COLUMNS WHERE TABLE_SCHEMA = %s AND TABLE_NAME = %s
    ORDER BY ORDINAL_POSITION"""
SAME: Final = {
    "CHARACTER": "CHAR",
    "NCHAR": "CHAR",
    "NATIONAL": "CHAR",
    "VARCHARACTER": "VARCHAR",
    "NVARCHAR": "VARCHAR",
    "CHARACTER VARYING": "VARCHAR",
    "NATIONAL VARCHAR": "VARCHAR",
    "NATIONAL CHAR": "CHAR",
    "NCHAR VARCHAR": "VARCHAR",
    "LONG VARBINARY": "MEDIUMBLOB",
    # a conversion to wider characters may make a larger type of the same values
    **dict.fromkeys(("TINYTEXT", "MEDIUMTEXT", "LONGTEXT", "LONG", "LONG VARCHAR"), "TEXT"),
}
TYPES: Final = (
    "CHAR, CHAR(5), CHARACTER(5), VARCHAR(6), CHARACTER VARYING(6), TINYTEXT, TEXT, MEDIUMTEXT, "
    "LONGTEXT, LONG, LONG VARCHAR"
).split(", ")
CHOICES: Final = ("ENUM('a','b')", "SET('a','b')")
NATIONAL: Final = (
    "NCHAR(4), NATIONAL CHAR(4), NATIONAL VARCHAR(4), NVARCHAR(4), NCHAR VARCHAR(4), "
    "NCHAR(4) BINARY, NATIONAL CHAR(4) BINARY, NATIONAL VARCHAR(4) BINARY"
).split(", ")
ATTRIBUTES: Final = (
    "",
    "BINARY",
    "ASCII",
    "UNICODE",
    "BYTE",
    "ASCII BINARY",
    "CHARACTER SET greek",
    "CHARSET 'greek'",
    "CHARACTER SET binary",
    "CHARACTER SET latin2 COLLATE latin2_croatian_ci",
    "COLLATE latin1_bin",
    "COLLATE 'latin1_bin'",
    "NOT NULL COLLATE latin1_bin",
    "COLLATE binary",
    "COLLATE utf8_general_ci",
    "COLLATE utf8mb3_bin",
    "COLLATE utf8mb4_unicode_ci",
    "COLLATE utf8mb4_uca1400_ai_ci",
    "COLLATE uca1400_ai_ci",
    "COLLATE latin1_swedish_nopad_ci",
    "COLLATE DEFAULT",
    "COLLATE latin1_bin GENERATED ALWAYS AS (NULL)",
)
OPTIONS: Final = (
    "",
    "CHARSET greek",
    "CHARSET=DEFAULT",
    "COLLATE latin1_bin",
    "DEFAULT COLLATE = 'latin1_bin'",
    "CHARSET latin2 COLLATE latin2_croatian_ci",
    "COLLATE latin2_croatian_ci CHARSET latin2",
    "CHARSET binary",
    "COLLATE uca1400_ai_ci",
    "COLLATE utf8mb4_uca1400_ai_ci",
)
STEPS: Final = (
    ("CHARSET latin1", "ADD n1 CHAR(5), ADD (n2 TEXT, n3 CHAR(6) COLLATE greek_bin)"),
    ("ADD n1 CHAR(5), CHARSET latin1, MODIFY c0 CHAR(7)",),
    ("COLLATE latin2_croatian_ci", "CHANGE c0 n0 VARCHAR(7), ADD n1 TEXT"),
    ("DEFAULT CHARACTER SET = greek COLLATE = greek_bin, ADD n1 ENUM('x')", "ADD n2 SET('x')"),
    ("CHARSET greek", "CHARSET DEFAULT, ADD n1 TEXT"),
    ("CONVERT TO CHARACTER SET greek COLLATE greek_bin, ADD n1 TEXT CHARSET latin1",),
    ("CONVERT TO CHARACTER SET DEFAULT", "ADD n1 TEXT"),
    ("CONVERT TO CHARACTER SET binary", "ADD n1 TEXT, ADD n2 ENUM('x')"),
    ("CONVERT TO CHARACTER SET binary", "CONVERT TO CHARACTER SET greek", "ADD n1 TEXT"),
    ("COLLATE uca1400_ai_ci", "ADD n1 TEXT"),
    ("MODIFY c0 CHAR(7) CHARACTER SET binary, MODIFY c1 VARCHAR(4) BYTE",),
)
STREAMED: Final = (
    """CREATE TABLE indirect (a CHAR(9) ASCII, b TEXT COLLATE latin1_bin, c CHAR(9), d VARCHAR(9))
    COLLATE latin1_bin""",
    "ALTER TABLE indirect ADD (e VARCHAR(9) COLLATE latin1_bin)",
    "INSERT INTO indirect VALUES ('é', 'é', 'é', 'é', 'é')",
    "CREATE TABLE choices (a ENUM('a', 'b') BINARY, b SET('a', 'b') BINARY)",
    "INSERT INTO choices VALUES ('b', 'a,b')",
    "CREATE TABLE inherited (a CHAR(9))",
    "ALTER TABLE inherited CHARSET latin1",
    "ALTER TABLE inherited ADD b CHAR(9)",
    "INSERT INTO inherited VALUES ('λ', 'é')",
    "ALTER DATABASE COLLATE latin1_bin",
    "CREATE TABLE passed_on (a CHAR(9))",
    "INSERT INTO passed_on VALUES ('é')",
    """CREATE TABLE in_bytes (a CHAR(2) BYTE, b VARCHAR(9) CHARACTER SET binary, c TEXT)
    CHARSET binary""",
    "INSERT INTO in_bytes VALUES (x'E9', x'E9', x'E9')",
    "CREATE TABLE last (id INT)",
    "INSERT INTO last VALUES (1)",
)
DATABASES: Final = (
    "ALTER DATABASE {} COLLATE latin1_bin",
    "ALTER DATABASE {} CHARACTER SET latin2 COLLATE latin2_croatian_ci",
    "ALTER DATABASE {} CHARSET = greek",
    "ALTER DATABASE CHARSET DEFAULT",
    "ALTER DATABASE {} COLLATE = binary",
    "ALTER DATABASE {} COLLATE uca1400_ai_ci",
    "ALTER DATABASE {} CHARACTER SET latin1",
)


def test_character_sets_are_those_of_the_server(each_database: FreshDatabase) -> None:
    tables = _Tables(each_database)
    for attribute in ATTRIBUTES:
        kinds = [f"{kind} {attribute}" for kind in (*TYPES, *CHOICES)]
        columns = [f"c{number} {kind}" for number, kind in enumerate(kinds)]
        if not tables.run(f"CREATE TABLE t ({', '.join(columns)}) CHARSET armscii8"):
            columns = [one for one in columns if tables.run(f"CREATE TABLE t ({one})")]
        if columns:
            added = f"ADD ({', '.join(columns)}), ADD c {columns[0].partition(' ')[2]}"
            tables.run("CREATE TABLE t (a INT) CHARSET armscii8", f"ALTER TABLE t {added}")
    for kind in NATIONAL:
        tables.run(f"CREATE TABLE t (c0 {kind}) CHARSET armscii8")
    assert tables.compared > 40


def test_tables_and_databases_pass_on_their_character_sets(each_database: FreshDatabase) -> None:
    tables = _Tables(each_database)
    columns = ", ".join(f"c{n} {kind}" for n, kind in enumerate((*TYPES, *CHOICES)))
    for option in ("", "CHARSET greek", "COLLATE latin1_bin"):
        for steps in STEPS:
            create = f"CREATE TABLE t ({columns}) {option}"
            tables.run(create, *(f"ALTER TABLE t {step}" for step in steps))
    for database in DATABASES:
        tables.try_statement(database.format(each_database.name))
        for option in OPTIONS:
            tables.run(f"CREATE TABLE t ({columns}) {option}")
        for default in ("CHARSET DEFAULT, ADD n1 TEXT", "CONVERT TO CHARACTER SET DEFAULT"):
            tables.run(f"CREATE TABLE t ({columns}) CHARSET greek", f"ALTER TABLE t {default}")
    assert tables.compared > 80


def test_streamed_values_are_those_of_a_snapshot(each_database: FreshDatabase) -> None:
    """The database is empty when the connector starts, and has another charset than the server."""
    name = each_database.name
    each_database.execute(f"ALTER DATABASE {name} CHARACTER SET greek")
    with closing(source(each_database, compat__mode="exact")) as made:
        made.open()
        at = _end_of_snapshot(made)
        each_database.execute(*STREAMED)
        streamed = _rows(single_changes(made.stream(at)), last="last")
    with closing(source(each_database, compat__mode="exact")) as made:
        made.open()
        read = _rows(made.snapshot(Plan("initial", schema=True, data=True), None))
    assert streamed == read
    assert streamed["indirect"] == [("é", "é", "é", "é", "é")]
    assert streamed["choices"] == [("b", "a,b")]
    assert streamed["inherited"] == [("λ", "é")]
    assert streamed["passed_on"] == [("é",)]
    assert streamed["in_bytes"] == [(b"\xe9\0", b"\xe9", b"\xe9")]


def _end_of_snapshot(made: Source[Any]) -> Any:
    ends = []

    def changes() -> Iterator[Change]:
        ends.append((yield from made.snapshot(Plan("initial", schema=True, data=True), None)))

    list(changes())
    return ends[0]


def _rows(changes: Iterable[Change], last: str = "") -> dict[str, list[Any]]:
    """Return the rows by table, up to those of the table ``last``."""
    found: dict[str, list[Any]] = {}
    for change in changes:
        if isinstance(change, RowChanges):
            table = change.codec.table.id.table
            found.setdefault(table, []).extend(after for _, after in change.rows)
            if table == last:
                break
    return found


class _Tables:
    """A database whose statements are also applied to a catalog."""

    def __init__(self, database: FreshDatabase) -> None:
        self.compared = 0
        self._database = database
        self._is_mariadb = database.server.name == "mariadb"
        self._catalog = Catalog(Tables(), "mariadb" if self._is_mariadb else "mysql", exact=True)
        charset = database.query("SELECT @@character_set_server")[0][0]
        self._catalog.variables.set("character_set_server", str(charset))
        apply_text(self._catalog, f"CREATE DATABASE {database.name}", "")

    def run(self, *statements: str) -> bool:
        """Run statements that make the table ``t``, compare it, and drop it.

        Return whether this server accepts any.
        """
        done = [sql for sql in statements if self.try_statement(sql)]
        if done:
            assert self._tracked() == self._actual(), done
            self.compared += 1
            self.try_statement("DROP TABLE t")
        return bool(done)

    def try_statement(self, sql: str) -> bool:
        """Run a statement; return whether this server accepts it."""
        try:
            self._database.execute(sql)
        except pymysql.MySQLError:
            return False
        apply_text(self._catalog, sql, self._database.name)
        return True

    def _tracked(self) -> list[tuple[str, str, str | None]]:
        table = self._catalog.tables.get(TableId(self._database.name, "t"))
        assert table is not None
        return [
            (column.name, _plain(column.type_name), _plain_charset(column.charset))
            for column in table.columns
        ]

    def _actual(self) -> list[tuple[str, str, str | None]]:
        return [
            (name, _plain(kind), _plain_charset(charset))
            for name, kind, charset in self._database.query(COLUMNS, self._database.name, "t")
        ]


def _plain(kind: str) -> str:
    name = kind.removesuffix(" BINARY")
    return SAME.get(name, name)


def _plain_charset(charset: str | None) -> str | None:
    """Return the name without letters' case; ``binary`` of an ENUM is no charset to MySQL."""
    lowered = None if charset is None else charset.lower()
    return {"utf8": "utf8mb3", "binary": None}.get(lowered or "", lowered)
