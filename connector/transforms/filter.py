"""Kafka Connect's Filter: drops records, which makes sense with a predicate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from connector.config import ConfigDef
from connector.data.record import Record


class Filter:
    """Drops every record that it gets."""

    compilable: ClassVar[bool] = True
    config_def = ConfigDef()

    def __init__(self, config: Mapping[str, str]) -> None:
        self.config_def.parse(config)

    def apply(self, record: Record) -> None:
        """Drop the record."""
