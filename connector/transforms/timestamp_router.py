"""Kafka Connect's TimestampRouter: the time of a record becomes part of its topic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from connector.config import ConfigDef, ConfigKey, invalid
from connector.data.record import Record
from connector.data.simple_date_format import SimpleDateFormat
from connector.errors import TransformError


class TimestampRouter:
    """Renames topics by the timestamp of the record."""

    compilable: ClassVar[bool] = True
    config_def = ConfigDef(
        [
            ConfigKey(
                "topic.format", "STRING", "${topic}-${timestamp}", "HIGH",
                "The new name, with ${topic} and ${timestamp}.",
            ),
            ConfigKey(
                "timestamp.format", "STRING", "yyyyMMdd", "HIGH",
                "Format of the timestamp in UTC, as of Java's SimpleDateFormat.",
            ),
        ]
    )  # fmt: skip

    def __init__(self, config: Mapping[str, str]) -> None:
        options = self.config_def.parse(config)
        self._topic: str = options["topic.format"]
        try:
            self._format = SimpleDateFormat(options["timestamp.format"])
        except ValueError as error:
            raise invalid("timestamp.format", options["timestamp.format"], str(error)) from None

    def apply(self, record: Record) -> Record:
        """Set the topic."""
        if record.timestamp is None:
            raise TransformError(
                "Timestamp missing on record. Debezium's events have none; only transforms such as "
                "EventRouter set one."
            )
        record.headers = record.headers.copy()
        named = self._topic.replace("${topic}", record.topic)
        record.topic = named.replace("${timestamp}", self._format.format(record.timestamp))
        return record
