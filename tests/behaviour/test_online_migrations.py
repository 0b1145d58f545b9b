"""pt-online-schema-change alters a table under load: the topic has the rows of the table."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from tests.fixtures.connectors import connector
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.topics import Topics
from tests.fixtures.worker import wait_for
from tools.stack import ConnectClient, KafkaBroker, MillraceWorker

TOOL = shutil.which("pt-online-schema-change")
ROWS = 3_000
SECONDS = 90.0


@contextmanager
def under_load(database: FreshDatabase) -> Iterator[None]:
    """Insert, update and delete rows meanwhile, as many a second as the server takes."""
    stop = threading.Event()

    def work() -> None:
        choose = random.Random(1)
        with closing(database.server.connect(database=database.name)) as session:
            cursor = session.cursor()
            number = ROWS
            while not stop.is_set():
                number += 1
                one = choose.randrange(1, number)
                cursor.execute("INSERT INTO t (id, v) VALUES (%s, 'new')", (number,))
                cursor.execute("UPDATE t SET v = %s, n = n + 1 WHERE id = %s", (f"u{number}", one))
                cursor.execute("DELETE FROM t WHERE id = %s", (choose.randrange(1, number),))
                time.sleep(0.002)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def migrate(database: FreshDatabase, alteration: str) -> None:
    server = database.server
    place = f"h={server.host},P={server.port},u=owner,p=owner,D={database.name},t=t"
    ran = subprocess.run(
        [
            str(TOOL),
            "--execute",
            "--recursion-method=none",
            "--no-check-replication-filters",
            "--no-version-check",
            "--chunk-size=200",
            "--sleep=0.02",
            f"--alter={alteration}",
            place,
        ],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.slow
@pytest.mark.skipif(TOOL is None, reason="percona-toolkit is not installed")
def test_a_table_is_migrated_under_load(
    millrace: MillraceWorker, topics: Topics, each_database: FreshDatabase, broker: KafkaBroker
) -> None:
    database, prefix = each_database, f"osc{uuid.uuid4().hex[:8]}"
    database.execute(
        "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), n INT NOT NULL DEFAULT 0)",
        "INSERT INTO t (id, v) VALUES " + ", ".join(f"({n}, 'old')" for n in range(1, ROWS + 1)),
    )
    topic = f"{prefix}.{database.name}.t"
    with closing(ConnectClient(millrace.url)) as client:
        client.create(prefix, connector(database.server, broker, prefix, database.name))
        try:
            topics.wait_for(topic, ROWS)
            with under_load(database):
                migrate(database, "ADD COLUMN w DECIMAL(10,2) NOT NULL DEFAULT 1.5 AFTER id")
                migrate(database, "MODIFY n BIGINT NOT NULL DEFAULT 0, ADD INDEX (v)")
            database.execute("INSERT INTO t (id, w, v) VALUES (1000000, 2.5, 'last')")

            def streamed_rows() -> dict[int, tuple[str, int]]:
                return replayed(topics, topic)

            wait_for(lambda: 1_000_000 in streamed_rows(), SECONDS, str(client.state(prefix)))
            assert client.state(prefix)[0] == "RUNNING"
            held = {key: (v, n) for key, v, n in database.query("SELECT id, v, n FROM t")}
            assert streamed_rows() == held
            assert len(held) > ROWS // 2
            last = topics.read(topic)[-1].payload()["after"]
            assert last == {"id": 1_000_000, "w": "APo=", "v": "last", "n": 0}
        finally:
            client.delete(prefix)
            topics.delete([name for name in topics.names() if prefix in name])


def replayed(topics: Topics, topic: str) -> dict[int, tuple[str, int]]:
    """Return the rows that the events of a topic leave."""
    rows: dict[int, tuple[str, int]] = {}
    for message in topics.read(topic):
        key = json.loads(message.key or b"")["id"]
        after = None if message.value is None else message.payload()["after"]
        if after is None:
            rows.pop(key, None)
        else:
            rows[key] = after["v"], after["n"]
    return rows
