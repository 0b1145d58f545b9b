"""The state of an incremental snapshot in an offset: Debezium's keys."""

from __future__ import annotations

import json
from collections import deque

import pytest

from connector.capture.incremental.chunk_source import TableRequest
from connector.capture.incremental.state import SnapshotState, state_of
from connector.capture.tables import TableId
from connector.data.java_objects import serialized

TABLES = deque((TableRequest(TableId("inc", "a"), "(id>1)"), TableRequest(TableId("inc", "b.c"))))


def test_the_state_is_written_as_debezium_writes_it() -> None:
    state = SnapshotState(deque([TABLES[0]]), "signal", position=(5,))
    assert state.to_offset() == {
        "incremental_snapshot_primary_key": serialized((5,)),
        "incremental_snapshot_maximum_key": "aced000570",
        "incremental_snapshot_collections": (
            '[{"incremental_snapshot_collections_id":"inc.a",'
            '"incremental_snapshot_collections_additional_condition":"(id>1)",'
            '"incremental_snapshot_collections_surrogate_key":null}]'
        ),
        "incremental_snapshot_correlation_id": "signal",
    }


def test_without_a_snapshot_the_offset_has_no_keys() -> None:
    assert SnapshotState().to_offset() == {}
    assert not state_of({"file": "binlog.1"}).running


def test_what_is_written_is_read() -> None:
    written = SnapshotState(TABLES, "s", (1, "x"), (1, "x"), (9, "z")).to_offset()
    found = state_of(json.loads(json.dumps(written)))
    assert (found.tables, found.identity) == (TABLES, "s")
    assert (found.position, found.chunk_end, found.maximum) == ((1, "x"), (1, "x"), (9, "z"))


@pytest.mark.parametrize("key", ["aced00057372", "no digits", serialized((1,))[:-2]])
def test_a_key_that_cannot_be_read_starts_its_table_again(key: str) -> None:
    written = SnapshotState(TABLES, "s", (1,), (1,), (9,)).to_offset()
    found = state_of(written | {"incremental_snapshot_primary_key": key})
    assert found.tables == TABLES
    assert (found.position, found.maximum) == (None, None)


@pytest.mark.parametrize("text", ["{", "[1]", '[{"id": 1}]', "null"])
def test_damaged_tables_end_the_snapshot(text: str) -> None:
    assert not state_of({"incremental_snapshot_collections": text}).running
