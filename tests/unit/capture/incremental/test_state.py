"""The state of an incremental snapshot in an offset: Debezium's keys, and Millrace's own."""

from __future__ import annotations

import json
from typing import Any

import pytest

from connector.capture.incremental.chunk_source import TableRequest
from connector.capture.incremental.offsets import has_initial_tables, state_of, to_offset
from connector.capture.incremental.state import SnapshotState
from connector.capture.incremental.table_state import TableState
from connector.capture.tables import TableId
from connector.data.java_object_writer import serialize

A, B = TableRequest(TableId("inc", "a"), "(id>1)"), TableRequest(TableId("inc", "b.c"))


def begun(request: TableRequest, key: tuple[Any, ...], **more: Any) -> TableState:
    return TableState(request, position=key, chunk_end=key, maximum=(9, "z"), **more)


def stored(*tables: TableState, **more: Any) -> dict[str, Any]:
    offset: dict[str, Any] = json.loads(
        json.dumps(to_offset(SnapshotState(list(tables), "s", **more)))
    )
    return offset


def test_the_state_is_written_as_debezium_writes_it() -> None:
    state = SnapshotState([TableState(A, position=(5,))], "signal")
    offset = to_offset(state)
    assert offset.pop("millrace_started_tables")
    assert offset == {
        "incremental_snapshot_primary_key": serialize((5,)),
        "incremental_snapshot_maximum_key": "aced000570",
        "incremental_snapshot_collections": (
            '[{"incremental_snapshot_collections_id":"inc.a",'
            '"incremental_snapshot_collections_additional_condition":"(id>1)",'
            '"incremental_snapshot_collections_surrogate_key":null}]'
        ),
        "incremental_snapshot_correlation_id": "signal",
    }


def test_without_a_snapshot_the_offset_has_no_keys() -> None:
    assert to_offset(SnapshotState()) == {}
    assert not state_of({"file": "binlog.1"}).running


def test_what_is_written_is_read() -> None:
    tables = [begun(A, (1, "x")), TableState(B)]
    found = state_of(stored(*tables))
    assert (found.tables, found.identity) == (tables, "s")


def test_how_far_each_table_is_read_is_kept() -> None:
    """Debezium's keys have the first table; those of ours the others, and rows of initial ones."""
    tables = [
        begun(A, (1, "x"), is_initial=True, rows=5, key_columns=("id", "v")),
        begun(B, (2, "y"), is_initial=True, rows=7, key_columns=("id", "v")),
    ]
    offset = stored(*tables)
    assert state_of(offset).tables == tables
    assert has_initial_tables(offset)
    assert not has_initial_tables(stored(begun(A, (1, "x"))))


def test_a_failed_table_keeps_how_far_it_is_read() -> None:
    failed = begun(A, (1, "x"), is_initial=True, rows=5, key_columns=("id", "v"), reason="why")
    offset = stored(failed={"inc.a": failed})
    assert state_of(offset).failed == {"inc.a": failed}
    assert has_initial_tables(offset)


def test_a_failed_table_of_which_the_reason_alone_is_known() -> None:
    found = state_of({"millrace_failed_tables": '{"inc.a": "why"}'})
    assert found.failed == {"inc.a": TableState(TableRequest(TableId("inc", "a")), reason="why")}


@pytest.mark.parametrize("key", ["aced00057372", "no digits", serialize((1,))[:-2]])
def test_a_key_that_cannot_be_read_starts_its_table_again(key: str) -> None:
    found = state_of(
        stored(begun(A, (1,)), TableState(B)) | {"incremental_snapshot_primary_key": key}
    )
    assert found.tables == [TableState(A), TableState(B)]


@pytest.mark.parametrize("text", ["{", "[1]", '[{"id": 1}]', "null"])
def test_damaged_tables_end_the_snapshot(text: str) -> None:
    assert not state_of({"incremental_snapshot_collections": text}).running


def test_the_offset_of_ten_thousand_initial_tables_fits_into_a_message() -> None:
    """Kafka refuses messages above 1 MB; the text is a string within the JSON of the offset."""
    tables = (TableRequest(TableId("inventory", f"table_{number}")) for number in range(10_000))
    offset = stored(*(TableState(table, is_initial=True) for table in tables))
    assert len(json.dumps(offset)) < 1_000_000
