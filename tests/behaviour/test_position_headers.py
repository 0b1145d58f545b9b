"""Each message has its position in a header, with an epoch that outlives the server's binlogs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fixtures.environment import Environment, environment
from tests.fixtures.topics import Message
from tools.stack import KafkaBroker, MySql97, Workspace

HEADER = "millrace.position"
FILLED = "CREATE TABLE {}.filled (id INT PRIMARY KEY, v INT)"
EMPTY = "CREATE TABLE {}.bare (id INT PRIMARY KEY)"


@pytest.fixture(scope="module")
def server(workspace: Workspace) -> Iterator[MySql97]:
    """A server of its own: its binlogs are reset and its name is changed."""
    with MySql97(workspace, durable=True) as server:
        yield server


@pytest.fixture
def at(workspace: Workspace, broker: KafkaBroker, server: MySql97) -> Iterator[Environment]:
    """An environment without its connector yet; one partition, so that the order is known."""
    with environment(workspace, broker, server, rows=0) as made:
        server.execute(FILLED.format(made.name), EMPTY.format(made.name))
        server.execute(f"INSERT INTO {made.name}.filled VALUES (1, 1)")
        yield made


def start(at: Environment, **more: str) -> None:
    at.create(
        table_include_list=f"{at.name}.(filled|bare|finish)",
        topic_creation_default_partitions="1",
        topic_creation_default_replication_factor="1",
        **{"millrace_position_headers": "true", "snapshot_mode": "when_needed", **more},
    )


def messages(at: Environment, count: int, table: str = "filled") -> list[Message]:
    """Return all messages of a table as soon as there are so many."""
    at.wait_for_count(count, table)
    return at.topics.read(at.topic(table))


def position_of(message: Message) -> str:
    text = dict(message.headers)[HEADER]
    assert text is not None
    return text.decode()


def epoch(message: Message) -> int:
    return int(position_of(message).partition("/")[0])


def expected(message: Message) -> str:
    """Return the expected header, from the message itself."""
    source = message.payload()["source"]
    return f"{source['file']}/{source['pos']}/{source['row']}"


def restarted(at: Environment) -> None:
    """Start the worker again, its connector with it."""
    at.worker.start()
    with at.client() as client:
        client.wait_for(at.name, "RUNNING")


def test_rows_tombstones_and_empty_tables_have_positions(
    at: Environment,
) -> None:
    start(at)
    at.wait_for_stream()
    at.server.execute(
        f"INSERT INTO {at.name}.filled VALUES (2, 2), (3, 3)",
        f"UPDATE {at.name}.filled SET id = 30 WHERE id = 3",
        f"DELETE FROM {at.name}.filled WHERE id = 2",
    )
    read, *streamed = messages(at, 1 + 2 + 3 + 2)
    assert position_of(read) == f"0/{expected(read)}/end"
    positions = []
    for message in streamed:
        if message.value is not None:
            positions.append(f"0/{expected(message)}")
        else:
            positions.append(positions[-1])  # that of the delete before it
    assert list(map(position_of, streamed)) == positions
    assert len(set(positions)) == 4
    assert [int(text.rpartition("/")[2]) for text in positions[:2]] == [0, 1]
    [empty] = messages(at, 1, "bare")
    assert (empty.payload()["op"], empty.key) == ("t", None)
    assert position_of(empty) == f"0/{expected(empty)}/empty"


def test_an_epoch_starts_when_binlog_numbering_restarts(at: Environment, server: MySql97) -> None:
    start(at)
    at.wait_for_stream()
    at.worker.stop()
    server.execute("RESET BINARY LOGS AND GTIDS")
    restarted(at)  # the position is gone, so there is another snapshot
    found = messages(at, 2)
    assert [message.payload()["op"] for message in found] == ["r", "r"]
    assert list(map(epoch, found)) == [0, 1]
    at.wait_for_stream()
    server.execute(f"INSERT INTO {at.name}.filled VALUES (2, 2)")
    assert epoch(messages(at, 3)[-1]) == 1
    at.worker.stop()
    server.execute("FLUSH BINARY LOGS")
    restarted(at)
    server.execute(f"INSERT INTO {at.name}.filled VALUES (3, 3)")
    assert epoch(messages(at, 4)[-1]) == 1  # another file is no other binlog


@pytest.mark.slow
def test_an_epoch_begins_with_another_server(at: Environment, server: MySql97) -> None:
    """The same data under another server_uuid: what a connector meets after a failover."""
    start(at)
    at.wait_for_stream()
    server.execute(f"INSERT INTO {at.name}.filled VALUES (2, 2)")
    assert epoch(messages(at, 2)[-1]) == 0
    server.stop()
    (server.data / "auto.cnf").unlink()  # the server makes itself another one
    server.start()
    server.execute(f"INSERT INTO {at.name}.filled VALUES (3, 3)")
    assert epoch(messages(at, 3)[-1]) == 1
    with at.client() as client:
        [found] = client.call("GET", f"/connectors/{at.name}/offsets")["offsets"]
    assert found["offset"]["millrace_epoch"] == 1


def test_without_the_property_nothing_is_added(at: Environment) -> None:
    start(at, millrace_position_headers="false")
    at.wait_for_stream()
    at.server.execute(f"DELETE FROM {at.name}.filled")
    assert [HEADER in dict(message.headers) for message in messages(at, 3)] == [False] * 3
    assert at.count("bare") == 0
    with at.client() as client:
        [found] = client.call("GET", f"/connectors/{at.name}/offsets")["offsets"]
    assert "millrace_epoch" not in found["offset"]
