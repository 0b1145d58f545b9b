"""A worker that keeps its state in files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from connector.worker.storage.java_map import JavaMapFormat
from tests.fixtures.topics import Topics
from tests.fixtures.worker import WorkerProcess, wait_for
from tests.rest.answers import Config
from tests.rest.conftest import MODULE
from tests.rest.ticker import numbers
from tools.stack import KafkaBroker


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    return {"offset.storage.file.filename": str(tmp_path / "state" / "connect.offsets")}


def test_everything_is_there_after_a_restart(
    broker: KafkaBroker,
    topics: Topics,
    tmp_path: Path,
    files: dict[str, str],
    name: str,
    ticker: Config,
) -> None:
    worker = WorkerProcess(tmp_path, broker.address, files, MODULE).start()
    worker.create(name, {**ticker, "messages": "40"})
    worker.create(f"{name}-paused", {**ticker, "topic": f"{name}-p", "messages": "10"})
    worker.create(f"{name}-stopped", ticker, "STOPPED")
    topics.wait_for(f"{name}-p", 10)
    worker.http.put(f"/connectors/{name}-paused/pause")
    worker.wait_for_states(f"{name}-paused", "PAUSED", "PAUSED")
    topics.wait_for(name, 5)
    before = worker.http.get("/connectors?expand=info").json()
    assert worker.stop() == 0

    with worker:
        wait_for(lambda: worker.states(name) == ("RUNNING", ["RUNNING"]))
        wait_for(lambda: worker.states(f"{name}-paused") == ("PAUSED", ["PAUSED"]))
        wait_for(lambda: worker.states(f"{name}-stopped") == ("STOPPED", []))
        assert worker.http.get("/connectors?expand=info").json() == before
        assert worker.http.get(f"/connectors/{name}-paused/topics").json() == {
            f"{name}-paused": {"topics": [f"{name}-p"]}
        }
        assert numbers([got.value for got in topics.wait_for(name, 40)]) == list(range(1, 41))
        for each in (f"{name}-paused", f"{name}-stopped", name):
            worker.http.delete(f"/connectors/{each}")


def test_a_crash_loses_no_committed_offset(
    broker: KafkaBroker,
    topics: Topics,
    tmp_path: Path,
    files: dict[str, str],
    name: str,
    ticker: Config,
) -> None:
    worker = WorkerProcess(tmp_path, broker.address, files, MODULE)
    with worker:
        worker.create(name, {**ticker, "messages": "500", "interval.ms": "1"})
        topics.wait_for(name, 50)
        worker.kill()
        committed = JavaMapFormat().decode(Path(files["offset.storage.file.filename"]).read_bytes())
        last = json.loads(committed[f'["{name}",{{"ticker":"{name}"}}]'.encode()])["n"]
        worker.start()
        wait_for(lambda: numbers([got.value for got in topics.read(name)])[-1] == 500)
        sent = numbers([got.value for got in topics.read(name)])
        assert set(sent) == set(range(1, 501))
        assert sent.count(last) == 1
        worker.http.delete(f"/connectors/{name}")


def test_the_offsets_file_is_that_of_connect(
    broker: KafkaBroker,
    topics: Topics,
    tmp_path: Path,
    files: dict[str, str],
    name: str,
    ticker: Config,
) -> None:
    """A file of FileOffsetBackingStore is taken over, and written in the same format."""
    file = Path(files["offset.storage.file.filename"])
    file.parent.mkdir()
    other = (b'["other",{"server":"s"}]', b'{"pos":4}')
    own = f'["{name}",{{"ticker":"{name}"}}]'.encode()
    file.write_bytes(JavaMapFormat().encode({own: b'{"n":17}', other[0]: other[1]}))
    with WorkerProcess(tmp_path, broker.address, files, MODULE) as worker:
        worker.create(name, ticker)
        assert numbers([got.value for got in topics.wait_for(name, 3)]) == [18, 19, 20]
        wait_for(lambda: JavaMapFormat().decode(file.read_bytes())[own] == b'{"n":20}')
        assert JavaMapFormat().decode(file.read_bytes())[other[0]] == other[1]
        worker.http.delete(f"/connectors/{name}")


def test_files_are_readable_by_their_owner_only(
    broker: KafkaBroker, tmp_path: Path, files: dict[str, str], name: str, ticker: Config
) -> None:
    with WorkerProcess(tmp_path, broker.address, files, MODULE) as worker:
        worker.create(name, {**ticker, "password": "s3cret"}, "STOPPED")
        folder = Path(files["offset.storage.file.filename"]).parent
        written = {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}
        assert written == {
            "connect.offsets.configs.json": 0o600,
            "connect.offsets.lock": 0o600,
            "connect.offsets.status.json": 0o600,
        }


@pytest.mark.parametrize("suffix", ["", ".configs.json"])
def test_a_damaged_file_stops_the_start(
    broker: KafkaBroker, tmp_path: Path, files: dict[str, str], suffix: str
) -> None:
    file = Path(files["offset.storage.file.filename"] + suffix)
    file.parent.mkdir()
    file.write_bytes(b"{ nonsense")
    worker = WorkerProcess(tmp_path, broker.address, files, MODULE).start(wait=False)
    assert worker.wait(30) == 1
    assert f"The worker cannot start: {file} is damaged: " in worker.log.read_text()
    assert file.read_bytes() == b"{ nonsense"
