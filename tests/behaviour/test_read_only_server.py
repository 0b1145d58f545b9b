"""A snapshot of a server that becomes read-only, as a primary does that becomes a replica."""

from __future__ import annotations

import pytest

from connector.capture.change import RowChanges
from connector.capture.snapshot_plan import Plan
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.sources import source
from tests.fixtures.statement_proxy import StatementProxy

# The statements of a snapshot before which that happens.
MOMENTS = {
    "position": r"SHOW (BINARY LOG|MASTER) STATUS",
    "definition": r"SHOW CREATE TABLE .*",
    "pin": r"SELECT 1 FROM `db\w+`\.`captured` LIMIT 0",
}


@pytest.mark.parametrize(
    ("mode", "moment"),
    [("minimal", "pin"), ("none", "position"), ("none", "definition"), ("none", "pin")],
)
def test_a_snapshot_ends_on_a_server_that_becomes_read_only(
    each_database: FreshDatabase, mode: str, moment: str
) -> None:
    """MariaDB then refuses to commit a transaction, though it has only read."""
    database = each_database
    database.execute("CREATE TABLE captured (id INT PRIMARY KEY)")
    database.execute("INSERT INTO captured VALUES (1), (2), (3)")

    def interfere() -> None:
        if moment == "pin":
            database.execute("ALTER TABLE captured ADD COLUMN c INT")
        database.execute("SET GLOBAL read_only = ON")

    with StatementProxy(database.server.host, database.server.port) as proxy:
        proxy.before(MOMENTS[moment], interfere)
        made = source(
            database,
            database__hostname=proxy.host,
            database__port=str(proxy.port),
            snapshot__locking__mode=mode,
        )
        try:
            made.open()
            changes = list(made.snapshot(Plan("initial", schema=True, data=True), None))
        finally:
            database.execute("SET GLOBAL read_only = OFF")
            made.close()
    rows = [pair for change in changes if isinstance(change, RowChanges) for pair in change.rows]
    assert [after[0] for _, after in rows if after is not None] == [1, 2, 3]
