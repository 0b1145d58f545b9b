"""Tables of a snapshot that are split into ranges of keys: each row is read once."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from typing import Any

import pytest

from connector.capture.change import Change, RowChanges
from connector.capture.snapshot_events import ChunkScan
from connector.capture.snapshot_plan import Plan
from connector.capture.source import Source
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.sources import source
from tests.fixtures.statement_proxy import StatementProxy


def changes(opened: Source[Any]) -> Generator[Change, None, Any]:
    opened.open()
    return opened.snapshot(Plan("initial", schema=True, data=True), None)


KEYS = {
    "BIGINT UNSIGNED": "i + 18446744073709500000",
    "VARCHAR(9) COLLATE utf8mb4_general_ci": "CONCAT(CHAR(97 + i MOD 26 USING utf8mb4), i)",
    "VARBINARY(9)": "CONCAT(CHAR(i MOD 256), i)",
    "DECIMAL(12,3)": "i / 8 - 100",
    "DOUBLE": "i / 7 - 100",
    "DATETIME(3)": "'2026-01-01' + INTERVAL i * 61 SECOND",
    "TIME": "SEC_TO_TIME(i * 60 - 90000)",
    "BIT(20)": "i",
    "ENUM('b', 'c', 'a')": "1 + i MOD 3",
}


@pytest.mark.parametrize("split", [{"": "3", "__multiplier": "2"}, {"__multiplier": "7"}])
def test_every_row_of_a_split_table_is_read_once(
    each_database: FreshDatabase, split: dict[str, str]
) -> None:
    """Keys of every kind, behind a column with few values."""
    database = each_database
    numbers = "WITH RECURSIVE n AS (SELECT 1 i UNION ALL SELECT i + 1 FROM n WHERE i < 1000)"
    for number, (type_, value) in enumerate(KEYS.items()):
        database.execute(
            f"CREATE TABLE k{number} (few INT, k {type_}, i INT, PRIMARY KEY (few, k, i))",
            f"INSERT INTO k{number} {numbers} SELECT i MOD 2, {value}, i FROM n",
        )
    options = {f"snapshot__max__threads{name}": text for name, text in split.items()}
    opened = source(database, table__include__list=rf"{database.name}\.k.*", **options)
    rows: dict[str, list[Any]] = {}
    scans: dict[str, list[ChunkScan]] = {}
    for change in changes(opened):
        if isinstance(change, RowChanges):
            found = rows.setdefault(change.codec.table.id.table, [])
            found += [after for _, after in change.rows]
        elif isinstance(change, ChunkScan):
            scans.setdefault(change.table.table, []).append(change)
    opened.close()
    assert {table: sorted(row[2] for row in found) for table, found in rows.items()} == {
        f"k{number}": list(range(1, 1001)) for number in range(len(KEYS))
    }
    count = 6 if "" in split else 7
    for found in scans.values():
        assert {scan.count for scan in found} == {count}
        for is_complete in (False, True):
            numbers_of = [scan.number for scan in found if scan.is_complete is is_complete]
            assert sorted(numbers_of) == list(range(count))


@pytest.mark.parametrize("each_database", ["mysql"], indirect=True)
def test_a_split_table_that_is_altered_between_two_ranges_is_read_again(
    each_database: FreshDatabase,
) -> None:
    """MariaDB keeps the definitions of tables until the transaction ends."""
    database = each_database
    numbers = "WITH RECURSIVE n AS (SELECT 1 i UNION ALL SELECT i + 1 FROM n WHERE i < 900)"
    for table in ("t", "u"):
        database.execute(
            f"CREATE TABLE {table} (id INT PRIMARY KEY, v INT)",
            f"INSERT INTO {table} {numbers} SELECT i, 0 FROM n",
        )
    rows: dict[str, list[Any]] = {"t": [], "u": []}
    with StatementProxy(database.server.host, database.server.port) as proxy:
        second = "SELECT 1 FROM .*`t` LIMIT 0"
        proxy.before(
            second,
            lambda: proxy.before(
                second, lambda: database.execute("ALTER TABLE t ADD COLUMN late INT DEFAULT 5")
            ),
        )
        address = {"database__hostname": proxy.host, "database__port": str(proxy.port)}
        with closing(source(database, snapshot__max__threads__multiplier="3", **address)) as opened:
            for change in changes(opened):
                if isinstance(change, RowChanges):
                    rows[change.codec.table.id.table] += [after for _, after in change.rows]
    assert sorted(row[0] for row in rows["u"]) == list(range(1, 901))
    assert sorted(row[0] for row in rows["t"] if len(row) == 3) == list(range(1, 901))
    assert max(row[0] for row in rows["t"] if len(row) == 2) < 900, "one range at least"
