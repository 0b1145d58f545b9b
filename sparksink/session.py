"""Creates and configures the Spark session."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

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
"""Table format → Spark SQL extension; beside a database the sink's system tables are Delta."""

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
"""Table format → static settings, which a session needs from its start."""
_CODE: Final = {
    # Each table has its own generated classes, about 80 in a batch. The default cache of 100 would
    # evict them before the next batch, which would compile all of them again.
    "spark.sql.codegen.cache.maxEntries": "10000",
}
_MOST_BYTES: Final = 1 << 27
_AVRO_LIMITS: Final = {
    # A corrupt length would otherwise allocate two gigabytes, which ends the JVM and all tables.
    f"org.apache.avro.limits.{kind}.maxLength": str(_MOST_BYTES)
    for kind in ("bytes", "string", "collectionItems")
}
"""Properties of every JVM: the longest values that Avro reads; longer ones are dead letters."""
_EXECUTOR_OPTIONS: Final = "spark.executor.extraJavaOptions"
_RUNTIME: Final = {
    # MySQL's DATETIME has no zone, so the cluster's zone must not matter.
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.caseSensitive": "false",
    # The Delta log of a table is small: more tasks would only cost time.
    "spark.databricks.delta.snapshotPartitions": "2",
    # The changes are checkpointed already, so reading them twice gives the same rows.
    "spark.databricks.delta.merge.materializeSource": "none",
}
_LOCAL: Final = {
    "spark.master": "local[*]",
    "spark.driver.memory": "3g",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    # Throughput matters, not pauses: this collector takes less CPU than G1.
    "spark.driver.extraJavaOptions": "-XX:+UseParallelGC",
}


def create_session(config: SinkConfig, local: Mapping[str, str] | None) -> SparkSession:
    """Return the session. ``local`` has settings of a local session with the sink's jars.

    With ``local`` None the session of spark-submit or of a notebook is used.

    :raises SinkError: the jars are missing.
    """
    builder = SparkSession.builder.appName(f"sparksink {config.name}")
    given = _submitted_settings() if local is None else local
    own = {"spark.scheduler.mode": "FAIR", **_CODE, **_STATIC[config.target.format]}
    settings = {**merge_settings(own, given), _EXECUTOR_OPTIONS: executor_options(given)}
    if local is not None:
        check_java()
        # Without this Spark's workers take the first python3 on the PATH.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        settings |= {**_LOCAL, "spark.jars": ",".join(map(str, jars())), **local}
        settings |= {_EXTENSIONS: merge_settings(own, local)[_EXTENSIONS]}
    for key, value in settings.items():
        builder = builder.config(key, value)
    return prepare_session(builder.getOrCreate(), config)


