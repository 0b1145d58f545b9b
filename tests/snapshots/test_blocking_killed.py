"""The worker dies in a blocking snapshot while rows are written: nothing is lost."""

from __future__ import annotations

import random
from typing import Any

from tests.fixtures.environment import LONG, Environment, environment
from tests.fixtures.load import Load
from tools.stack import OWNER, DatabaseServer, KafkaBroker, Workspace

ROWS = 20_000
SIGNALS = "CREATE TABLE signals (id VARCHAR(42), type VARCHAR(32), data VARCHAR(2048))"


def is_requested(at: Environment) -> bool:
    """Whether the stored offset has a blocking snapshot that is not complete."""
    with at.client() as client:
        offsets = client.call("GET", f"/connectors/{at.name}/offsets")["offsets"]
    return "millrace_blocking_snapshots" in offsets[0]["offset"]


def read_rows(at: Environment) -> list[dict[str, Any]]:
    """Return the events of snapshots that were read so far."""
    events = (message.payload() for message in at.messages[at.topic()])
    return [event for event in events if event is not None and event["op"] == "r"]


def test_a_worker_that_dies_in_a_blocking_snapshot_repeats_it(
    workspace: Workspace, broker: KafkaBroker, mariadb: DatabaseServer
) -> None:
    server = mariadb
    seed = random.randrange(1_000_000)
    print(f"seed {seed}")
    chance = random.Random(seed)
    with environment(workspace, broker, server, rows=ROWS) as at:
        at.server.execute(f"USE {at.name}", SIGNALS)
        select = f"SELECT *, SLEEP(0.0002) FROM {at.name}.items"
        at.create(
            database_user=OWNER.user,
            database_password=OWNER.password,
            snapshot_mode="no_data",
            signal_data_collection=f"{at.name}.signals",
        )
        at.wait_for_stream()
        with Load(server, at.name, seed) as load:
            condition = f'{{"data-collection": "{at.name}.items", "filter": "{select}"}}'
            data = (
                f'{{"data-collections": ["{at.name}.items"], "type": "blocking", '
                f'"additional-conditions": [{condition}]}}'
            )
            at.server.execute(
                f"INSERT INTO {at.name}.signals VALUES ('1', 'execute-snapshot', '{data}')"
            )
            at.wait(lambda: is_requested(at), "the request in the offset")
            killed_in_between = 0
            for _ in range(3):
                at.wait_for_more(chance.randrange(1, 4000))
                killed_in_between += is_requested(at)
                at.worker.kill()
                at.worker.start()
                at.wait(lambda: at.status()[0] == "RUNNING", "the task to run")
            at.wait(lambda: not is_requested(at), "the end of the snapshot", LONG)
        at.finish(1)
        assert killed_in_between, "the snapshot was over before the first kill"
        at.check()
        markers = [event["source"]["snapshot"] for event in read_rows(at)]
        assert markers.count("first") > 1, "it was not repeated"
        assert markers[-1] == "last"
        print(f"{killed_in_between} kills in the snapshot; {load.transactions} transactions")
