"""A schema history that lost its end is noticed, and the log says what is missing."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from connector.capture.change import Change, Position
from connector.capture.snapshot_plan import Plan
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.sources import source


def snapshot(database: FreshDatabase, **history: str) -> Position:
    with closing(source(database, **history)) as opened:
        opened.open()
        ends: list[Position] = []

        def changes() -> Iterator[Change]:
            ends.append((yield from opened.snapshot(Plan("no_data", schema=True), None)))

        assert list(changes())
        return ends[0]


def test_a_history_that_was_cut_off(
    each_database: FreshDatabase, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "history"
    history = {
        "schema__history__internal": "io.debezium.storage.file.history.FileSchemaHistory",
        "schema__history__internal__file__filename": str(file),
    }
    for number in range(6):
        each_database.execute(f"CREATE TABLE t{number} (id INT PRIMARY KEY, note TEXT)")
    at = snapshot(each_database, **history)
    content = file.read_bytes()
    file.write_bytes(content[: len(content) * 2 // 3])
    with caplog.at_level(logging.WARNING), closing(source(each_database, **history)) as opened:
        opened.open()
        opened.recover(opened.position(at.to_offset()))
    text = caplog.text
    assert f"The schema history {file} ends within a record" in text
    assert "captured tables are not in the schema history" in text
    assert f"{each_database.name}.t5" in text


def test_a_complete_history_is_quiet(
    each_database: FreshDatabase, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    history = {
        "schema__history__internal": "io.debezium.storage.file.history.FileSchemaHistory",
        "schema__history__internal__file__filename": str(tmp_path / "history"),
    }
    each_database.execute("CREATE TABLE t (id INT PRIMARY KEY)")
    at = snapshot(each_database, **history)
    with caplog.at_level(logging.WARNING), closing(source(each_database, **history)) as opened:
        opened.open()
        opened.recover(opened.position(at.to_offset()))
    assert caplog.records == []
