"""Whether a definition fits the rows in the log, and definitions made of the log's description."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.capture.tables import Column, Table, TableId, Tables
from connector.mysql.binlog.described import (
    Charset,
    create_statement,
    described_difference,
    logged_columns,
    unsigned_columns,
)
from connector.mysql.binlog.fitting import difference
from connector.mysql.binlog.tablemap import TableMap, parse_table_map
from connector.mysql.ddl.apply_text import apply_text
from connector.mysql.ddl.catalog import Catalog
from connector.mysql.types import fields
from connector.mysql.types.fields import Wire
from tests.fixtures.fields_as_bytes import length_encoded
from tests.unit.mysql.binlog import events_as_bytes as written
from tests.unit.mysql.binlog.kinds import KINDS

T = TableId("d", "t")
COLLATIONS = {63: Charset("binary", 1), 255: Charset("utf8mb4", 4), 8: Charset("latin1", 1)}


def table_with(type_name: str, **more: int) -> Table:
    return Table(T, (Column("a", type_name, 4, **more),))  # type: ignore[arg-type]  # numbers only


@pytest.mark.parametrize(
    ("type_name", "wire", "fits"),
    [
        ("INT", Wire(fields.LONG), True),
        ("INT", Wire(fields.LONGLONG), False),
        ("TINYINT", Wire(fields.LONG), False),
        ("VARCHAR", Wire(fields.BLOB, 2), True),
        ("VARCHAR", Wire(fields.LONG), False),
        ("DATE", Wire(fields.DATETIME2, 0), False),
        ("ENUM", Wire(fields.STRING, 0x01F7), True),
        ("SET", Wire(fields.STRING, 0x01F7), False),
        ("JSON", Wire(fields.BLOB, 4), True),
        ("INET6", Wire(fields.STRING, 0x10FE), True),  # not looked at
    ],
)
def test_a_type_may_stand_in_the_log_as_some_others(
    type_name: str, wire: Wire, *, fits: bool
) -> None:
    assert (difference(table_with(type_name), TableMap(T, (wire,))) is None) == fits


def test_signs_and_scales_are_compared_where_the_log_has_them() -> None:
    signed = TableMap(T, (Wire(fields.LONG),), (), b"\0", {1: b"\0"})
    unsigned = TableMap(T, (Wire(fields.LONG),), (), b"\0", {1: b"\x80"})
    assert unsigned_columns(unsigned) == {0: True}
    assert difference(table_with("INT UNSIGNED"), unsigned) is None
    assert difference(table_with("INT"), signed) is None
    assert "of type INT," in (difference(table_with("INT"), unsigned) or "")
    decimal = TableMap(T, (Wire(fields.NEWDECIMAL, 10 | 2 << 8),))
    assert difference(table_with("DECIMAL", length=10, scale=2), decimal) is None
    assert difference(table_with("DECIMAL", length=10, scale=3), decimal) is not None


def test_a_column_that_is_not_behind_the_generated_key_is_found() -> None:
    key, other = Column("my_row_id", "BIGINT UNSIGNED", -5), Column("a", "INT", 4)
    rows = TableMap(T, (Wire(fields.LONG), Wire(fields.LONGLONG)))
    assert difference(Table(T, (key, other)), rows, strict=False) is not None
    assert difference(Table(T, (other, key)), rows, strict=False) is None


def described(*columns: tuple[str, Wire], nullable: int = 0, **blocks: bytes) -> TableMap:
    """A table of such columns with blocks of metadata, named ``b`` and their number."""
    metadata = {int(name[1:]): block for name, block in blocks.items()}
    names = tuple(name for name, _ in columns)
    return TableMap(T, tuple(wire for _, wire in columns), names, bytes([nullable]), metadata)


def test_a_table_is_made_of_its_description() -> None:
    table_map = described(
        ("id", Wire(fields.LONGLONG)),
        ("v`w", Wire(fields.VARCHAR, 80)),
        ("raw", Wire(fields.BLOB, 2)),
        ("e", Wire(fields.STRING, 0x01F7)),
        ("d", Wire(fields.NEWDECIMAL, 10 | 3 << 8)),
        ("at", Wire(fields.DATETIME2, 3)),
        ("DB_ROW_HASH_1", Wire(fields.LONGLONG)),
        nullable=0b0110010,
        b1=b"\x80",
        b3=length_encoded(255) + b"\x3f",
        b10=b"\x08",
        b6=b"\x02\x01a\x03b'c",
        b8=b"\0",
    )
    ddl = create_statement(table_map, COLLATIONS, is_mariadb=True)
    assert ddl.splitlines() == [
        "CREATE TABLE `t` (",
        "  `id` bigint unsigned NOT NULL,",
        "  `v``w` varchar(20) CHARACTER SET utf8mb4 DEFAULT NULL,",
        "  `raw` blob NOT NULL,",
        "  `e` enum('a','b''c') CHARACTER SET latin1 NOT NULL,",
        "  `d` decimal(10,3) DEFAULT NULL,",
        "  `at` datetime(3) DEFAULT NULL,",
        "  PRIMARY KEY (`id`)",
        ")",
    ]
    tables = Tables()
    apply_text(Catalog(tables, "mariadb"), ddl, "d")
    table = tables.get(T)
    assert table is not None
    assert difference(table, table_map, 1) is None
    assert described_difference(table, table_map, COLLATIONS, is_mariadb=True) is None
    apply_text(Catalog(tables, "mariadb"), "ALTER TABLE t MODIFY raw BLOB NULL", "d")
    altered = tables.get(T)
    assert altered is not None
    fault = described_difference(altered, table_map, COLLATIONS, is_mariadb=True)
    assert fault == "they differ in whether column raw accepts NULL"


@given(kinds=st.lists(st.sampled_from(KINDS), min_size=1, max_size=8), garbage=st.binary())
def test_a_description_of_garbage_is_an_error_or_a_table(
    kinds: list[object], garbage: bytes
) -> None:
    names = [f"c{number}" for number in range(len(kinds))]
    event = written.table_map(kinds, names=names)  # type: ignore[arg-type]  # kinds of columns
    _, table_map = parse_table_map(event[19:], 0, len(event) - 19)
    assert [column.name for column in logged_columns(table_map)] == names
    for block in range(1, 13):
        damaged = TableMap(
            T, table_map.wires, table_map.names, table_map.nullable, {block: garbage}
        )
        try:
            create_statement(damaged, COLLATIONS, is_mariadb=False)
        except (LookupError, ValueError):
            continue
