"""The job on a cluster: executors are processes of their own, and see nothing of the driver's."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.sink.histories import ANY_ORDER
from tests.fixtures.sink.recorded import MakeSink
from tests.fixtures.worker import ROOT, wait_for
from tests.sink.test_process import assert_converged, recorded_history

SESSION = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.executor.cores": "1",
    "spark.executor.memory": "768m",
    "spark.ui.enabled": "false",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1",
}


def spark_home() -> Path:
    import pyspark  # noqa: PLC0415 - as conftest is read without Spark

    return Path(pyspark.__file__).parent


def environment() -> dict[str, str]:
    home = str(spark_home())
    return {**os.environ, "SPARK_HOME": home, "SPARK_LOCAL_IP": "127.0.0.1",
            "PYSPARK_PYTHON": sys.executable}  # fmt: skip


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[str]:
    """Yield the URL of a standalone cluster of one worker."""
    started: list[subprocess.Popen[bytes]] = []

    def start(name: str, *words: str) -> Path:
        log = tmp_path / f"{name}.log"
        kind = f"org.apache.spark.deploy.{name}.{name.title()}"
        command: list[str | Path] = [
            spark_home() / "bin" / "spark-class",
            kind,
            "--host",
            "127.0.0.1",
            *words,
        ]
        with log.open("wb") as output:
            started.append(subprocess.Popen(command, stdout=output, stderr=output,
                                            env=environment(), cwd=tmp_path))  # fmt: skip
        return log

    master = start("master", "--port", "0", "--webui-port", "0")
    url = re.compile(r"spark://127\.0\.0\.1:\d+")
    try:
        wait_for(lambda: url.search(master.read_text()), 120, "the cluster")
        found = url.findall(master.read_text())[0]
        worker = start("worker", "--cores", "2", "--memory", "3g", "--webui-port", "0",
                       "--work-dir", str(tmp_path / "work"), found)  # fmt: skip
        wait_for(lambda: "Successfully registered" in worker.read_text(), 120, "its worker")
        yield found
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait(30)


def installed(folder: Path) -> Path:
    """Install the wheel into a folder, which needs nothing of the checkout."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    build = folder / "build"
    shutil.copytree(ROOT, build, ignore=shutil.ignore_patterns(".*", "build", "tests"))
    wheel: list[str | Path] = [
        *pip,
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "--wheel-dir",
        folder,
        build,
    ]
    subprocess.run(wheel, check=True, timeout=300)
    (built,) = folder.glob("millrace_cdc-*.whl")
    subprocess.run([*pip, "install", "--no-deps", "--target", folder / "site", built], check=True,
                   timeout=300)  # fmt: skip
    return folder / "site"


def submitted(url: str, folder: Path) -> int:
    """Submit the job as docs/sink/install.md describes, of an installed wheel."""
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    own = {**environment(), "PYTHONPATH": str(installed(folder))}

    def printed(*words: str) -> str:
        command = [sys.executable, "-m", "sparksink", *words]
        return subprocess.check_output(command, text=True, cwd=elsewhere, env=own).strip()

    job = printed("path")
    assert job == str(folder / "site" / "sparksink" / "job.py")
    options = [word for name, value in SESSION.items() for word in ("--conf", f"{name}={value}")]
    command: list[str | Path] = [
        spark_home() / "bin" / "spark-submit", "--master", url, *options,
        "--jars", printed("jars"), "--py-files", printed("zip", str(folder / "sparksink.zip")),
        job, "run", "--config", folder / "sink.yaml", "--once",
    ]  # fmt: skip
    with (folder / "log").open("wb") as log:
        done = subprocess.run(command, check=False, env=environment(), cwd=elsewhere, stdout=log,
                              stderr=log, timeout=900)  # fmt: skip
    return done.returncode


@pytest.mark.slow
def test_executors_of_their_own(cluster: str, sink: MakeSink, tmp_path: Path) -> None:
    given: dict[str, Any] = ANY_ORDER | {
        "history": {"enabled": True},
        "parallelism": {"batch.partitions": 2, "shuffle.partitions": 2},
    }
    source, parts, _ = recorded_history(tmp_path, 11, steps=80, files=3, **given)
    assert submitted(cluster, tmp_path) == 0, (tmp_path / "log").read_text()[-3000:]
    assert_converged(sink(**given), source, parts)
    executors = list((tmp_path / "work").glob("app-*/*/stderr"))
    ran = [log for log in executors if "Finished task" in log.read_text()]
    assert len(ran) == 2
