"""Watermarks of an incremental snapshot need a server that accepts writes, wherever the capture is.

What can come between two of its steps:

- a primary that is only restarted: the capture is on its replica meanwhile, which is not
  promoted;
- a replica that lags behind, or lacks what was captured: the capture does not fail over to it.
"""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from tests.fixtures.environment import LONG, environment
from tests.fixtures.replicas import REPLICAS, executed, has_executed
from tests.fixtures.worker import wait_for
from tests.snapshots.incremental import SIGNALS
from tests.snapshots.resumable import RESUMABLE, ROWS, end, is_complete, keys_read, read_up_to
from tools.stack import CAPTURE, KafkaBroker, Workspace


@pytest.mark.parametrize("name", ["mysql", "mariadb"])
def test_a_snapshot_on_a_read_only_replica_goes_on_at_the_primary(
    workspace: Workspace, broker: KafkaBroker, name: str
) -> None:
    made, options, source_is, start, _ = REPLICAS[name]
    with ExitStack() as opened:
        primary = opened.enter_context(made(workspace, durable=True))
        replica = opened.enter_context(made(workspace, options=[*options, "--read-only"]))
        replica.execute(source_is.format(port=primary.port), start)
        at = opened.enter_context(environment(workspace, broker, primary, rows=ROWS))
        primary.execute(
            f"USE {at.name}",
            SIGNALS,
            f"GRANT INSERT, DELETE ON {at.name}.signals TO '{CAPTURE.user}'@'%'",
        )
        signals = "SELECT 1 FROM information_schema.tables WHERE table_name = 'signals'"
        wait_for(lambda: replica.query(signals), LONG, "the replica")
        hosts = f"127.0.0.1:{primary.port}, 127.0.0.1:{replica.port}"
        at.create(**RESUMABLE, database_hostname=hosts, signal_data_collection=f"{at.name}.signals")
        at.wait(lambda: read_up_to(at), "a chunk whose offset is stored")
        with primary.connect() as session, session.cursor() as cursor:
            # The next mark waits, so the replica lacks nothing that was captured.
            cursor.execute("FLUSH TABLES WITH READ LOCK")
            done = executed(primary)
            wait_for(lambda: has_executed(replica, done), LONG, "the replica")
            primary.kill()
        at.wait(lambda: "Incremental snapshots wait" in at.status()[1], "the replica")
        key = read_up_to(at)
        assert not is_complete(at)
        primary.start()
        end(at)
        assert set(keys_read(at)) == set(range(1, ROWS + 1))
        assert 0 < key < ROWS
        log = at.worker.log.read_text()
        assert f"{replica.port} is read-only; switching to" in log
