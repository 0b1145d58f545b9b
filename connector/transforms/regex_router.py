"""Kafka Connect's RegexRouter: another topic for records whose topic fits an expression."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from connector.config import REQUIRED, ConfigDef, ConfigKey, compile_regex
from connector.data.record import Record
from connector.transforms.validators import compile_replacement, java_regex


class RegexRouter:
    """Renames topics; the expression has to fit the whole name."""

    compilable: ClassVar[bool] = True
    config_def = ConfigDef(
        [
            ConfigKey(
                "regex", "STRING", REQUIRED, "HIGH", "Expression for the topic's name.",
                validator=java_regex,
            ),
            ConfigKey("replacement", "STRING", REQUIRED, "HIGH", "The new name; $1 is a group."),
        ]
    )  # fmt: skip

    def __init__(self, config: Mapping[str, str]) -> None:
        options = self.config_def.parse(config)
        self._regex = compile_regex("regex", options["regex"])
        self._replacement = compile_replacement(options["replacement"], self._regex)

    def apply(self, record: Record) -> Record:
        """Return the record with its new topic."""
        if self._regex.fullmatch(record.topic):
            record.headers = record.headers.copy()
            record.topic = self._regex.sub(self._replacement, record.topic, count=1)
        return record
