import pytest

pytest.importorskip("pyspark")

from sparksink.state.snapshots import (
    NO_SNAPSHOT,
    RECORDED,
    Offsets,
    ReadProgress,
    SnapshotProgress,
    SnapshotRows,
)
from sparksink.state.transactions import (
    OpenTransaction,
    StoredBatch,
    Transactions,
    parse_transactions,
)

ROWS = SnapshotRows(rows=5)
QUIET = SnapshotRows()
STREAMS = SnapshotRows(streams=True)
LAST = SnapshotRows(rows=1, last=True)


def at(reached: int, present: int) -> ReadProgress:
    ends: Offsets = {"t": {"0": present}}
    return ReadProgress({"t": {"0": reached}}, lambda: ends)


def test_what_is_known_is_kept_as_text() -> None:
    opened = {"a": OpenTransaction([(1, 2), (5, 5)], 7), "b": OpenTransaction([(1, 1)], None, True)}
    known = Transactions(
        opened, ("z",), StoredBatch("app", 7), SnapshotProgress("ended", {"t": {}})
    )
    assert parse_transactions(known.text()) == known
    assert parse_transactions(None) == Transactions()


def test_a_version_that_gave_up_waits_until_everything_is_read() -> None:
    found = parse_transactions('{"open": {"a": [[[1, 1]], 2]}, "done": [], "lost": true}')
    assert found.open == {"a": OpenTransaction([(1, 1)], 2)}
    assert not found.consistent
    assert found.snapshot.after(QUIET, at(5, 5)).phase == "silent"


def test_a_snapshot_is_complete_when_its_last_row_and_all_partitions_are_read() -> None:
    running = NO_SNAPSHOT.after(ROWS, at(5, 20))
    assert running.phase == "running"
    ended = running.after(LAST, at(15, 20))
    assert ended == SnapshotProgress("ended", {"t": {"0": 20}})
    assert ended.after(QUIET, at(19, 30)) == ended
    assert ended.after(QUIET, at(20, 30)) == NO_SNAPSHOT
    assert NO_SNAPSHOT.after(LAST, RECORDED) == NO_SNAPSHOT


def test_without_a_last_row_a_transaction_shows_that_a_snapshot_has_ended() -> None:
    running = NO_SNAPSHOT.after(ROWS, at(5, 20))
    assert running.after(STREAMS, at(15, 20)).phase == "running"  # it may be from before
    silent = running.after(STREAMS, at(20, 25))
    assert silent == SnapshotProgress("silent")
    assert silent.after(QUIET, at(24, 25)) == silent
    assert silent.after(ROWS, at(24, 25)).phase == "running"
    ended = silent.after(STREAMS, at(24, 30))
    assert ended == SnapshotProgress("ended", {"t": {"0": 30}})
    assert ended.after(QUIET, at(30, 40)) == NO_SNAPSHOT


def test_a_wait_for_removed_events_does_not_end_one_for_a_snapshot() -> None:
    assert NO_SNAPSHOT.with_end(dict) == SnapshotProgress("ended", {})
    running = NO_SNAPSHOT.after(ROWS, at(5, 20))
    assert running.with_end(dict) is running
