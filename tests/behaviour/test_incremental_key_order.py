"""A key whose order is altered while an incremental snapshot reads its table in that order."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.fixtures.capture import LONG, SIGNALS, Capture
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.topics import Topics
from tests.fixtures.worker import wait_for
from tools.stack import KafkaBroker, MillraceWorker

TEXTS = [letter.upper() if number % 2 else letter for number, letter in enumerate("abcdefghijkl")]
NUMBERS = [str(number) for number in range(1, 31)]
COLUMN = "VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci"


@pytest.fixture
def capture(
    millrace: MillraceWorker, topics: Topics, each_database: FreshDatabase, broker: KafkaBroker
) -> Iterator[Capture]:
    made = Capture(millrace, topics, each_database, broker)
    made.take_signals()
    made.config["incremental.snapshot.chunk.size"] = "3"
    yield made
    made.close()


@pytest.mark.parametrize(
    ("column", "keys", "alteration"),
    [
        (COLUMN, TEXTS, "MODIFY k VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"),
        (COLUMN, TEXTS, "CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"),
        ("INT", NUMBERS, "MODIFY k VARCHAR(9)"),
    ],
)
@pytest.mark.parametrize("restarts", [pytest.param(False, marks=pytest.mark.slow), True])
def test_a_table_is_read_from_its_start_if_its_key_has_another_order(
    capture: Capture, column: str, keys: list[str], alteration: str, *, restarts: bool
) -> None:
    """Behind the last key of a chunk come other rows then: some would never be read."""
    capture.config["snapshot.include.collection.list"] = rf"{capture.database.name}\.t"
    rows = ", ".join(f"('{key}')" for key in keys)
    capture.database.execute(
        f"CREATE TABLE keyed (k {column} PRIMARY KEY)", f"INSERT INTO keyed VALUES {rows}"
    )
    capture.start(SIGNALS)
    data = json.dumps({"data-collections": [f"{capture.database.name}.keyed"]})
    capture.database.execute(
        f"INSERT INTO signals VALUES ('1', 'execute-snapshot', '{data}')",
        "INSERT INTO signals VALUES ('2', 'pause-snapshot', '{}')",
    )
    wait_for(lambda: capture.rows("keyed", 3), LONG, "the first chunk")
    if restarts:
        capture.stop()
    capture.database.execute(f"ALTER TABLE keyed {alteration}")
    if restarts:
        capture.resume()
    capture.database.execute("INSERT INTO signals VALUES ('3', 'resume-snapshot', '{}')")
    capture.wait_for_end()
    assert {str(row["k"]) for row in capture.read_rows("keyed")} == set(keys)
