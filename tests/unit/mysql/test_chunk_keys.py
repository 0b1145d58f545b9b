"""Conditions of chunks: together they read each row once, whatever the keys are."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.capture.tables import Column
from connector.data.java_object_stream import JavaBigInteger, JavaLong
from connector.mysql.chunk_keys import (
    ChunkKey,
    behind,
    chunk_key,
    conditions,
    equals,
)


def literal(value: Any) -> str:
    return f"x'{value.hex()}'" if isinstance(value, bytes) else "'" + value.replace("'", "''") + "'"


def keys(*columns: tuple[str, bool]) -> list[ChunkKey]:
    return [ChunkKey(name, bytes, nullable) for name, nullable in columns]


def test_the_condition_of_one_column() -> None:
    assert conditions(keys(("`id`", False)), (3,), (5,), literal) == "(`id` > 3) AND NOT (`id` > 5)"


def test_the_condition_of_several_columns() -> None:
    assert behind(keys(("`x`", False), ("`y`", False)), (1, "b"), literal) == (
        "((`x` > 1) OR (`x` = 1 AND `y` > 'b'))"
    )


def test_the_condition_of_a_nullable_column() -> None:
    key = keys(("`q`", True))
    assert behind(key, (2,), literal) == "((`q` > 2 AND `q` IS NOT NULL))"
    assert behind(key, (None,), literal) == "(`q` IS NOT NULL)"
    assert equals(key, (None,), literal) == "`q` IS NULL"


@pytest.mark.parametrize(
    ("type_name", "text", "value"),
    [
        ("INT", b"-7", -7),
        ("INT UNSIGNED", b"7", JavaLong(7)),
        ("BIGINT", b"7", JavaLong(7)),
        ("BIGINT UNSIGNED", b"18446744073709551615", JavaBigInteger(2**64 - 1)),
        ("DECIMAL", b"1.50", Decimal("1.50")),
        ("VARCHAR", "ü".encode(), "ü"),
        ("VARBINARY", b"\0\xff", b"\0\xff"),
        ("DATETIME", b"2026-01-01 00:00:00", "2026-01-01 00:00:00"),
        ("BIT", b"5", JavaLong(5)),
        ("DOUBLE", b"0.1", 0.1),
    ],
)
def test_the_servers_text_is_read_by_type(type_name: str, text: bytes, value: Any) -> None:
    read = chunk_key(Column("c", type_name, 0)).read(text)
    assert (read, type(read)) == (value, type(value))


@pytest.mark.parametrize(
    ("type_name", "sql"),
    [
        ("INT", "`a``b`"),
        ("ENUM", "CAST(CONVERT(`a``b` USING utf8mb4) AS BINARY)"),
        ("FLOAT", "(`a``b` + 0e0)"),
        ("BIT", "(`a``b` + 0)"),
    ],
)
def test_columns_are_compared_as_they_are_ordered(type_name: str, sql: str) -> None:
    assert chunk_key(Column("a`b", type_name, 0)).sql == sql


VALUE = st.integers(-2, 2)
PARTS = {
    "required": st.tuples(VALUE, VALUE, VALUE),
    "nullable": st.tuples(*[st.none() | VALUE] * 3),
}


@pytest.mark.parametrize("kind", PARTS)
@given(data=st.data())
def test_chunks_read_each_row_once(kind: str, data: st.DataObject) -> None:
    rows = data.draw(st.lists(PARTS[kind], unique=True, max_size=25))
    size = data.draw(st.integers(1, 5))
    names = keys(*((name, kind == "nullable") for name in "xyz"))
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE t (x, y, z)")
        database.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
        assert sorted(map(str, _read(database, names, size))) == sorted(map(str, rows))


@pytest.mark.parametrize("kind", PARTS)
@given(data=st.data())
def test_parts_of_a_chunk_have_each_row_once(kind: str, data: st.DataObject) -> None:
    """Whatever the keys are at which the parts end, of rows that exist or do not."""
    rows = data.draw(st.lists(PARTS[kind], unique=True, max_size=25))
    ends = data.draw(st.lists(PARTS[kind] | st.sampled_from(rows or [(0, 0, 0)]), max_size=4))
    names = keys(*((name, kind == "nullable") for name in "xyz"))
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE t (x, y, z)")
        database.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
        ends.sort(key=lambda end: [(value is not None, value or 0) for value in end])
        found: list[tuple[Any, ...]] = []
        for after, until in zip([None, *ends], [*ends, None], strict=True):
            where = conditions(names, after, until, literal) or "TRUE"
            found += database.execute(f"SELECT * FROM t WHERE {where}").fetchall()
    assert sorted(map(str, found)) == sorted(map(str, rows))


def _read(
    database: sqlite3.Connection, names: Sequence[ChunkKey], size: int
) -> list[tuple[Any, ...]]:
    order = "x DESC, y DESC, z DESC"
    maximum = database.execute(f"SELECT * FROM t ORDER BY {order} LIMIT 1").fetchone()
    found: list[tuple[Any, ...]] = []
    after, where = None, ""
    while maximum is not None:
        if after is not None:
            where = f"WHERE {conditions(names, after, maximum, literal)}"
        chunk = database.execute(f"SELECT * FROM t {where} ORDER BY x, y, z LIMIT {size}")
        rows = chunk.fetchall()
        if not rows:
            break
        found += rows
        after = rows[-1]
    return found
