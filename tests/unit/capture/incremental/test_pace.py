"""The size of chunks, and chunks that wait while the stream is behind."""

from __future__ import annotations

import time
from collections.abc import Iterator

from connector.capture.change import Change, HeartbeatDue, Notice, Progress, RowChanges
from connector.capture.incremental.pace import ChunkSize, IncrementalOptions, StreamLag
from connector.capture.incremental.snapshot import IncrementalSnapshot
from connector.capture.notifications import Notifications
from connector.capture.signals.processor import SignalOptions, Signals
from connector.capture.signals.signal import SnapshotRequest
from tests.unit.capture.incremental.in_turn import InTurn
from tests.unit.capture.incremental.rows_read import rows_read
from tests.unit.capture.incremental.simulated import SIGNALS, At, Chunks, Database

COMMITTED = 1_000_000


def test_the_size_follows_the_time_that_chunks_take() -> None:
    size = ChunkSize(1000, 0.5)
    size.adapt(1000, 0.4)
    assert size.rows == 1250
    size.adapt(1250, 1.0)
    assert size.rows == 625
    size.adapt(625, 0.0001)
    assert size.rows == 1250, "it changes in steps"


def test_the_size_follows_the_time_that_rows_take_to_be_emitted() -> None:
    size = ChunkSize(1000, 0.5)
    size.note_emission(1000, 1.0)
    size.adapt(1000, 0.4)
    assert size.rows == 500
    size.note_emission(500, 0.0)
    size.adapt(500, 0.4)
    assert size.rows == 625


def test_the_last_chunk_of_a_table_says_nothing() -> None:
    size = ChunkSize(1000, 0.5)
    size.adapt(999, 0.001)
    assert size.rows == 1000


def test_the_size_has_bounds() -> None:
    size = ChunkSize(1000, 0.5)
    for _ in range(20):
        size.adapt(size.rows, 100.0)
    assert size.rows == 16
    for _ in range(20):
        size.adapt(size.rows, 0.0)
    assert size.rows == 32_768


def test_without_a_target_the_size_is_kept() -> None:
    size = ChunkSize(50_000)
    size.adapt(50_000, 9.0)
    assert size.rows == 50_000


def test_chunks_of_large_rows_are_smaller() -> None:
    size = ChunkSize(1000)
    size.adapt(50, 1.0, 400_000)
    assert size.rows == 20
    size.adapt(20, 1.0, 100 << 20)
    assert size.rows == 1
    size.adapt(1, 1.0, 100)
    assert size.rows == 1000


def test_the_size_follows_the_time_also_of_chunks_that_bytes_end() -> None:
    size = ChunkSize(1000, 0.5)
    size.adapt(50, 1.0, 200_000)
    assert size.rows == 41
    size.adapt(41, 1.0, 200_000)
    assert size.rows == 20, "chunks of 41 took longer than they should"
    size.adapt(20, 0.1, 100)
    assert size.rows == 40, "it grows in steps again"


def progress(seconds: float, *, in_transaction: bool = False) -> Progress[At]:
    """Return the progress behind a transaction so many seconds after the first one."""
    committed_ms = COMMITTED + int(seconds * 1000)
    return Progress(At(1), 1, committed_ms, in_transaction=in_transaction)


def test_the_stream_is_behind_by_the_age_of_its_last_transaction() -> None:
    clock = [COMMITTED / 1000 + 10.0]
    lag = StreamLag(2.0, lambda: clock[0])
    lag.note(progress(1))
    assert lag.is_too_high
    [shown] = lag.notices(chunk_waits=True)
    assert "9.0 s behind" in shown.text
    assert list(lag.notices(chunk_waits=True)) == []
    lag.note(progress(9))
    assert not lag.is_too_high
    assert [notice.text for notice in lag.notices(chunk_waits=True)] == [""]


def test_the_status_says_nothing_of_the_stream_when_no_chunk_waits() -> None:
    lag = StreamLag(2.0, lambda: COMMITTED / 1000 + 10.0)
    lag.note(progress(1))
    assert list(lag.notices(chunk_waits=False)) == []
    assert list(lag.notices(chunk_waits=True)) != []
    assert [notice.text for notice in lag.notices(chunk_waits=False)] == [""]


def test_a_stream_to_which_nothing_comes_is_not_behind() -> None:
    lag = StreamLag(2.0, lambda: COMMITTED / 1000 + 10.0)
    last = progress(1)
    lag.note(last)
    lag.note(Progress(At(1), in_transaction=True))
    assert lag.is_too_high, "within a transaction its time is not known"
    lag.note(Progress(At(2)))
    assert not lag.is_too_high
    lag.note(last)
    lag.note(last)
    assert not lag.is_too_high


def test_the_status_is_empty_when_a_snapshot_ends_while_the_stream_is_behind() -> None:
    database = Database({1: (1, "v")})
    options = IncrementalOptions(2, most_lag=60.0)
    incremental = IncrementalSnapshot(
        Chunks(database), Notifications(), options, ahead=InTurn(at_once=True)
    )
    shown: list[str] = []

    def note(changes: Iterator[Change]) -> None:
        shown.extend(one.text for one in changes if isinstance(one, Notice))

    incremental.note_progress(Progress(At(1), 1, 1))  # of 1970
    note(incremental.execute("one", SnapshotRequest(("d.t",))))
    assert len(shown) == 1
    note(incremental.stop(SnapshotRequest(())))
    note(incremental.go_on(At(1)))
    assert shown[1:] == [""]


def test_without_a_limit_nothing_waits() -> None:
    lag = StreamLag(0.0, lambda: COMMITTED / 1000 + 10.0)
    lag.note(progress(1))
    assert not lag.is_too_high


def test_chunks_wait_until_the_stream_has_caught_up() -> None:
    database = Database({number: (number, "v") for number in range(5)})
    options = IncrementalOptions(2, most_lag=60.0)
    incremental = IncrementalSnapshot(
        Chunks(database), Notifications(), options, ahead=InTurn(at_once=True)
    )
    database.signal("one", "execute-snapshot", '{"data-collections": ["d.t"]}')
    waited: list[list[int]] = []
    changes: list[Change] = []

    def stream() -> Iterator[Change]:
        for committed_ms in (1, int(time.time() * 1000)):  # at first of 1970
            while len(taken) < len(database.log):
                change = database.log[len(taken)]
                taken.append(change)
                assert isinstance(change, RowChanges)
                yield RowChanges(change.codec, change.op, list(change.rows), change.source)
                yield Progress(At(len(taken)), 1, committed_ms)
                yield HeartbeatDue()
            waited.append(rows_read(changes))
            yield Progress(At(len(taken)))
            yield HeartbeatDue()

    taken: list[Change] = []
    for change in Signals(SignalOptions(SIGNALS), (), incremental).weave(stream()):
        changes.append(change)  # noqa: PERF402 - the stream looks at it meanwhile
    assert waited == [[0, 1], [0, 1, 2, 3, 4]]
    texts = [one.text for one in changes if isinstance(one, Notice)]
    assert len(texts) == 2
    assert texts[0].startswith("Incremental snapshots wait: streaming is ")
    assert texts[1] == ""
