"""The Spark session: what the sink needs of it, set in one place."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession

from sparksink.config.keys import SinkConfig
from sparksink.config.target import Target
from sparksink.errors import SinkError
from sparksink.jars import jars
from sparksink.java import check_java
from sparksink.schemas.spark_types import BIG_DECIMAL, big_decimal

_EXTENSIONS: Final = "spark.sql.extensions"
_EXECUTORS: Final = ("executor.instances", "dynamicAllocation.maxExecutors")
_MOST_EXECUTORS: Final = 10_000
_DRIVERS: Final = ("org.mariadb.jdbc.Driver", "org.postgresql.Driver")
_KAFKA: Final = "org.apache.spark.sql.kafka010.KafkaSourceProvider"
EXTENSIONS: Final = {
    "delta": "io.delta.sql.DeltaSparkSessionExtension",
    "iceberg": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    "jdbc": "io.delta.sql.DeltaSparkSessionExtension",
    "parquet": "io.delta.sql.DeltaSparkSessionExtension",
}
"""Table format → what extends Spark's SQL; with a database the sink's own tables are Delta's."""

_DELTA: Final = {
    "spark.sql.extensions": EXTENSIONS["delta"],
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}
_STATIC: Final[Mapping[str, Mapping[str, str]]] = {
    "delta": _DELTA,
    "iceberg": {"spark.sql.extensions": EXTENSIONS["iceberg"]},
    "jdbc": _DELTA,
    "parquet": _DELTA,
}
"""Table format → what a session needs from its start."""
_CODE: Final = {
    # A batch has some eighty pieces of generated code, and each table its own. With room for 100,
    # as it is unless told, none outlives its batch, and all are compiled again for the next one.
    "spark.sql.codegen.cache.maxEntries": "10000",
}
_RUNTIME: Final = {
    # Whatever the cluster's zone is: MySQL's DATETIME has none.
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.caseSensitive": "false",
    # The files that a table's state is made of are few, and so should be the tasks.
    "spark.databricks.delta.snapshotPartitions": "2",
    # The changes lie in memory already: a checkpoint that does not change when it is read again.
    "spark.databricks.delta.merge.materializeSource": "none",
}
_LOCAL: Final = {
    "spark.master": "local[*]",
    "spark.driver.memory": "3g",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    # Batches are long and pauses harm nobody: this collector takes less CPU than G1.
    "spark.driver.extraJavaOptions": "-XX:+UseParallelGC",
}


def create_session(config: SinkConfig, local: Mapping[str, str] | None) -> SparkSession:
    """Return the session. ``local`` has settings of one that is made here, with the sink's jars.

    With ``local`` None the one that spark-submit or a notebook has prepared is used.

    :raises SinkError: the jars are not there.
    """
    builder = SparkSession.builder.appName(f"sparksink {config.name}")
    given = _submitted_settings() if local is None else local
    own = {"spark.scheduler.mode": "FAIR", **_CODE, **_STATIC[config.target.format]}
    settings = merge_settings(own, given)
    if local is not None:
        check_java()
        # Without this Spark's workers take whatever python3 the path leads to.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        settings |= {**_LOCAL, "spark.jars": ",".join(map(str, jars())), **local}
        settings |= {_EXTENSIONS: merge_settings(own, local)[_EXTENSIONS]}
    for key, value in settings.items():
        builder = builder.config(key, value)
    return prepare_session(builder.getOrCreate(), config)


