"""Kafka Connect's predicates, which select the records of a transform."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from connector.config import REQUIRED, ConfigDef, ConfigKey, compile_regex, non_empty
from connector.data.record import Record
from connector.data.symbolic import require_known
from connector.transforms.validators import java_regex


def _regex(name: str, value: Any) -> str | None:
    return non_empty(name, value) or java_regex(name, value)


class TopicNameMatches:
    """Selects records by their topic."""

    compilable: ClassVar[bool] = True
    config_def = ConfigDef(
        [
            ConfigKey(
                "pattern", "STRING", REQUIRED, "MEDIUM",
                "Regular expression that the whole name of the topic matches.", validator=_regex,
            )
        ]
    )  # fmt: skip

    def __init__(self, config: Mapping[str, str]) -> None:
        text = self.config_def.parse(config)["pattern"]
        self._matches = compile_regex("pattern", text).fullmatch

    def test(self, record: Record) -> bool:
        """Return whether the topic matches."""
        return self._matches(record.topic) is not None


class HasHeaderKey:
    """Selects records that have a header."""

    compilable: ClassVar[bool] = True
    config_def = ConfigDef(
        [
            ConfigKey(
                "name", "STRING", REQUIRED, "MEDIUM", "Name of the header.", validator=non_empty
            )
        ]
    )

    def __init__(self, config: Mapping[str, str]) -> None:
        self._name: str = self.config_def.parse(config)["name"]

    def test(self, record: Record) -> bool:
        """Return whether the record has the header."""
        return any(header.name == self._name for header in record.headers)


class RecordIsTombstone:
    """Selects tombstones: records without a value."""

    compilable: ClassVar[bool] = True
    config_def = ConfigDef()

    def __init__(self, config: Mapping[str, str]) -> None:
        self.config_def.parse(config)

    def test(self, record: Record) -> bool:
        """Return whether the record has no value."""
        return require_known(record.value) is None
