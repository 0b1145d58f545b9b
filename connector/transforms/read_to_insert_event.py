"""Debezium's ReadToInsertEvent: rows of a snapshot look like inserts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from connector.config import ConfigDef
from connector.data.record import Record
from connector.data.symbolic import require_known
from connector.transforms.envelopes import is_envelope


class ReadToInsertEvent:
    """Makes ``"op": "r"`` a ``"c"``."""

    compilable: ClassVar[bool] = True
    config_def = ConfigDef()

    def __init__(self, config: Mapping[str, str]) -> None:
        self.config_def.parse(config)

    def apply(self, record: Record) -> Record:
        """Change the operation of a snapshot's row."""
        value = require_known(record.value)
        if value is not None and is_envelope(record) and value.get("op") == "r":
            record.headers = record.headers.copy()
            record.value = {**value, "op": "c"}
        return record
