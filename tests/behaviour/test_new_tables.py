"""A table that is added to the configuration is read by itself, then streamed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fixtures.capture import LONG, Capture
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.topics import Topics
from tests.fixtures.worker import wait_for
from tools.stack import KafkaBroker, MillraceWorker


@pytest.fixture
def capture(
    millrace: MillraceWorker, topics: Topics, each_database: FreshDatabase, broker: KafkaBroker
) -> Iterator[Capture]:
    made = Capture(millrace, topics, each_database, broker)
    yield made
    made.close()


@pytest.mark.parametrize("recorded", ["true", "false"])
def test_an_added_table_is_read_once_and_streamed(capture: Capture, recorded: str) -> None:
    """Its definition is in the schema history or not."""
    database = capture.database
    capture.config["table.include.list"] = f"{database.name}.t"
    stored = "schema.history.internal.store.only.captured.tables.ddl"
    capture.config |= {stored: recorded, "millrace.snapshot.new.tables": "true"}
    capture.start(
        "CREATE TABLE u (id INT PRIMARY KEY)",
        "INSERT INTO u VALUES (1), (2)",
        "CREATE TABLE other (id INT PRIMARY KEY)",
        "INSERT INTO other VALUES (9)",
    )
    wait_for(lambda: "millrace_captured" in offset(capture), LONG, "the filters in the offset")
    database.execute("INSERT INTO u VALUES (3)")
    capture.config["table.include.list"] += f",{database.name}.u"
    capture.client.call("PUT", f"connectors/{capture.name}/config", capture.config)
    until(capture, 3)
    database.execute("INSERT INTO u VALUES (4)", "INSERT INTO t VALUES (2, 'two')")
    until(capture, 4)
    capture.stop()
    capture.resume()
    database.execute("INSERT INTO u VALUES (5)")
    found = until(capture, 5)
    assert found.count(1) == found.count(2) == 1, "it is read once"
    assert [row["id"] for row in capture.rows("t", 2)] == [1, 2]
    assert capture.topics.read(f"{capture.name}.{database.name}.other") == []


def until(capture: Capture, last: int) -> list[int]:
    """Return the ids in the topic of ``u`` as soon as all up to one have come.

    A row that was written shortly before its snapshot comes with the stream, too.
    """
    topic = f"{capture.name}.{capture.database.name}.u"

    def ids() -> list[int]:
        return [message.payload()["after"]["id"] for message in capture.topics.read(topic)]

    wait_for(lambda: set(ids()) == {*range(1, last + 1)}, LONG, f"the rows up to {last}")
    return ids()


def offset(capture: Capture) -> dict[str, object]:
    """Return the stored offset, an empty one before there is any."""
    found = capture.client.call("GET", f"/connectors/{capture.name}/offsets")["offsets"]
    return dict(found[0]["offset"]) if found else {}
