"""The REST API shows how far a snapshot has come."""

from __future__ import annotations

from typing import Any

import httpx

from tests.fixtures.capture import LONG, Capture
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.topics import Topics
from tests.fixtures.worker import wait_for
from tools.stack import KafkaBroker, MillraceWorker
from tools.stack.http import http

ROWS = 500


def test_the_snapshot_of_a_connector(
    millrace: MillraceWorker, topics: Topics, each_database: FreshDatabase, broker: KafkaBroker
) -> None:
    capture = Capture(millrace, topics, each_database, broker)
    values = ", ".join(f"({number})" for number in range(ROWS))
    each_database.execute(
        "CREATE TABLE many (id INT PRIMARY KEY)",
        f"INSERT INTO many VALUES {values}",
        "CREATE TABLE none (id INT PRIMARY KEY)",
        "CREATE VIEW broken AS SELECT id FROM none",
        "CREATE TABLE some (id INT PRIMARY KEY)",
        "INSERT INTO some VALUES (1), (2), (3)",
        "ANALYZE TABLE many",
    )
    capture.client.create(
        capture.name,
        capture.config
        | {
            "snapshot.select.statement.overrides": f"{each_database.name}.some",
            f"snapshot.select.statement.overrides.{each_database.name}.some": (
                f"SELECT * FROM {each_database.name}.some WHERE id > 1"
            ),
        },
    )
    path = f"{millrace.url}/connectors/{capture.name}/snapshots"

    def completed() -> dict[str, Any] | None:
        found = http.get(path, timeout=30).json()["snapshots"]
        return found[0] if found and found[0]["state"] == "COMPLETED" else None

    try:
        report = wait_for(completed, LONG, "the end of the snapshot")
        tables = {table.pop("table"): table for table in report.pop("tables")}
        read = {"state": "COMPLETED", "percent": 100}
        name = each_database.name
        assert tables == {
            f"{name}.many": {"rows": ROWS, "total_rows": ROWS, **read},
            f"{name}.none": {"rows": 0, "total_rows": 0, **read},
            f"{name}.some": {"rows": 2, "total_rows": 2, **read},
        }
        assert report.pop("seconds") < LONG
        total = ROWS + 2
        assert report == {
            "task": 0,
            "type": "initial",
            "rows": total,
            "total_rows": total,
            "seconds_left": 0,
            **read,
        }
        capture.client.call("PUT", f"/connectors/{capture.name}/stop")
        wait_for(lambda: http.get(path).json() == {"snapshots": []}, LONG)
    finally:
        capture.close()
    assert http.get(path).status_code == httpx.codes.NOT_FOUND
