"""The transactions that are done at a position of the log, by SHOW BINLOG EVENTS."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import pytest

from connector.mysql.position.gtid import GtidSet
from connector.mysql.position.server_log import executed_before
from connector.mysql.session.connection import Connection

A = "3e11fa47-71ca-11e1-9e33-c80aa9429562"
# As MySQL 9.7 lists a file: the second transaction is compressed, its events end where it does.
EVENTS = [
    ("Format_desc", 4, 127, "Server ver: 9.7.4, Binlog ver: 4"),
    ("Previous_gtids", 127, 198, f"{A}:1-2"),
    ("Gtid", 198, 277, f"SET @@SESSION.GTID_NEXT= '{A}:3'"),
    ("Query", 277, 348, "BEGIN"),
    ("Write_rows", 348, 432, "table_id: 109 flags: STMT_END_F"),
    ("Xid", 432, 463, "COMMIT /* xid=15 */"),
    ("Gtid_tagged_log_event", 463, 540, f"SET @@SESSION.GTID_NEXT= '{A}:abc:1'"),
    ("Transaction_payload", 540, 693, "compression='ZSTD', decompressed_size=170 bytes"),
    ("Query", 693, 693, "BEGIN"),
    ("Xid", 693, 693, "COMMIT /* xid=17 */"),
    ("Anonymous_Gtid", 693, 770, "SET @@SESSION.GTID_NEXT= 'ANONYMOUS'"),
    ("Query", 770, 900, "DROP TABLE t"),
]


class Session:
    """A session on a server whose log has one file."""

    def each_row(self, sql: str) -> Iterator[tuple[Any, ...]]:
        assert sql == "SHOW BINLOG EVENTS IN 'b.000001'"
        for kind, start, end, text in EVENTS:
            yield "b.000001", str(start), kind, "97", str(end), text

    def literal(self, value: str) -> str:
        return f"'{value}'"


@pytest.mark.parametrize(
    ("pos", "done", "begun"),
    [
        (4, "", None),
        (198, f"{A}:1-2", None),
        (277, f"{A}:1-2", f"{A}:3"),
        (463, f"{A}:1-3", None),
        (540, f"{A}:1-3", f"{A}:abc:1"),
        (600, f"{A}:1-3", f"{A}:abc:1"),
        (693, f"{A}:1-3:abc:1", None),
        (900, f"{A}:1-3:abc:1", None),
    ],
)
def test_executed_gtids_at_a_position(pos: int, done: str, begun: str | None) -> None:
    found = executed_before(cast("Connection", Session()), "b.000001", pos)
    assert found == (GtidSet.parse(done), begun)
