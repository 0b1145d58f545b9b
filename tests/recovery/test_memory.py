"""The worker's memory stays bounded whatever comes: the peak of its whole life is looked at."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.fixtures.environment import Environment, environment
from tools.stack import KafkaBroker, MariaDb, MySql97, Workspace

LIMIT = 200  # MB
LIMIT_FOR_HUGE_ROWS = 250  # MB; a row of 20 MB is 27 MB as a message
LIMIT_FOR_HUGE_UPDATES = 300  # MB; the message has the row twice
HUGE = 20 * 1_000_000
LONG = 900.0
ROW = 1000  # bytes


def peak(at: Environment) -> int:
    """Return the most memory that the worker ever had resident, in MB."""
    worker = psutil.Process(at.worker.pid)
    total = 0
    for process in (worker, *worker.children(recursive=True)):
        status = Path(f"/proc/{process.pid}/status").read_text()
        [line] = [line for line in status.splitlines() if line.startswith("VmHWM:")]
        total += int(line.split()[1])
    return total // 1000


def bounded(at: Environment, limit: int = LIMIT) -> None:
    found = peak(at)
    print(f"peak memory {found} MB")
    assert found <= limit


def write_at_once(at: Environment, megabytes: int, *before: str) -> int:
    """Write so much in one transaction; return the number of rows."""
    rows = megabytes * 1_000_000 // ROW
    at.server.execute(
        f"USE {at.name}",
        *before,
        f"SET cte_max_recursion_depth = {rows}",
        "INSERT INTO big (text) WITH RECURSIVE n AS "
        f"(SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < {rows}) "
        f"SELECT REPEAT(CHAR(97 + i MOD 26), {ROW}) FROM n",
    )
    return rows


def make_table(at: Environment) -> None:
    at.server.execute(
        f"CREATE TABLE {at.name}.big (id INT PRIMARY KEY AUTO_INCREMENT, text VARCHAR({ROW}))"
    )


@pytest.fixture
def here(workspace: Workspace, broker: KafkaBroker, mysql: MySql97) -> Iterator[Environment]:
    with environment(workspace, broker, mysql) as at:
        yield at


MEGABYTES = pytest.mark.parametrize("size", [150, pytest.param(1000, marks=pytest.mark.slow)])


@MEGABYTES
def test_a_large_transaction(here: Environment, size: int) -> None:
    make_table(here)
    here.create(provide_transaction_metadata="true")
    here.wait_for_stream()
    rows = write_at_once(here, size)
    here.wait_for_count(rows, "big", LONG)
    bounded(here)


@MEGABYTES
def test_a_large_compressed_transaction(here: Environment, size: int) -> None:
    make_table(here)
    here.create()
    here.wait_for_stream()
    rows = write_at_once(here, size, "SET binlog_transaction_compression = ON")
    here.wait_for_count(rows, "big", LONG)
    bounded(here)


@MEGABYTES
def test_a_snapshot_of_a_large_table(here: Environment, size: int) -> None:
    make_table(here)
    rows = write_at_once(here, size)
    here.create()
    here.wait_for_count(rows, "big", LONG)
    bounded(here)


@pytest.fixture
def huge_packets(mysql: MySql97) -> Iterator[None]:
    """Let clients send rows of more than 64 MB."""
    [(before,)] = mysql.query("SELECT @@global.max_allowed_packet")
    mysql.execute("SET GLOBAL max_allowed_packet = 134217728")
    yield
    mysql.execute(f"SET GLOBAL max_allowed_packet = {before}")


def huge(here: Environment) -> list[tuple[str, int, int]]:
    """Return the operation and the lengths of the text before and after of each message."""
    topic = here.topic("huge")
    events = (message.payload() for message in here.topics.read(topic))
    return [
        (event["op"], *(len((event[side] or {"data": ""})["data"]) for side in ("before", "after")))
        for event in events
        if event is not None
    ]


@pytest.mark.usefixtures("huge_packets")
def test_a_row_of_20_megabytes(here: Environment) -> None:
    here.server.execute(
        f"CREATE TABLE {here.name}.huge (id INT PRIMARY KEY, n INT, data LONGBLOB)",
        f"INSERT INTO {here.name}.huge VALUES (1, 1, REPEAT('s', {HUGE}))",
    )
    here.create(
        producer_override_max_request_size="100000000",
        topic_creation_default_partitions="1",
        topic_creation_default_replication_factor="1",
        topic_creation_default_max_message_bytes="100000000",
    )
    here.wait_for_stream()
    here.server.execute(f"INSERT INTO {here.name}.huge VALUES (2, 1, REPEAT('i', {HUGE}))")
    here.wait_for_count(2, "huge")
    bounded(here, LIMIT_FOR_HUGE_ROWS)
    here.server.execute(
        f"UPDATE {here.name}.huge SET n = 2 WHERE id = 2",
        f"DELETE FROM {here.name}.huge WHERE id = 2",
    )
    here.wait_for_count(5, "huge")
    text = (HUGE + 2) // 3 * 4  # in base64
    assert huge(here) == [("r", 0, text), ("c", 0, text), ("u", text, text), ("d", text, 0)]
    bounded(here, LIMIT_FOR_HUGE_UPDATES)


@pytest.mark.slow
@pytest.mark.parametrize("compression", [True, False])
@pytest.mark.parametrize("database", [MySql97, MariaDb])
def test_transactions_with_several_rows_of_20_megabytes(
    workspace: Workspace, broker: KafkaBroker, database: type[MySql97 | MariaDb], compression: bool
) -> None:
    """A compressed transaction, and one of MariaDB, is held until its end: not in memory."""
    options = ["--max-allowed-packet=134217728"]
    if compression:
        options += [
            "--log-bin-compress=ON"
            if database is MariaDb
            else "--binlog-transaction-compression=ON"
        ]
    with (
        database(workspace, options=options) as server,
        environment(workspace, broker, server) as at,
    ):
        table = f"{at.name}.huge"
        at.server.execute(f"CREATE TABLE {table} (id INT PRIMARY KEY, n INT, data LONGTEXT)")
        at.create(
            producer_override_max_request_size="100000000",
            topic_creation_default_partitions="1",
            topic_creation_default_replication_factor="1",
            topic_creation_default_max_message_bytes="100000000",
        )
        at.wait_for_stream()
        rows = ", ".join(f"({number}, 1, REPEAT('r', {HUGE}))" for number in range(4))
        at.server.execute(f"INSERT INTO {table} VALUES {rows}", f"UPDATE {table} SET n = 2")
        at.wait_for_count(8, "huge")
        bounded(at, LIMIT_FOR_HUGE_UPDATES)


@pytest.mark.slow
@pytest.mark.parametrize("size", [100, 500])
def test_a_broker_that_is_away_while_much_is_written(
    workspace: Workspace, mysql: MySql97, size: int
) -> None:
    with (
        KafkaBroker(workspace, heap="512m") as broker,
        environment(workspace, broker, mysql, files=True) as at,
    ):
        make_table(at)
        mysql.execute(f"INSERT INTO {at.name}.big (text) VALUES ('first')")
        at.create()
        at.wait_for_stream()
        broker.stop()
        rows = sum(write_at_once(at, size // 10) for _ in range(10))
        at.wait(lambda: "Kafka" in at.status()[1], "a status that names Kafka", 120)
        broker.start()
        at.wait_for_count(rows + 1, "big", LONG)
        bounded(at)


@pytest.mark.slow
def test_many_tables(here: Environment) -> None:
    """Tables in the snapshot and the history: 5,000 of them, each with some columns and rows."""
    tables = range(5000)
    with here.server.connect(database=here.name) as connection, connection.cursor() as cursor:
        for number in tables:
            cursor.execute(
                f"CREATE TABLE t{number} (id INT PRIMARY KEY AUTO_INCREMENT, a INT, "
                "b VARCHAR(50) NOT NULL DEFAULT 'b', c DECIMAL(10,2), d DATETIME(6), "
                "e ENUM('x','y'), f JSON, g BIGINT UNSIGNED)"
            )
            cursor.execute(f"INSERT INTO t{number} (a) VALUES (1)")
    begun = time.monotonic()
    here.create()
    here.wait(here._streams, "the snapshot's end", LONG)
    print(f"snapshot of {len(tables)} tables: {time.monotonic() - begun:.1f} s")
    bounded(here)
    here.worker.stop()
    here.worker.start()
    begun = time.monotonic()
    here.server.execute(f"INSERT INTO {here.name}.t0 (a) VALUES (2)")
    here.wait_for_count(2, "t0", LONG)
    print(f"start with {len(tables)} tables in the history: {time.monotonic() - begun:.1f} s")
    bounded(here)
