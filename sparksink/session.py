"""The Spark session: what the sink needs of it, set in one place."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pyspark.sql import SparkSession

from sparksink.config import SinkConfig
from sparksink.errors import SinkError
from sparksink.jars import jars
from sparksink.spark_types import BIG_DECIMAL, big_decimal

_CLASSES: Final = (
    "io.delta.tables.DeltaTable",
    "org.apache.spark.sql.kafka010.KafkaSourceProvider",
)
_STATIC: Final = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.scheduler.mode": "FAIR",
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
}


def session(config: SinkConfig, local: Mapping[str, str] | None) -> SparkSession:
    """Return the session. ``local`` has settings of one that is made here, with the sink's jars.

    With ``local`` None the one that spark-submit or a notebook has prepared is used.

    :raises SinkError: the jars are not there.
    """
    builder = SparkSession.builder.appName(f"sparksink {config.name}")
    settings = dict(_STATIC)
    if local is not None:
        # Without this Spark's workers take whatever python3 the path leads to.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        settings |= {**_LOCAL, "spark.jars": ",".join(map(str, jars())), **local}
    for key, value in settings.items():
        builder = builder.config(key, value)
    return prepared(builder.getOrCreate(), config)


def prepared(spark: SparkSession, config: SinkConfig) -> SparkSession:
    """Set what can be set on a session that is there.

    :raises SinkError: the table format's classes are missing.
    """
    for key, value in _RUNTIME.items():
        spark.conf.set(key, value)
    cores = max(2, spark.sparkContext.defaultParallelism)
    tasks = config.parallelism.shuffle_partitions
    spark.conf.set("spark.sql.shuffle.partitions", cores if tasks == "auto" else tasks)
    # Vacuum lists files by as many tasks as this says, 10000 unless told, however few there are.
    spark.conf.set("spark.sql.sources.parallelPartitionDiscovery.parallelism", 4 * cores)
    spark.udf.register(BIG_DECIMAL, big_decimal, "string")
    _check_jars(spark)
    return spark


def _check_jars(spark: SparkSession) -> None:
    gateway = spark._jvm  # noqa: SLF001 - the only way to ask for a class
    assert gateway is not None
    loader = gateway.java.lang.Thread.currentThread().getContextClassLoader()
    for name in _CLASSES:
        if loader.getResource(f"{name.replace('.', '/')}.class") is None:
            raise SinkError(
                f"The class {name} is not there.",
                f"Give Spark the jars of {Path('sparksink/pom.xml')}: docs/sink.md tells how.",
            )
