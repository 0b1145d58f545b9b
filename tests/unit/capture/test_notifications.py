"""Notifications of a snapshot: what is published where."""

from __future__ import annotations

import logging
from typing import NoReturn

import pytest

from connector.capture.engine import Engine, EngineOptions
from connector.capture.notifications import Notifications
from connector.capture.snapshot_events import ChunkScan, Notification, TableScan
from connector.capture.tables import TableId
from connector.errors import DatabaseUnavailableError, StopError
from tests.unit.capture.number_source import Numbers

TABLES = (TableId("d", "b"), TableId("d", "a"))


def notifications(*channels: str) -> Notifications:
    return Notifications("shop", channels, lambda: 5_000_000)


def types(source: Numbers, offset: dict[str, int] | None = None) -> list[str]:
    options = EngineOptions(notifications=notifications("sink"))
    changes = Engine(source, options).changes(offset)
    found: list[str] = []
    try:
        for change in changes:
            if isinstance(change, Notification):
                found.append(change.type)  # noqa: PERF401 - an error may end the loop
    except StopError:
        found.append("failed")
    return found


def test_a_snapshot_is_started_and_completed() -> None:
    assert types(Numbers()) == ["STARTED", "COMPLETED"]


def test_a_start_with_an_offset_skips_it() -> None:
    assert types(Numbers(), {"n": 11}) == ["SKIPPED"]


def test_a_snapshot_that_is_repeated_is_aborted_first() -> None:
    source = Numbers(breaks="snapshot", faults=[DatabaseUnavailableError("gone")])
    assert types(source) == ["STARTED", "ABORTED", "STARTED", "COMPLETED"]


def test_an_error_for_good_aborts_a_snapshot() -> None:
    source = Numbers(breaks="snapshot", faults=[StopError("wrong")])
    assert types(source) == ["STARTED", "ABORTED", "failed"]


def test_a_scan_names_its_table_and_all_tables() -> None:
    (begun,) = notifications("sink").scan(TableScan(TABLES[0], TABLES))
    assert begun.type == "IN_PROGRESS"
    assert begun.additional_data == {
        "connector_name": "shop",
        "current_collection_in_progress": "d.b",
        "data_collections": "d.a,d.b",
    }
    (ended,) = notifications("sink").scan(TableScan(TABLES[0], TABLES, 7))
    assert ended.type == "TABLE_SCAN_COMPLETED"
    assert ended.additional_data["data_collections"] == "d.b,d.a"
    assert ended.additional_data["total_rows_scanned"] == "7"
    assert (ended.aggregate_type, ended.timestamp) == ("Initial Snapshot", 5)


def test_the_log_has_a_line_and_the_sink_nothing(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        assert list(notifications("log").snapshot("STARTED")) == []
    assert "type='STARTED', additionalData={connector_name=shop}, timestamp=5}" in caplog.text


def test_without_channels_nothing_is_published(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        assert list(notifications().snapshot("STARTED")) == []
    assert not caplog.text


def test_a_range_of_keys_names_its_number() -> None:
    (begun,) = notifications("sink").chunk(ChunkScan(TABLES[0], 1, 3, 40, TABLES))
    assert begun.type == "TABLE_CHUNK_IN_PROGRESS"
    assert begun.additional_data == {
        "connector_name": "shop",
        "current_collection_in_progress": "d.b",
        "chunk_index": "1",
        "total_chunks": "3",
        "total_rows_scanned": "40",
    }
    (ended,) = notifications("sink").chunk(ChunkScan(TABLES[0], 1, 3, 60, TABLES, True))
    assert ended.type == "TABLE_CHUNK_COMPLETED"
    assert ended.additional_data == {
        "connector_name": "shop",
        "scanned_collection": "d.b",
        "data_collections": "d.b,d.a",
        "chunk_index": "1",
        "total_chunks": "3",
        "status": "SUCCEEDED",
    }


class _Unread(tuple[TableId, ...]):
    """The names of tables, which are not to be read."""

    __slots__ = ()

    def __iter__(self) -> NoReturn:
        raise AssertionError("the names were read")


@pytest.mark.parametrize("rows", [None, 1])
def test_without_a_channel_the_names_of_all_tables_are_not_read_for_each_table(
    rows: int | None,
) -> None:
    tables = _Unread(TABLES)
    chunk = ChunkScan(TABLES[0], 1, 2, 5, tables, is_complete=rows is not None)
    scan = TableScan(TABLES[0], tables, rows)
    assert not list(notifications().scan(scan))
    assert not list(notifications().chunk(chunk))
    with pytest.raises(AssertionError, match="were read"):
        list(notifications("sink").scan(scan))
