"""One Spark for all tests of the sink, and sinks on it, each with a target of its own."""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from sparksink.config.file import parse
from tools.stack.folders import STACK, locked

HERE = Path(__file__).parent

if importlib.util.find_spec("pyspark") is None:  # make test-unit does without it
    collect_ignore_glob = ["test_*.py"]


CODE_CACHE = "-XX:ReservedCodeCacheSize=256m"
"""One compiler alone has 48 MB, which are soon full."""

FORKS = "-Djdk.lang.Process.launchMechanism=VFORK"
"""Hadoop starts a chmod for every folder."""

JVM = f"-XX:TieredStopAtLevel=1 -XX:+UseSerialGC {CODE_CACHE} {FORKS}"
"""Options of the JVM; for half an hour of tests its better compiler is not worth its time."""

NO_DESCRIPTIONS = {
    "spark.sql.ui.explainMode": "simple",
    "spark.sql.maxPlanStringLength": "1000",
    "spark.sql.debug.maxToStringFields": "1",
    "spark.sql.ui.retainedExecutions": "5",
}
"""Spark describes each plan for its web interface, which no test reads."""

SEVERAL = {"batch.partitions": 2, "shuffle.partitions": 2, "tables": 2}
"""As users have: Spark shuffles, and adapts the plan to what it finds."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs a JVM, as the tests on servers are."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker("servers")


def pytest_configure(config: pytest.Config) -> None:
    # pyspark leaves its sockets to the garbage collector.
    config.addinivalue_line("filterwarnings", "ignore::ResourceWarning")


def settings(path: Path, **sections: Any) -> dict[str, Any]:
    """Return a configuration that reads recorded messages below a folder and writes there."""
    (path / "in").mkdir(exist_ok=True)
    given: dict[str, Any] = {
        "name": "test",
        "source": {"kind": "file", "path": str(path / "in"), "topics": r"srv\..*"},
        "checkpoint": str(path / "checkpoint"),
        "target": {"path": str(path / "lake")},
        "errors": {"retries": 0},
        "parallelism": SEVERAL,
    }
    for name, section in sections.items():
        there = given.get(name)
        given[name] = {**there, **section} if isinstance(there, dict) else section
    if given["target"].get("format") == "iceberg":  # a catalog keeps its folder for good
        name = f"lake_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}"
        given["target"].setdefault("catalog", {"name": name})
    return given


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from sparksink.jars import fetch, folder  # noqa: PLC0415 - as conftest is read without Spark
    from sparksink.session import EXTENSIONS, create_session  # noqa: PLC0415

    (STACK / "downloads").mkdir(parents=True, exist_ok=True)
    folder().parent.mkdir(parents=True, exist_ok=True)
    with locked(STACK / "downloads" / "maven.lock", "Maven"):
        fetch(options=[f"-Dmaven.repo.local={STACK / 'downloads' / 'maven'}"])
    place = tmp_path_factory.mktemp("spark")
    local = {
        "spark.master": "local[2]",
        "spark.driver.memory": os.environ.get("SINK_MEMORY", "2g"),
        "spark.ui.enabled": "false",
        "spark.driver.extraJavaOptions": os.environ.get("SINK_JVM", JVM),
        **NO_DESCRIPTIONS,
        # Both formats in one session, as to start another takes longer than most tests.
        "spark.sql.extensions": ",".join(EXTENSIONS.values()),
        "spark.sql.warehouse.dir": str(place),
        "spark.local.dir": str(place),
    }
    made = create_session(parse(settings(place)), local)
    made.sparkContext.setLogLevel("OFF")
    yield made
    made.stop()


@pytest.fixture
def sink(spark: Any, tmp_path: Path) -> Callable[..., Any]:
    """Return what makes a sink: sections of its configuration, perhaps a lake, limits."""
    from sparksink.session import prepare_session  # noqa: PLC0415
    from sparksink.sink import build  # noqa: PLC0415

    def make(lake: Any = None, limits: Mapping[str, Any] | None = None, **sections: Any) -> Any:
        config = parse(settings(tmp_path, **sections))
        limits = {"definition_seconds": 0.5, **(limits or {})}  # most tests have no late statement
        made = build(config, prepare_session(spark, config), lake, **limits)
        made.state.open()
        return made

    return make
