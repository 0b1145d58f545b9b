"""What Spark throws → what it means here."""

from __future__ import annotations

import re
from typing import Final

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped] # it has no types
from pyspark.errors import PySparkException

from sparksink.errors import DataLossError, SinkError

SparkError: Final = (PySparkException, Py4JJavaError)
"""All that a call of Spark can raise."""

_LOSSES: Final = ("data may have been lost", "failondataloss", "kafka_data_loss")
_LONGEST: Final = 500
_OWN: Final = re.compile(r"^sparksink\.errors\.\w+: (.+)$", re.MULTILINE)
"""What a worker of Python has raised on purpose, in the trace that Spark makes of it."""


def cause(error: Exception) -> str:
    """Return the first line of what Spark says; the rest is a plan, and may hold values.

    What was raised here, in a worker, is told as it is.
    """
    text = str(error.java_exception) if isinstance(error, Py4JJavaError) else str(error)
    if own := _OWN.search(text):
        return own[1][:_LONGEST]
    return text.strip().partition("\n")[0][:_LONGEST]


def data_loss_error(error: Exception) -> DataLossError | None:
    """Return the error that tells of messages gone from Kafka, None for any other fault."""
    if not any(word in str(error).lower() for word in _LOSSES):
        return None
    return DataLossError(
        f"Messages that were not read yet are gone from Kafka: {cause(error)}",
        "Let the connector take a new snapshot, then set source.on.data.loss=continue once.",
    )


def as_sink_error(error: Exception) -> SinkError:
    """Return what a fault of Spark means for the job."""
    return data_loss_error(error) or SinkError(f"Spark has failed: {cause(error)}")


def is_report_fault(error: Exception) -> bool:
    """Return whether Spark 4.1.1 has stumbled over its own report (SPARK-57438).

    When a batch that was cut short is repeated after a restart, the Kafka source has not asked
    for the newest offsets yet, and counting how far it is behind them fails. The batch itself
    is done and committed by then.
    """
    return "scala.collection.IterableOps.map" in str(error)
