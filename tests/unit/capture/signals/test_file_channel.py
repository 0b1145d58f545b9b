"""Signals from a file: no line is lost, whatever comes between two steps of a read."""

from __future__ import annotations

from pathlib import Path

import pytest

from connector.capture.signals.file_channel import FileChannel

LOG, PAUSE = '{"id": "1", "type": "log"}\n', '{"type": "pause-snapshot"}\n'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "signals.txt"


def types(channel: FileChannel, *, acknowledged: bool = True) -> list[str]:
    found = [signal.type for signal in channel.read()]
    if acknowledged:
        channel.acknowledge()
    return found


def test_a_file_is_removed_when_it_is_read(path: Path) -> None:
    channel = FileChannel(path)
    assert types(channel) == []
    path.write_text(f"{LOG}\nnot a signal\n{PAUSE}")
    assert types(channel) == ["log", "pause-snapshot"]
    assert types(channel) == []
    assert not list(path.parent.iterdir())


def test_a_file_that_is_written_while_it_is_read(path: Path) -> None:
    channel = FileChannel(path)
    with path.open("a") as writer:
        writer.write(LOG + PAUSE[:9])
        writer.flush()
        assert types(channel) == ["log"]
        writer.write(PAUSE[9:])
    assert types(channel) == ["pause-snapshot"]


def test_a_new_file_is_read_at_once(path: Path) -> None:
    channel = FileChannel(path)
    path.write_text(LOG)
    assert types(channel) == ["log"]
    path.write_text(PAUSE)
    assert types(channel) == ["pause-snapshot"]


def test_a_last_line_may_have_no_end(path: Path) -> None:
    channel = FileChannel(path)
    path.write_text(LOG.strip())
    assert types(channel) + types(channel) == ["log"]


def test_after_a_kill_the_renamed_file_is_read_again(path: Path) -> None:
    path.write_text(LOG)
    assert types(FileChannel(path)) == ["log"]
    path.write_text(PAUSE)
    channel = FileChannel(path)
    assert types(channel) + types(channel) == ["log", "pause-snapshot"]


def test_a_clean_stop_leaves_nothing(path: Path) -> None:
    channel = FileChannel(path)
    path.write_text(LOG)
    assert types(channel) == ["log"]
    channel.close(None)
    assert not list(path.parent.iterdir())


def test_a_stop_keeps_lines_that_are_not_read(path: Path) -> None:
    channel = FileChannel(path)
    with path.open("a") as writer:
        writer.write(LOG)
        writer.flush()
        assert types(channel) == ["log"]
        writer.write(PAUSE)
    channel.close(None)
    assert "pause-snapshot" in types(FileChannel(path))


def test_what_cannot_be_read_is_a_fault(path: Path) -> None:
    path.mkdir()
    channel = FileChannel(path)
    assert types(channel) == []
    assert "cannot be read" in channel.fault
    path.with_name("signals.txt.taken").rmdir()
    path.write_text(LOG)
    assert types(channel) == ["log"]
    assert channel.fault == ""


def test_signals_are_in_the_file_until_they_are_acknowledged(path: Path) -> None:
    channel = FileChannel(path)
    path.write_text(LOG)
    assert types(channel, acknowledged=False) == ["log"]
    path.write_text(PAUSE)
    for _ in range(3):
        assert types(channel, acknowledged=False) == []
    channel.close(None)
    assert types(FileChannel(path)) == ["log"]
    channel.acknowledge()
    assert types(channel) == ["pause-snapshot"]


def test_lines_behind_acknowledged_ones_are_kept(path: Path) -> None:
    channel = FileChannel(path)
    with path.open("a") as writer:
        writer.write(LOG)
        writer.flush()
        assert types(channel) == ["log"]
        writer.write(PAUSE)
    assert types(channel, acknowledged=False) == ["pause-snapshot"]
    assert types(channel, acknowledged=False) == []
    assert types(FileChannel(path)) == ["log", "pause-snapshot"]
