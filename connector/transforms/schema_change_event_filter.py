"""Debezium's SchemaChangeEventFilter: leaves out some DDL statements of the schema change topic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from connector.config import ConfigDef, ConfigKey, invalid
from connector.data.java import split
from connector.data.record import Record
from connector.data.symbolic import require_known
from connector.transforms.envelopes import is_schema_change, require

_KEY: Final = "schema.change.event.exclude.list"
_TYPES: Final = ("CREATE", "ALTER", "DROP", "TRUNCATE", "DATABASE")


class SchemaChangeEventFilter:
    """Drops records of the schema change topic by their type."""

    compilable: ClassVar[bool] = True
    config_def = ConfigDef(
        [
            ConfigKey(
                _KEY, "STRING", None, "HIGH", f"Types to drop: {', '.join(_TYPES)}.", order=1,
                width="SHORT", display_name="Schema change event exclude list",
            )
        ]
    )  # fmt: skip

    def __init__(self, config: Mapping[str, str]) -> None:
        options = self.config_def.parse(config)
        require(options, _KEY)
        self._excluded = {name.strip() for name in split(options[_KEY], ",")}
        for name in self._excluded - set(_TYPES):
            raise invalid(_KEY, name, f"must be one of {', '.join(_TYPES)}")

    def apply(self, record: Record) -> Record | None:
        """Drop the record if its type is excluded."""
        if require_known(record.value) is None or not is_schema_change(record):
            return record
        changes = record.value.get("tableChanges")
        if changes is None:
            return None
        kind = changes[0]["type"] if changes else "DATABASE"
        return None if kind in self._excluded else record
