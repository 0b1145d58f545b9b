"""A change of a column's type that is not reported keeps the values of all rows on the server."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from operator import itemgetter
from typing import Any, Final

import pymysql
import pytest

from sparksink.schemas.defined_columns import DefinedColumn, parse_defined_column
from sparksink.schemas.kept_values import keeps_values
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.sink.defined import defined
from tools.stack import MariaDb

_INTEGERS: Final = ("TINYINT", "SMALLINT", "MEDIUMINT", "INT", "BIGINT")
_ANY_SERVER: Final = (
    *_INTEGERS, *(f"{one} UNSIGNED" for one in _INTEGERS), "INT(4) ZEROFILL", "BOOLEAN",
    "DECIMAL(10,0)", "DECIMAL(3,0)", "DECIMAL(19,0)", "DECIMAL(20,0)", "DECIMAL(5,5)",
    "DECIMAL(12,2)", "DECIMAL(14,4)", "DECIMAL(5,2) UNSIGNED", "FLOAT", "DOUBLE", "FLOAT(7,2)",
    "DOUBLE(9,3)", "FLOAT UNSIGNED", "DATE", "DATETIME", "DATETIME(3)", "DATETIME(6)", "TIME",
    "TIME(6)", "TIMESTAMP(0) NULL", "TIMESTAMP(6) NULL", "YEAR",
    *(f"CHAR({n})" for n in (1, 5, 20)), *(f"VARCHAR({n})" for n in (3, 4, 5, 10, 11, 20, 21, 64)),
    "VARCHAR(5) CHARACTER SET latin1", "VARCHAR(5) CHARACTER SET utf8mb3",
    "VARCHAR(5) CHARACTER SET ascii", "VARCHAR(5) CHARACTER SET cp1251", "TINYTEXT", "TEXT",
    "MEDIUMTEXT", "LONGTEXT", "TEXT CHARACTER SET latin1", "BINARY(4)", "BINARY(5)",
    "VARBINARY(4)", "VARBINARY(255)", "VARBINARY(256)", "TINYBLOB", "BLOB", "LONGBLOB", "BIT(1)",
    "BIT(3)", "BIT(8)", "BIT(9)", "ENUM('a','b')", "ENUM('b','a')", "ENUM('a','x','b')",
    "SET('a','b')", "SET('b','a')", "SET('a','x','b')", "VARCHAR(5) NOT NULL", "INT NOT NULL",
)  # fmt: skip
_MYSQL: Final = ("JSON",)
_MARIADB: Final = ("UUID", "INET6")
_TEXTS: Final = (
    "", "0", "1", "-1", "5", "a", "b", "a,b", "x", "a ", " a", "ü", "я", "€", "😀", "1.5", "-0.12",
    "0.99999", "1e-7", "1.1", "-3.4e38", "255", "-99999999999999999999", "99999999999999999999",
    "16777217", "9007199254740993", "99999999999999999999.99999", "2024-02-29",
    "2024-02-29 23:59:59.999999", "1000-01-01", "9999-12-31", "23:59:59.999999", "-838:59:59.5",
    "0000-00-00", "2155", "1970", "null", '{"a": [1.5, "ü"]}', "x" * 300,
    "00000000-0000-0000-0000-00000000ffff", "2001:db8::ff00:42:8329",
)  # fmt: skip
"""What each column is given; the server makes the nearest value of its type of it."""
_BYTES: Final = (b"\0", b"\1", b"a\0", b"\xff" * 4, b"\0" * 256, b"\xe4")
_PLAIN: Final[Mapping[str, Any]] = {"conv": {}, "sql_mode": "", "autocommit": True}


@pytest.mark.parametrize("every", [6, pytest.param(1, marks=pytest.mark.slow)])
def test_values_stay_when_nothing_is_reported(each_database: FreshDatabase, every: int) -> None:
    server = each_database.server
    own = _MARIADB if isinstance(server, MariaDb) else _MYSQL
    types, tried, faults = (*_ANY_SERVER, *own), 0, list[str]()
    with server.connect(database=each_database.name, **_PLAIN) as session:
        cursor = session.cursor()
        kept = itertools.islice(_find_unreported(types), 0, None, every)
        for before, changes in itertools.groupby(kept, key=itemgetter(0)):
            values = _fill(cursor, before)
            for _, after in changes:
                tried += 1
                faults += _find_changed(cursor, values, before, after)[:1]
    assert not faults, "\n".join(faults)
    assert tried > 4 * len(types) / every


def _find_unreported(types: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the changes that are not reported."""
    columns = {one: _column(one) for one in types}
    for before, after in itertools.permutations(types, 2):
        if keeps_values(columns[before], columns[after]):
            yield before, after


def _column(kind: str) -> DefinedColumn:
    (message,) = defined(f"CREATE TABLE t (id INT PRIMARY KEY, c {kind}) CHARSET utf8mb4")
    given: Mapping[str, Any] = message["tableChanges"][0]["table"]["columns"][1]
    return parse_defined_column(given)


def _find_changed(cursor: Any, values: Sequence[Any], before: str, after: str) -> list[str]:
    """Change the type in a copy of the table; return the values that are others then."""
    cursor.execute("DROP TABLE IF EXISTS copied")
    cursor.execute("CREATE TABLE copied LIKE t")
    cursor.execute("INSERT INTO copied SELECT * FROM t")
    cursor.execute(f"ALTER TABLE copied MODIFY c {after}")
    found = _read(cursor, "copied", before)
    return [
        f"{before} → {after}, row {number}: {old!r} becomes {new!r}"
        for number, (old, new) in enumerate(zip(values, found, strict=True))
        if old != new and _normal(old, before, after) != _normal(new, after, after)
    ]


def _fill(cursor: Any, kind: str) -> list[Any]:
    """Create the table with values of a type, and return them."""
    cursor.execute("DROP TABLE IF EXISTS t")
    cursor.execute(f"CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, c {kind}) CHARSET utf8mb4")
    for value in (*_TEXTS, *_BYTES):
        written = f"x'{value.hex()}'" if isinstance(value, bytes) else f"'{value}'"
        try:
            cursor.execute(f"INSERT IGNORE INTO t (c) VALUES ({written})")
        except pymysql.MySQLError as error:
            if error.args[0] not in _REFUSED:
                raise
    found = _read(cursor, "t", kind)
    assert found
    return found


def _read(cursor: Any, table: str, former: str) -> list[Any]:
    """Return the values of the table; of a FLOAT all digits."""
    value = "c + 0e0" if former.startswith("FLOAT") else "c"
    cursor.execute(f"SELECT {value} FROM {table} ORDER BY id")
    return [value for (value,) in cursor.fetchall()]


_REFUSED: Final = {3140, 3144, 3853, 1292}
"""A text that is no JSON, UUID or address is an error even with INSERT IGNORE."""


def _normal(value: Any, kind: str, other: str) -> Any:
    """Return a value as the mirror compares it: numbers by value, times without trailing zeros."""
    if value is None:
        return None
    if other.startswith(_INTEGERS):
        return int(value)
    if other.startswith("DOUBLE"):
        return float(value)
    if other.startswith("DECIMAL"):
        return Decimal(value)
    if other.startswith(("DATETIME", "TIME")):
        text = value + " 00:00:00" if kind == "DATE" else value
        return text.rstrip("0").rstrip(".") if "." in text else text
    return value
