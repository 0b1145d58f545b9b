"""What tests of resumable snapshots share."""

from __future__ import annotations

import json
from typing import Any

from connector.data.java_object_reader import deserialize
from connector.data.java_object_writer import serialize
from tests.fixtures.environment import LONG, Environment

ROWS = 40_000
# With so small chunks a snapshot lasts seconds, so a kill finds it at work on any machine.
RESUMABLE = {"millrace_snapshot_resumable": "true", "incremental_snapshot_chunk_size": "25"}


def stored(at: Environment) -> dict[str, Any]:
    """Return the stored offset, which is empty before the first one."""
    with at.client() as client:
        offsets = client.call("GET", f"/connectors/{at.name}/offsets")["offsets"]
    return dict(offsets[0]["offset"]) if offsets else {}


def is_complete(at: Environment) -> bool:
    """Whether all rows are read."""
    offset = stored(at)
    return bool(offset) and not {"snapshot", "incremental_snapshot_collections"} & offset.keys()


def read_up_to(at: Environment, table: str = "items") -> int:
    """Return the key up to which the stored offset has a table; 0 before any chunk of it."""
    started = json.loads(stored(at).get("millrace_started_tables", "{}"))
    key = deserialize(started.get(f"{at.name}.{table}", {}).get("position", serialize(None)))
    return 0 if key is None else int(key[0])


def keys_read(at: Environment, table: str = "items") -> list[int]:
    """Return the keys of the rows of chunks, in the order of the topic."""
    found = [message.payload() for message in at.messages[at.topic(table)]]
    return [event["after"]["id"] for event in found if event and event["op"] == "r"]


def end(at: Environment, number: int = 1) -> None:
    """Wait for the end of the snapshot and compare the topics with the tables."""
    at.wait(lambda: is_complete(at), "the end of the snapshot", LONG)
    at.finish(number)
    at.check()
