"""Kafka Connect's RegexRouter: another topic for records whose topic fits an expression."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from connector.capture.selection import pattern
from connector.config import REQUIRED, ConfigDef, ConfigKey, invalid
from connector.data.java_patterns import java_replacement
from connector.data.record import Record


class RegexRouter:
    """Renames topics; the expression has to fit the whole name."""

    config_def = ConfigDef(
        [
            ConfigKey("regex", "STRING", REQUIRED, "HIGH", "Expression for the topic's name."),
            ConfigKey("replacement", "STRING", REQUIRED, "HIGH", "The new name; $1 is a group."),
        ]
    )

    def __init__(self, config: Mapping[str, str]) -> None:
        options = self.config_def.parse(config)
        self._regex = re.compile(pattern("regex", options["regex"]).pattern)
        self._replacement = java_replacement(options["replacement"])
        try:
            self._regex.sub(self._replacement, "")
        except (re.error, IndexError) as error:
            raise invalid("replacement", options["replacement"], str(error)) from error

    def apply(self, record: Record) -> Record:
        """Return the record with its new topic."""
        match = self._regex.fullmatch(record.topic)
        if match is None:
            return record
        return replace(record, topic=match.expand(self._replacement))
