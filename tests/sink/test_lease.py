"""Two jobs never write one target, whatever happens to the storage of the lease or to a process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from sparksink.errors import LeaseError
from tests.fixtures.sink.crashing import CrashingLake, CrashingTable
from tests.fixtures.sink.recorded import MakeSink, Topic, field, frame
from tests.fixtures.worker import wait_for
from tests.sink.test_convergence import real_lake

BEAT = 0.4


@pytest.fixture
def lease(spark: Any, tmp_path: Path) -> Callable[..., Any]:
    """Return what makes a lease of one file."""
    from sparksink.files import Files  # noqa: PLC0415 - needs Spark
    from sparksink.state.lease import Lease  # noqa: PLC0415

    (tmp_path / "state").mkdir()
    Files(spark).write(str(tmp_path / "first"), "the first file takes a second", over=True)

    def make(beat: float = BEAT, **calls: Any) -> Any:
        return Lease(Files(spark), str(tmp_path / "state" / "lease.json"), beat, **calls)

    return make


@pytest.fixture
def stopped() -> Iterator[int]:
    """Yield the number of a process that does not run and has not ended."""
    process = subprocess.Popen(["sleep", "600"])
    process.send_signal(signal.SIGSTOP)
    yield process.pid
    process.kill()
    process.wait(30)


def write_owner(tmp_path: Path, **owner: Any) -> Path:
    """Let a file name an owner of the lease."""
    file = tmp_path / "state" / "lease.json"
    given = {"owner": "x", "host": "elsewhere", "machine": "another", "pid": 1, "began": "1"}
    file.write_text(json.dumps({**given, **owner}))
    file.with_name(".lease.json.crc").unlink(missing_ok=True)  # Hadoop's checksum of another text
    return file


def test_a_job_waits_for_an_owner_elsewhere_and_for_none_that_has_ended(
    lease: Callable[..., Any], tmp_path: Path
) -> None:
    file = write_owner(tmp_path)
    fenced: list[str] = []
    with lease(fence=fenced.append) as taken:
        taken.check()
        assert fenced == [taken._me["owner"]]  # the other one may be alive
        with pytest.raises(LeaseError, match="writes these tables"), lease():
            pass
    ended = {"machine": taken._me["machine"], "pid": 2**22 + 1}
    restarted = {**ended, "pid": os.getpid(), "began": "1"}  # another process has its number
    for owner in (ended, restarted):
        write_owner(tmp_path, **owner)
        with lease(60.0, fence=fenced.append) as at_once:
            at_once.check()
    assert len(fenced) == 1
    write_owner(tmp_path)

    def end(_: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), lease(fence=end):  # it ends before it has fenced
        pass
    for _ in range(2):
        with lease(fence=fenced.append):
            pass
    assert len(fenced) == 2
    assert [one.name for one in file.parent.iterdir() if ".crc" not in one.name] == []


def test_the_lease_of_an_owner_elsewhere_that_writes_its_counter_is_not_taken(
    lease: Callable[..., Any], tmp_path: Path
) -> None:
    write_owner(tmp_path)
    ended = threading.Event()

    def count() -> None:
        number = 0
        while not ended.wait(0.02):
            number += 1
            (tmp_path / "state" / "lease.json.x.count").write_text(str(number))

    writer = threading.Thread(target=count)
    writer.start()
    try:
        with pytest.raises(LeaseError, match="on elsewhere, process 1, writes"), lease():
            pass
    finally:
        ended.set()
        writer.join()


def test_a_frozen_job_on_this_machine_keeps_its_lease(
    lease: Callable[..., Any], tmp_path: Path, stopped: int
) -> None:
    from sparksink.state.lease import _process  # noqa: PLC0415

    write_owner(tmp_path, **_process(stopped))
    with pytest.raises(LeaseError, match=f"process {stopped}, writes these tables"), lease(0.01):
        pass


def test_a_storage_that_fails_for_a_moment_costs_no_lease(
    lease: Callable[..., Any], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    stops: list[bool] = []
    state, aside = tmp_path / "state", tmp_path / "aside"
    with lease(stop=lambda: stops.append(True)) as held:
        counter = state / f"lease.json.{held._me['owner']}.count"
        wait_for(counter.exists, 10, "the first beat")
        state.rename(aside)
        state.write_text("no folder")
        wait_for(lambda: "cannot be renewed" in caplog.text, 10, "a beat that fails")
        state.unlink()
        aside.rename(state)
        count = counter.read_text()
        wait_for(lambda: counter.read_text() not in {count, ""}, 10, "the next beat")
        held.check()
    assert not stops


def test_a_job_ends_before_another_one_may_take_its_lease(
    lease: Callable[..., Any], tmp_path: Path
) -> None:
    stops: list[float] = []
    held = lease(stop=lambda: stops.append(time.monotonic())).__enter__()
    begun = time.monotonic()
    counter = tmp_path / "state" / f"lease.json.{held._me['owner']}.count"
    os.mkfifo(counter)  # a storage that does not answer: to open it waits for a reader
    wait_for(lambda: stops, 10, "the end of the job")
    assert stops[0] - begun < 6 * BEAT
    with pytest.raises(LeaseError):
        held.check()
    reader = os.open(counter, os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(LeaseError, match="could not be renewed for"):
        held.__exit__(None, None, None)
    os.close(reader)
    assert len(stops) == 1


def test_a_lease_that_was_written_too_slowly_is_given_back(
    spark: Any, tmp_path: Path, lease: Callable[..., Any]
) -> None:
    """Another job may have waited for its end, as long as it was there already."""
    from sparksink.files import Files  # noqa: PLC0415 - needs Spark
    from sparksink.state.lease import Lease  # noqa: PLC0415

    class Slow(Files):
        def write(self, path: str, text: str, *, over: bool) -> None:
            super().write(path, text, over=over)
            time.sleep(6 * BEAT)

    file = tmp_path / "state" / "lease.json"
    with pytest.raises(LeaseError, match=r"took \d+ s to write the lease"):
        Lease(Slow(spark), str(file), BEAT).__enter__()
    assert not file.exists()
    with lease():
        pass


def test_a_job_ends_when_another_one_has_taken_its_lease(
    lease: Callable[..., Any], tmp_path: Path
) -> None:
    stops: list[bool] = []
    held = lease(stop=lambda: stops.append(True)).__enter__()
    write_owner(tmp_path)
    wait_for(lambda: stops, 10, "the next beat")
    with pytest.raises(LeaseError, match="has taken the lease"):
        held.__exit__(None, None, None)
    assert json.loads((tmp_path / "state" / "lease.json").read_text())["owner"] == "x"


def test_a_write_that_failed_is_not_repeated_without_the_lease(
    lease: Callable[..., Any], sink: MakeSink, spark: Any, tmp_path: Path
) -> None:
    """It may have failed because the job that has the lease has fenced the table."""
    from pyspark.errors import PySparkException  # noqa: PLC0415

    writes: list[str] = []

    class Fenced(CrashingLake):
        def table(self, name: str) -> CrashingTable:
            def write(_: Any) -> None:
                writes.append(name)
                write_owner(tmp_path)
                raise PySparkException("fenced")

            return CrashingTable(self._lake.table(name), write)

    given: dict[str, Any] = {"errors": {"retries": 3, "backoff": "0s"}}
    made = sink(Fenced(real_lake(spark, tmp_path, **given), 0, after=False), **given)
    topic = Topic(columns=[field("id", "int32")])
    held = lease(60.0).__enter__()
    made.batches.check_before_retries(held.check)
    with pytest.raises(LeaseError, match="has taken the lease"):
        made.batches.apply(frame(spark, [topic.change("c", 1, None, {"id": 1})]), "app", 0)
    assert writes == ["shop__orders"]
    with pytest.raises(LeaseError):
        held.__exit__(None, None, None)


FENCED = {"delta": "DELTA_METADATA_CHANGED", "iceberg": "Table UUID does not match"}
"""A format → how a write that has begun fails."""
CATALOG = {
    "name": "fenced",
    "namespace": "shop",
    "catalog-impl": "org.apache.iceberg.inmemory.InMemoryCatalog",
}
"""The default catalog of Iceberg tables is not fenced."""


@pytest.mark.slow
@pytest.mark.parametrize("table_format", FENCED)
def test_what_another_job_has_begun_to_write_fails(
    sink: MakeSink, spark: Any, tmp_path: Path, table_format: str
) -> None:
    """A frozen process on another machine may go on after its lease was taken."""
    from pyspark.sql import functions as f  # noqa: PLC0415

    more = {"catalog": CATALOG} if table_format == "iceberg" else {}
    lake = sink(target={"format": table_format, **more}).lake
    table = lake.table("t")
    table.create({"id": "bigint"}, {})
    begun, thawed = str(tmp_path / "begun"), str(tmp_path / "thawed")

    def freeze(number: int) -> int:
        Path(begun).touch()
        while not Path(thawed).exists():
            time.sleep(0.02)
        return number

    # A lambda has no types: Spark warns of those that it cannot use.
    frozen = f.udf(lambda number: freeze(number), "bigint")  # noqa: PLW0108 - as above
    rows = spark.range(1).select(frozen("id").alias("id"))
    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(table.append, rows, "writer", 0)
        wait_for(Path(begun).exists, 60, "the write")
        lake.fence("t", uuid.uuid4().hex)
        Path(thawed).touch()
        with pytest.raises(Exception, match=FENCED[table_format]):
            writing.result(60)
    table.append(spark.range(2), "writer", 0)  # what begins now is written
    assert table.read().count() == 2
