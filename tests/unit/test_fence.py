"""A task that was abandoned writes nothing any more."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from connector.capture.history.file import FileHistory
from connector.capture.history.record import HistoryRecord
from connector.errors import FencedError
from connector.fence import Fence


def test_writes_pass_until_it_is_closed() -> None:
    fence = Fence()
    with fence, fence:  # sending a message may create its topic
        pass
    assert fence.close(0)
    with pytest.raises(FencedError), fence:
        raise AssertionError("the write came through")
    with pytest.raises(FencedError):
        fence.wait("anything")


def test_closing_waits_for_a_write_under_way() -> None:
    fence, began, go_on = Fence(), threading.Event(), threading.Event()
    written: list[str] = []

    def write() -> None:
        with fence:
            began.set()
            go_on.wait(10)
            written.append("all")

    thread = threading.Thread(target=write)
    thread.start()
    began.wait(10)
    assert not fence.close(0.01)
    assert not written
    go_on.set()
    assert fence.close(10)
    assert written
    thread.join()


def test_closing_drops_what_is_queued() -> None:
    fence = Fence()
    dropped: list[str] = []
    cancel = fence.on_close(lambda: dropped.append("first"))
    fence.on_close(lambda: dropped.append("second"))
    cancel()
    fence.close(0)
    fence.on_close(lambda: dropped.append("too late"))
    assert dropped == ["second", "too late"]


def test_a_history_is_not_written_by_an_abandoned_task(tmp_path: Path) -> None:
    fence = Fence()
    history = FileHistory(tmp_path / "history", fence)
    history.prepare()
    record = HistoryRecord({"server": "s"}, {"pos": 1}, "db", "CREATE TABLE t (id INT)")
    history.append(record)
    fence.close(0)
    with pytest.raises(FencedError):
        history.append(record)
    history.close()
    assert list(FileHistory(tmp_path / "history").records()) == [record]
