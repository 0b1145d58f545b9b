"""Kafka Connect's DropHeaders and InsertHeader."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from connector.config import REQUIRED, ConfigDef, ConfigKey, invalid
from connector.data.literals import parse_literal
from connector.data.record import Header, Record
from connector.transforms.validators import distinct


class DropHeaders:
    """Removes headers."""

    compilable: ClassVar[bool] = True
    config_def = ConfigDef(
        [ConfigKey("headers", "LIST", REQUIRED, "HIGH", "Names of headers.", validator=distinct)]
    )

    def __init__(self, config: Mapping[str, str]) -> None:
        self._names = set(self.config_def.parse(config)["headers"])

    def apply(self, record: Record) -> Record:
        """Remove them."""
        record.headers = [header for header in record.headers if header.name not in self._names]
        return record


class InsertHeader:
    """Adds a header with a fixed value."""

    compilable: ClassVar[bool] = True
    config_def = ConfigDef(
        [
            ConfigKey("header", "STRING", REQUIRED, "HIGH", "Name of the header."),
            ConfigKey(
                "value.literal", "STRING", REQUIRED, "HIGH",
                "Its value: a number, true, false, null, a time, a list, a map, else a text.",
            ),
        ]
    )  # fmt: skip

    def __init__(self, config: Mapping[str, str]) -> None:
        options = self.config_def.parse(config)
        text = options["value.literal"]
        try:
            self._header = Header(options["header"], *parse_literal(text))
        except ValueError as error:
            raise invalid("value.literal", text, str(error)) from None

    def apply(self, record: Record) -> Record:
        """Add the header at the end."""
        record.headers = [*record.headers, self._header]
        return record
