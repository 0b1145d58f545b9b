"""What tests of incremental snapshots share."""

from __future__ import annotations

from collections import defaultdict

from tests.fixtures.environment import Environment

ROWS = 20_000
SIGNALS = "CREATE TABLE signals (id VARCHAR(42), type VARCHAR(32), data VARCHAR(2048))"


def assert_no_older_row_comes_later(at: Environment) -> None:
    newest: dict[int, int] = defaultdict(int)
    read = set()
    for message in at.messages[at.topic()]:
        event = message.payload()
        if event is None:
            continue
        row = event["after"] or event["before"]
        if event["op"] == "r":
            assert event["source"]["snapshot"] == "incremental"
            assert row["version"] >= newest[row["origin"]], "an older row came later"
            read.add(row["origin"])
        newest[row["origin"]] = max(newest[row["origin"]], row["version"])
    assert len(read) > ROWS // 4, "most rows came by the log: the test shows little"
