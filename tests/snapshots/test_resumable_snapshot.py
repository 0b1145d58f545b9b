"""An initial snapshot that is read in chunks goes on where it was, whatever ends it.

What can come between two of its steps:

- a kill before the first offset, or while definitions and tables without key are read: the start is
  repeated, because the offset still says that a snapshot is not complete;
- a kill behind that: the last of these offsets has all tables to read, so none is forgotten;
- a kill between a chunk and its offset: the chunk is read again, those before it are not;
- writes and key changes in the rows of a chunk while it waits: the chunk drops those rows;
- a column added or dropped while a chunk waits or before it is read: it is read again;
- a table renamed, dropped or truncated before it is read, or while it is read;
- the setting is removed before the end: the connector refuses to start, as rows would be lost.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from tests.fixtures.environment import LONG, Environment, environment
from tests.fixtures.load import Load
from tests.snapshots.incremental import SIGNALS, assert_no_older_row_comes_later
from tests.snapshots.resumable import RESUMABLE, ROWS, end, is_complete, keys_read, read_up_to
from tools.stack import OWNER, DatabaseServer, KafkaBroker, Workspace
from tools.stack.errors import StackError

SLOW = RESUMABLE | {"incremental_snapshot_chunk_size": "8"}  # lasts seconds, also without writers


def killed(
    workspace: Workspace, broker: KafkaBroker, server: DatabaseServer, kills: int, **more: str
) -> None:
    seed = random.randrange(1_000_000)
    print(f"seed {seed}")
    chance = random.Random(seed)
    done: list[tuple[int, int]] = []  # messages before a restart; the key that was stored
    with environment(workspace, broker, server, rows=ROWS) as at:
        server.execute(f"USE {at.name}", SIGNALS, "INSERT INTO ledger VALUES (1, 'first')")
        with Load(server, at.name, seed) as load:
            names = {key: text.replace("{name}", at.name) for key, text in more.items()}
            at.create(**RESUMABLE, **names)
            at.wait(lambda: read_up_to(at), "a chunk whose offset is stored")
            for _ in range(kills):
                at.wait_for_more(chance.randrange(1, 4000))
                key = read_up_to(at)
                at.worker.kill()
                done.append((at.count(), key))
                at.worker.start()
                at.wait(lambda: at.status()[0] == "RUNNING", "the task to run")
            at.wait(lambda: is_complete(at), "the end of the snapshot", LONG)
        end(at)
        assert max(key for _, key in done), "no kill came while the rows were read"
        assert_no_older_row_comes_later(at)
        messages = [message.payload() for message in at.messages[at.topic()]]
        for before, key in done:
            again = [e["after"]["id"] for e in messages[before:] if e and e["op"] == "r"]
            assert min(again, default=key + 1) > key, "a chunk that was done is read again"
        if "signal_data_collection" not in more:
            assert server.query(f"SELECT COUNT(*) FROM {at.name}.signals") == [(0,)]
        print(f"{done} messages and keys at the kills; {load.transactions} transactions")


@pytest.mark.parametrize("name", ["mysql", "mariadb"])
def test_some_kills(
    workspace: Workspace, broker: KafkaBroker, request: pytest.FixtureRequest, name: str
) -> None:
    killed(workspace, broker, request.getfixturevalue(name), 3)


@pytest.mark.parametrize("name", ["mysql", "mysql56"])
def test_some_kills_with_marks_in_a_table(
    workspace: Workspace, broker: KafkaBroker, request: pytest.FixtureRequest, name: str
) -> None:
    """The second server has no GTIDs."""
    user = {"database_user": OWNER.user, "database_password": OWNER.password}
    server = request.getfixturevalue(name)
    killed(workspace, broker, server, 3, signal_data_collection="{name}.signals", **user)


def test_without_gtids_a_table_of_signals_is_needed(
    workspace: Workspace, broker: KafkaBroker, mysql56: DatabaseServer
) -> None:
    with environment(workspace, broker, mysql56) as at:
        setting = "millrace.snapshot.resumable=true without signal.data.collection"
        with pytest.raises(StackError, match=f"{setting} needs GTIDs"):
            at.create(**RESUMABLE)


def test_the_progress_after_a_kill_counts_what_was_read_before(
    workspace: Workspace, broker: KafkaBroker, mysql: DatabaseServer
) -> None:
    with environment(workspace, broker, mysql, rows=ROWS) as at:
        mysql.execute(f"ANALYZE TABLE {at.name}.items")
        at.create(**SLOW)
        at.wait(lambda: read_up_to(at) > ROWS // 50, "chunks whose offset is stored")
        at.worker.kill()
        at.worker.start()
        report = at.wait(lambda: running_report(at), "the progress of the snapshot")
        found = next(one for one in report["tables"] if one["table"].endswith(".items"))
        assert found["rows"] > ROWS // 50
        assert 0 < found["percent"] < 100
        assert found["total_rows"] > ROWS // 2, "the estimate of the server"
        end(at)


def running_report(at: Environment) -> dict[str, Any] | None:
    """Return the report of the snapshot while it runs and a row is counted."""
    with at.client() as client:
        found = client.call("GET", f"/connectors/{at.name}/snapshots")["snapshots"]
    return found[0] if found and found[0]["state"] == "RUNNING" and found[0]["rows"] else None


def test_kills_while_several_tables_are_read_at_the_same_time(
    workspace: Workspace, broker: KafkaBroker, mysql: DatabaseServer
) -> None:
    """Each table goes on behind its own stored key."""
    tables = ("ta", "tb", "tc")
    with environment(workspace, broker, mysql, rows=ROWS) as at:
        for table in tables:
            mysql.execute(
                f"USE {at.name}",
                f"CREATE TABLE {table} (id BIGINT PRIMARY KEY, v VARCHAR(99))",
                f"INSERT INTO {table} SELECT id, text FROM items",
            )
        included = ("items", "ledger", "finish", *tables)
        at.create(
            **RESUMABLE,
            millrace_incremental_snapshot_threads="3",
            table_include_list=",".join(f"{at.name}.{table}" for table in included),
        )
        with Load(mysql, at.name, 1):
            done = []
            for least in (1, 6000):
                await_key(at, tables, least)
                kept = {table: read_up_to(at, table) for table in tables}
                at.worker.kill()
                done.append({table: (at.count(table), kept[table]) for table in tables})
                at.worker.start()
                at.wait(lambda: at.status()[0] == "RUNNING", "the task to run")
            at.wait(lambda: is_complete(at), "the end of the snapshot", LONG)
        end(at)
        assert any(key for kill in done for _, key in kill.values()), "nothing was stored"
        for table in tables:
            keys = keys_read(at, table)
            assert set(keys) == set(range(1, ROWS + 1))
            for kill in done:
                before, key = kill[table]
                assert min(keys[before:], default=key + 1) > key, "a chunk is read again"


def await_key(at: Environment, tables: Sequence[str], least: int) -> None:
    """Wait until the stored offset has one of the tables up to a key."""
    what = f"chunks up to {least} whose offset is stored"
    at.wait(lambda: any(read_up_to(at, table) >= least for table in tables), what)


@pytest.mark.slow
def test_many_kills(workspace: Workspace, broker: KafkaBroker, mysql: DatabaseServer) -> None:
    killed(workspace, broker, mysql, 12)


def test_tables_that_are_renamed_dropped_or_truncated_before_they_are_read(
    workspace: Workspace, broker: KafkaBroker, mysql: DatabaseServer
) -> None:
    """They wait behind ``items``; the topic of a renamed table has all of its rows."""
    with environment(workspace, broker, mysql, rows=ROWS) as at:
        for table in ("ta", "tb", "tc", "td", "te"):
            rows = ", ".join(f"({number}, 1)" for number in range(1, 1500))
            create = f"CREATE TABLE {table} (id INT PRIMARY KEY, v INT)"
            mysql.execute(f"USE {at.name}", create, f"INSERT INTO {table} VALUES {rows}")
        included = ("items", "finish", "ta", "tb", "tc", "td", "te", "renamed", "altered")
        at.create(
            **SLOW,
            table_include_list=",".join(f"{at.name}.{table}" for table in included),
        )
        at.wait(lambda: read_up_to(at), "the first chunk")
        mysql.execute(
            f"USE {at.name}",
            "RENAME TABLE ta TO renamed",
            "ALTER TABLE tb RENAME TO altered, ADD more INT DEFAULT 7",
            "DROP TABLE tc",
            "TRUNCATE TABLE td",
            "INSERT INTO td VALUES (1, 2)",
            "ALTER TABLE te DROP PRIMARY KEY, ADD PRIMARY KEY (v, id)",
            "UPDATE renamed SET v = 3 WHERE id < 10",
        )
        at.wait(lambda: is_complete(at), "the end of the snapshot", LONG)
        at.finish()
        at.check()
        assert sorted(keys_read(at, "renamed")) == list(range(1, 1500))
        assert set(keys_read(at, "altered")) == set(range(1, 1500))
        assert set(keys_read(at, "te")) == set(range(1, 1500))
        assert at.topic("tc") not in at.messages
        last = at.messages[at.topic("td")][-1].payload()
        assert last["after"] == {"id": 1, "v": 2}
        assert at.status()[0] == "RUNNING"


def test_a_kill_while_definitions_are_read_or_before_the_first_chunk(
    workspace: Workspace, broker: KafkaBroker, mysql: DatabaseServer
) -> None:
    """At whatever moment of the start the worker ends, no table is forgotten."""
    seed = random.randrange(1_000_000)
    print(f"seed {seed}")
    chance = random.Random(seed)
    with environment(workspace, broker, mysql, rows=2000) as at:
        at.create(**RESUMABLE)
        for _ in range(4):
            threading.Event().wait(chance.random() * 0.6)
            at.worker.kill()
            at.worker.start()
        at.wait_for_stream()
        end(at)
        assert set(keys_read(at)) == set(range(1, 2001))


def test_without_its_setting_an_incomplete_snapshot_does_not_start(
    workspace: Workspace, broker: KafkaBroker, mysql: DatabaseServer
) -> None:
    with environment(workspace, broker, mysql, rows=ROWS) as at:
        at.create(**SLOW)
        at.wait(lambda: read_up_to(at), "the first chunk")
        with at.client() as client:
            client.put(at.name, "stop")
            client.wait_for(at.name, "STOPPED")
            kept = read_up_to(at)
            assert kept
            config: dict[str, Any] = client.call("GET", f"/connectors/{at.name}/config")
            del config["millrace.snapshot.resumable"]
            client.call("PUT", f"/connectors/{at.name}/config", config)
            client.put(at.name, "resume")
            client.wait_for(at.name, "FAILED")
            assert "Set millrace.snapshot.resumable=true again" in at.status()[1]
            config["millrace.snapshot.resumable"] = "true"
            client.call("PUT", f"/connectors/{at.name}/config", config)
        end(at)
        assert len(keys_read(at)) < 2 * ROWS
        assert set(keys_read(at)) == set(range(1, ROWS + 1))
