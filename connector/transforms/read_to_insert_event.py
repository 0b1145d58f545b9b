"""Debezium's ReadToInsertEvent: rows of a snapshot look like inserts."""

from __future__ import annotations

from collections.abc import Mapping

from connector.config import ConfigDef
from connector.data.record import Record
from connector.transforms.envelopes import is_envelope


class ReadToInsertEvent:
    """Makes ``"op": "r"`` a ``"c"``."""

    config_def = ConfigDef()

    def __init__(self, config: Mapping[str, str]) -> None:
        self.config_def.parse(config)

    def apply(self, record: Record) -> Record:
        """Change the operation of a snapshot's row."""
        if record.value is not None and is_envelope(record) and record.value.get("op") == "r":
            record.headers = record.headers.copy()
            record.value = {**record.value, "op": "c"}
        return record