def merge_settings(own: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """Return the sink's settings beside the user's: extensions are added, catalogs stay theirs."""
    there = [one.strip() for one in given.get(_EXTENSIONS, "").split(",") if one.strip()]
    more = [one for one in own[_EXTENSIONS].split(",") if one not in there]
    kept = {key: value for key, value in own.items() if key not in given or "catalog" not in key}
    return {**kept, _EXTENSIONS: ",".join([*there, *more])}


def _submitted_settings() -> Mapping[str, str]:
    """Return the settings that spark-submit, the cluster or a notebook has given."""
    active = SparkSession.getActiveSession()
    if active is not None:
        return dict(active.conf.getAll)
    SparkContext._ensure_initialized()  # noqa: SLF001 - a SparkConf is empty before that
    return dict(SparkConf().getAll())


def prepare_session(spark: SparkSession, config: SinkConfig) -> SparkSession:
    """Set what can be set on a session that is there.

    :raises SinkError: the table format's classes or extension are missing.
    """
    kafka = [] if config.source.kind == "kafka_py" else [_KAFKA]
    _check_format(spark, config.target.format, kafka)
    for key, value in _RUNTIME.items():
        spark.conf.set(key, value)
    set_shuffle_partitions(spark, config)
    spark.udf.register(BIG_DECIMAL, big_decimal, "string")
    if config.target.format == "iceberg":
        _name_catalog(spark, config.target)
    return spark


def set_shuffle_partitions(spark: SparkSession, config: SinkConfig) -> None:
    """Set into how many tasks queries are split, by the executors that are there now."""
    cores = max(2, spark.sparkContext.defaultParallelism)
    tasks = config.parallelism.shuffle_partitions
    spark.conf.set("spark.sql.shuffle.partitions", cores if tasks == "auto" else tasks)
    # Vacuum lists files by as many tasks as this says, 10000 by default, however few there are.
    spark.conf.set("spark.sql.sources.parallelPartitionDiscovery.parallelism", 4 * cores)


def max_tasks(spark: SparkSession, config: SinkConfig) -> int:
    """Return into how many tasks messages are read: as many as there may be executors later."""
    tasks = config.parallelism.batch_partitions
    if tasks != "auto":
        return tasks
    conf = spark.sparkContext.getConf()
    cores = int(conf.get("spark.executor.cores", "1") or 1)
    expected = [conf.get(f"spark.{key}", "0") for key in _EXECUTORS]
    executors = max(int(one or 0) for one in expected)
    most = executors * cores if executors <= _MOST_EXECUTORS else 0  # by default it has no limit
    return max(2, spark.sparkContext.defaultParallelism, most)


def _name_catalog(spark: SparkSession, target: Target) -> None:
    """Describe the catalog, unless the session knows it and the file tells nothing of it."""
    key = f"spark.sql.catalog.{target.catalog.name}"
    own = target.catalog.properties
    if own or spark.conf.get(key, None) is None:
        kind = {} if "catalog-impl" in own else {"type": "hadoop"}
        spark.conf.set(key, "org.apache.iceberg.spark.SparkCatalog")
        for name, value in {"warehouse": target.path, **kind, **own}.items():
            spark.conf.set(f"{key}.{name}", value)
    # A batch runs in a session of its own, whose tables would not be those of this one.
    spark.conf.set(f"{key}.cache-enabled", "false")


def _check_format(spark: SparkSession, table_format: str, more: Sequence[str]) -> None:
    extension = EXTENSIONS[table_format]
    _check_jars(spark, [extension, *more, *(_DRIVERS if table_format == "jdbc" else [])])
    if extension not in spark.conf.get("spark.sql.extensions", ""):  # type: ignore[operator] # it is a text
        raise SinkError(
            f"The session was made without what {table_format} needs.",
            f"Start it with spark.sql.extensions={extension}.",
        )


def _check_jars(spark: SparkSession, classes: Iterable[str]) -> None:
    gateway = spark._jvm  # noqa: SLF001 - the only way to ask for a class
    assert gateway is not None
    loader = gateway.java.lang.Thread.currentThread().getContextClassLoader()
    for name in classes:
        if loader.getResource(f"{name.replace('.', '/')}.class") is None:
            raise SinkError(
                f"The class {name} is not there.",
                f"Give Spark the jars of {Path('sparksink/pom.xml')}: docs/sink.md tells how.",
            )
