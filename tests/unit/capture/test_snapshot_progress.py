"""How far a snapshot has come."""

from __future__ import annotations

import logging

import pytest

from connector.capture.snapshot_events import ChunkScan, SnapshotBegan, TableScan
from connector.capture.snapshot_progress import SnapshotProgress
from connector.capture.tables import TableId

SMALL, LARGE, NEW = TableId("shop", "small"), TableId("shop", "large"), TableId("shop", "new")
TABLES = (SMALL, LARGE)


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def progress(clock: Clock) -> SnapshotProgress:
    progress = SnapshotProgress(clock)
    progress.begin(SnapshotBegan({SMALL: 10, LARGE: 1000}))
    return progress


def test_the_speed_so_far_gives_the_time_left(progress: SnapshotProgress, clock: Clock) -> None:
    assert progress.seconds_left is None
    progress.scan(TableScan(SMALL, TABLES))
    clock.now += 4
    progress.read(SMALL, 202)  # the estimate was too low
    assert (progress.rows, progress.total) == (202, 1202)
    assert progress.seconds_left == pytest.approx(4 * 1000 / 202)
    assert str(progress) == (
        "Snapshot: 0 of 2 tables, 202 rows of about 1202 (16 %), 50 rows/s, about 20 s left"
    )


def test_what_was_read_before_a_restart_counts_but_not_as_speed(
    progress: SnapshotProgress, clock: Clock
) -> None:
    progress.begin(SnapshotBegan({SMALL: 10, LARGE: 1000}, {LARGE: 400}))
    assert (progress.rows, progress.total, progress.seconds_left) == (400, 1010, None)
    clock.now += 2
    progress.read(LARGE, 100)
    assert progress.tables[LARGE].report()["percent"] == 50
    assert str(progress) == (
        "Snapshot: 0 of 2 tables, 500 rows of about 1010 (49 %), 50 rows/s, about 10 s left"
    )


def test_a_read_table_counts_as_it_is(progress: SnapshotProgress) -> None:
    progress.scan(TableScan(LARGE, TABLES))
    progress.read(LARGE, 40)
    progress.scan(TableScan(LARGE, TABLES, 40))
    progress.read(LARGE, 1)  # the last row is held back until it is known to be the last
    assert (progress.rows, progress.total) == (40, 50)
    assert progress.tables[LARGE].state == "COMPLETED"


def test_a_table_that_is_read_again_starts_at_zero(progress: SnapshotProgress) -> None:
    for rows in (7, 3):
        progress.scan(TableScan(SMALL, TABLES))
        progress.read(SMALL, rows)
    assert progress.rows == 3


def test_without_an_estimate_there_is_no_share(progress: SnapshotProgress) -> None:
    progress.begin(SnapshotBegan({SMALL: None, LARGE: 5}))
    progress.scan(TableScan(SMALL, TABLES))
    progress.read(SMALL, 3)
    assert (progress.total, progress.seconds_left) == (None, None)
    assert "%" not in str(progress)
    progress.scan(TableScan(SMALL, TABLES, 3))
    assert progress.total == 8


def test_a_renamed_table_joins_and_a_dropped_one_ends(progress: SnapshotProgress) -> None:
    progress.scan(TableScan(NEW, TABLES))
    progress.read(NEW, 2)
    progress.scan(TableScan(NEW, TABLES, 2))
    progress.end()
    report = progress.report()
    assert (report["state"], report["rows"], report["percent"]) == ("COMPLETED", 2, 100)
    assert report["seconds_left"] == 0


def test_a_line_every_ten_seconds(
    progress: SnapshotProgress, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    progress.scan(TableScan(LARGE, TABLES))
    for _ in range(100):
        clock.now += 0.5
        progress.read(LARGE, 1)
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 5
    assert lines[0].endswith("; reading shop.large")


def test_ranges_of_keys_are_counted(progress: SnapshotProgress) -> None:
    progress.scan(TableScan(LARGE, TABLES, chunks=3))
    for number in (2, 0):
        progress.scan_chunk(ChunkScan(LARGE, number, 3, 0, TABLES))
        progress.scan_chunk(ChunkScan(LARGE, number, 3, 0, TABLES, is_complete=True))
    assert progress.tables[LARGE].report() | {"rows": 0} == {
        "state": "RUNNING",
        "rows": 0,
        "total_rows": 1000,
        "percent": 0,
        "chunks": 3,
        "chunks_completed": 2,
    }
    progress.scan(TableScan(LARGE, TABLES, 5))
    assert progress.tables[LARGE].chunks_completed == 3
    progress.scan(TableScan(LARGE, TABLES))  # altered, so that it is read again as a whole
    assert progress.tables[LARGE].chunks == 0
    assert "chunks" not in progress.tables[SMALL].report()