def merge_settings(own: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """Merge the sink's settings with the user's: extensions are added, user's catalogs win."""
    present = [one.strip() for one in given.get(_EXTENSIONS, "").split(",") if one.strip()]
    more = [one for one in own[_EXTENSIONS].split(",") if one not in present]
    kept = {key: value for key, value in own.items() if key not in given or "catalog" not in key}
    return {**kept, _EXTENSIONS: ",".join([*present, *more])}


def executor_options(given: Mapping[str, str]) -> str:
    """Return the JVM options of executors: the user's, and limits that these do not set."""
    options = given.get(_EXECUTOR_OPTIONS, "")
    limits = [f"-D{name}={size}" for name, size in _AVRO_LIMITS.items() if name not in options]
    return " ".join(filter(None, [options, *limits]))


def _submitted_settings() -> Mapping[str, str]:
    """Return the settings of spark-submit, the cluster or the notebook."""
    active = SparkSession.getActiveSession()
    if active is not None:
        return dict(active.conf.getAll)
    SparkContext._ensure_initialized()  # noqa: SLF001 - a SparkConf is empty before that
    return dict(SparkConf().getAll())


def prepare_session(spark: SparkSession, config: SinkConfig) -> SparkSession:
    """Set the runtime settings of an existing session.

    :raises SinkError: the table format's classes or extension are missing.
    """
    kafka = [] if config.source.kind == "kafka_py" else [_KAFKA]
    _check_format(spark, config.target.format, kafka)
    _limit_avro(spark)
    for key, value in _RUNTIME.items():
        spark.conf.set(key, value)
    set_shuffle_partitions(spark, config)
    spark.udf.register(BIG_DECIMAL, big_decimal, "string")
    if config.target.format == "iceberg":
        _name_catalog(spark, config.target)
    return spark


def set_shuffle_partitions(spark: SparkSession, config: SinkConfig) -> None:
    """Set the number of shuffle partitions from the present number of executors."""
    cores = max(2, spark.sparkContext.defaultParallelism)
    tasks = config.parallelism.shuffle_partitions
    spark.conf.set("spark.sql.shuffle.partitions", cores if tasks == "auto" else tasks)
    # VACUUM lists files with this many tasks, 10000 by default, even for few files.
    spark.conf.set("spark.sql.sources.parallelPartitionDiscovery.parallelism", 4 * cores)


def max_tasks(spark: SparkSession, config: SinkConfig) -> int:
    """Return into how many tasks messages are read: enough for the most executors to come."""
    tasks = config.parallelism.batch_partitions
    if tasks != "auto":
        return tasks
    conf = spark.sparkContext.getConf()
    cores = int(conf.get("spark.executor.cores", "1") or 1)
    expected = [conf.get(f"spark.{key}", "0") for key in _EXECUTORS]
    executors = max(int(one or 0) for one in expected)
    most = executors * cores if executors <= _MOST_EXECUTORS else 0  # the default has no limit
    return max(2, spark.sparkContext.defaultParallelism, most)


def _limit_avro(spark: SparkSession) -> None:
    """Limit what Avro allocates in this JVM, which must happen before it reads a value."""
    gateway: Any = spark._jvm  # noqa: SLF001 - properties of a JVM that runs have no other way
    for name, size in _AVRO_LIMITS.items():
        if gateway.System.getProperty(name) is None:
            gateway.System.setProperty(name, size)


def _name_catalog(spark: SparkSession, target: Target) -> None:
    """Configure the catalog, unless the session has it and the configuration has no properties."""
    key = f"spark.sql.catalog.{target.catalog.name}"
    own = target.catalog.properties
    if own or spark.conf.get(key, None) is None:
        kind = {} if "catalog-impl" in own else {"type": "hadoop"}
        spark.conf.set(key, "org.apache.iceberg.spark.SparkCatalog")
        for name, value in {"warehouse": target.path, **kind, **own}.items():
            spark.conf.set(f"{key}.{name}", value)
    # Batches run in cloned sessions, each with its own cache of tables.
    spark.conf.set(f"{key}.cache-enabled", "false")


def _check_format(spark: SparkSession, table_format: str, more: Sequence[str]) -> None:
    extension = EXTENSIONS[table_format]
    _check_jars(spark, [extension, *more, *(_DRIVERS if table_format == "jdbc" else [])])
    if extension not in spark.conf.get("spark.sql.extensions", ""):  # type: ignore[operator] # a string
        raise SinkError(
            f"The Spark session lacks the SQL extension of {table_format}.",
            f"Start it with spark.sql.extensions={extension}.",
        )


def _check_jars(spark: SparkSession, classes: Iterable[str]) -> None:
    gateway = spark._jvm  # noqa: SLF001 - the only way to look for a class
    assert gateway is not None
    loader = gateway.java.lang.Thread.currentThread().getContextClassLoader()
    for name in classes:
        if loader.getResource(f"{name.replace('.', '/')}.class") is None:
            raise SinkError(
                f"The class {name} is missing from Spark's class path.",
                f"Give Spark the jars of {Path('sparksink/pom.xml')}: see docs/sink/install.md.",
            )
