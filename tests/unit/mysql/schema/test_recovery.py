"""A recovery from a snapshot of the history leads to what the whole history leads to."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from connector.capture.history.file import FileHistory
from connector.capture.history.opening import snapshot_file
from connector.capture.history.record import HistoryRecord
from connector.capture.history.snapshot import SnapshotFile
from connector.capture.history.store import HistoryStore
from connector.capture.tables import Tables
from connector.mysql.position.binlog_position import position_of
from connector.mysql.position.recorded_positions import recorded_before
from connector.mysql.schema.database_schema import DatabaseSchema
from connector.mysql.schema.recovery import Recovery
from connector.mysql.schema.schema_rules import SchemaRules

PARTITION = {"server": "shop"}
BASIS = {"sql_mode": ""}


def statements(count: int) -> Iterator[tuple[str, str]]:
    """Yield statements of every kind that a history holds, as they come in any order."""
    dice = random.Random(7)
    yield "SET character_set_server=utf8mb4, collation_server=utf8mb4_0900_ai_ci;", ""
    for name in ("a", "b"):
        yield f"CREATE DATABASE {name} CHARSET latin1", name
    for number in range(count):
        database, table = dice.choice("ab"), f"t{dice.randrange(6)}"
        columns = "id INT, e ENUM('x','y,z') DEFAULT 'x', d DECIMAL(5,2) NOT NULL COMMENT 'c'"
        yield (
            dice.choice(
                [
                    f"CREATE TABLE IF NOT EXISTS {table} ({columns}, PRIMARY KEY (id))",
                    f"ALTER TABLE {table} ADD COLUMN IF NOT EXISTS n{number % 5} TEXT DEFAULT NULL",
                    f"DROP TABLE IF EXISTS {table}",
                    f"CREATE TABLE IF NOT EXISTS u{number} (v VARCHAR(9) DEFAULT 'é')",
                    f"RENAME TABLE u{number - 1} TO u{number - 1}_old",
                    "SET sql_mode='ANSI_QUOTES'",
                    f"ALTER DATABASE {database} CHARSET utf8mb4",
                ]
            ),
            database,
        )


def position(place: int) -> dict[str, Any]:
    return {"file": "binlog.000001", "pos": place, "row": 0, "event": 0}


@pytest.fixture
def history(tmp_path: Path) -> Iterator[FileHistory]:
    """Return a history of statements at the positions 10, 20 …, some with their tables."""
    store = FileHistory(tmp_path / "history")
    store.prepare()
    schema = DatabaseSchema(SchemaRules(dialect="mariadb"), Tables())
    with store.buffering():
        for number, (ddl, database) in enumerate(statements(150), 1):
            for change in schema.apply(ddl, database):
                changes = change.changes if number % 3 else ()
                at = position(number * 10)
                store.append(HistoryRecord.of(PARTITION, at, database, ddl, changes, 0))
    yield store
    store.close()


def recover_schema(
    store: HistoryStore, snapshots: SnapshotFile | None, place: int, **basis: str
) -> DatabaseSchema:
    schema = DatabaseSchema(SchemaRules(dialect="mariadb"), Tables())
    at = position(place)
    reached = recorded_before(position_of(at, is_mariadb=True), None, is_mariadb=True)
    Recovery(store, snapshots, PARTITION, at, reached, {**BASIS, **basis}).run(schema)
    return schema


def state_of(schema: DatabaseSchema) -> tuple[Any, ...]:
    return list(schema.tables), schema.state()


@pytest.mark.parametrize("first", range(10, 1500, 170))
def test_snapshot_and_rest_lead_to_the_same(
    history: FileHistory, tmp_path: Path, first: int
) -> None:
    """The snapshot is made of the records up to any place, the others are read behind it."""
    whole = (tmp_path / "history").read_bytes()
    part = tmp_path / "part"
    lines = whole.splitlines(keepends=True)
    part.write_bytes(b"".join(lines[: first // 10]))
    snapshots = SnapshotFile(tmp_path / "below" / "snapshot", {}, worth=1)
    recover_schema(FileHistory(part), snapshots, first)
    kept = snapshots.load(BASIS)
    assert kept is not None
    for place in (first, (first + 1530) // 2, 1530):
        part.write_bytes(whole)
        expected = state_of(recover_schema(history, None, place))
        assert state_of(recover_schema(FileHistory(part), snapshots, place)) == expected
        assert len(expected[0]) > 0 or first < 100


class Counting:
    """A history that counts the records that are read of it."""

    def __init__(self, store: HistoryStore) -> None:
        self._store = store
        self.count = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def records(self, after: Any = None) -> Iterator[HistoryRecord]:
        for record in self._store.records(after):
            self.count += 1
            yield record


def read(store: HistoryStore, snapshots: SnapshotFile, place: int = 9999, **basis: str) -> int:
    """Recover; return how many records were read for it."""
    counting = Counting(store)
    expected = state_of(recover_schema(store, None, place))
    assert state_of(recover_schema(counting, snapshots, place, **basis)) == expected
    return counting.count


def test_a_second_start_reads_nothing_again(history: FileHistory, tmp_path: Path) -> None:
    snapshots = SnapshotFile(tmp_path / "snapshot", {}, worth=50)
    count = read(history, snapshots)
    assert count > 50
    assert read(history, snapshots) == 0
    history.append(next(iter(history.records())))
    assert read(history, snapshots) == 1
    assert read(history, snapshots) == 1  # too little to write another snapshot


def test_what_does_not_fit_is_not_used(
    history: FileHistory, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "snapshot"
    snapshots = SnapshotFile(path, {"config": {"table.include.list": "a"}}, worth=50)
    count = read(history, snapshots)
    good = path.read_bytes()
    assert read(history, snapshots, sql_mode="ANSI") == count
    path.write_bytes(good)
    assert read(history, SnapshotFile(path, {"config": {}}, worth=10**9)) == count
    assert "another configuration or version" in caplog.text
    middle = len(good) // 2
    for bad in (good[:middle], good[:-1], b"", b"[]\n", good[:middle] + b"#" + good[middle + 1 :]):
        path.write_bytes(bad)
        caplog.clear()
        assert read(history, snapshots) == count
        assert "it is damaged" in caplog.text
        assert path.read_bytes() == good
    assert read(history, snapshots) == 0


def test_an_older_position_and_another_history_need_the_whole(
    history: FileHistory, tmp_path: Path
) -> None:
    snapshots = SnapshotFile(tmp_path / "snapshot", {}, worth=50)
    count = read(history, snapshots, 1600)
    assert read(history, snapshots, 1599) == count
    assert read(history, snapshots, 1600) == 0
    path = tmp_path / "history"
    *lines, last = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines))
    assert read(FileHistory(path), SnapshotFile(tmp_path / "snapshot", {})) == count - 1
    path.write_bytes(b"".join([*lines, last.replace(b'"ts_ms":0', b'"ts_ms":1')]))
    assert read(FileHistory(path), snapshots) == count


def test_records_that_are_not_reached_or_unresolved_make_no_snapshot(
    history: FileHistory, tmp_path: Path
) -> None:
    path = tmp_path / "snapshot"
    snapshots = SnapshotFile(path, {}, worth=1)
    read(history, snapshots, 700)
    assert not path.exists()
    unparsed = HistoryRecord(PARTITION, position(1540), "a", None, unparsed="ALTER TABLE t0 WHAT")
    history.append(unparsed)
    read(history, snapshots)
    assert not path.exists()


def test_a_file_that_cannot_be_written_changes_nothing(
    history: FileHistory, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    snapshots = SnapshotFile(tmp_path / "file" / "snapshot", {}, worth=1)
    assert read(history, snapshots) > 0
    assert "The snapshot of the schema history cannot be written" in caplog.text


def test_what_it_depends_on(history: FileHistory, tmp_path: Path) -> None:
    path = str(tmp_path / "snapshot")
    config = {
        "table.include.list": "a",
        "schema.history.internal.kafka.topic": "h",
        "schema.history.internal.consumer.sasl.password": "secret",
        "database.password": "secret",
        "tombstones.on.delete": "true",
    }
    key = "millrace.schema.history.snapshot.file"
    assert snapshot_file({key: None}, config) is None
    made = snapshot_file({key: path}, config)
    assert made is not None
    made.worth = 0
    recover_schema(history, made, 9999)
    text = (tmp_path / "snapshot").read_text()
    assert '"table.include.list":"a"' in text
    assert '"schema.history.internal.kafka.topic":"h"' in text
    assert "secret" not in text
    assert "tombstones" not in text
