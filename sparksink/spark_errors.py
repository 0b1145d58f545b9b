"""Maps errors of Spark to the sink's errors."""

from __future__ import annotations

import re
from typing import Final

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped] # it has no types
from pyspark.errors import PySparkException

from sparksink.errors import DataLossError, SinkError

SparkError: Final = (PySparkException, Py4JJavaError)
"""Every error that a call of Spark can raise."""

_LOSSES: Final = ("data may have been lost", "failondataloss", "kafka_data_loss")
_LONGEST: Final = 500
_OWN: Final = re.compile(r"^sparksink\.errors\.\w+: (.+)$", re.MULTILINE)
"""An error of the sink, raised in a Python worker, in Spark's stack trace."""


def cause(error: Exception) -> str:
    """Return the first line of Spark's message; the rest is a plan, which may contain values.

    For an error that the sink raised in a worker, return its own message.
    """
    text = str(error.java_exception) if isinstance(error, Py4JJavaError) else str(error)
    if own := _OWN.search(text):
        return own[1][:_LONGEST]
    return text.strip().partition("\n")[0][:_LONGEST]


def data_loss_error(error: Exception) -> DataLossError | None:
    """Return the error for messages that are gone from Kafka, None for any other error."""
    if not any(word in str(error).lower() for word in _LOSSES):
        return None
    return DataLossError(
        f"Unread messages are gone from Kafka: {cause(error)}",
        "Let the connector take a new snapshot, then set source.on.data.loss=continue once.",
    )


def as_sink_error(error: Exception) -> SinkError:
    """Return the sink's error for an error of Spark."""
    return data_loss_error(error) or SinkError(f"Spark failed: {cause(error)}")


def is_report_fault(error: Exception) -> bool:
    """Return whether Spark 4.1.1 failed in its progress report (SPARK-57438).

    When a restart repeats an interrupted batch, the Kafka source does not know the latest offsets
    yet, and computing its lag fails. The batch itself is complete and committed by then.
    """
    return "scala.collection.IterableOps.map" in str(error)
