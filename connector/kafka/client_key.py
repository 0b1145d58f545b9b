"""The description of one setting of a Kafka client."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from connector.config import ConfigType, Importance

JAVA_ONLY: Final = ""  # the setting tunes something that only the Java client has


@dataclass(frozen=True, slots=True)
class ClientKey:
    """One setting: its type, its name in librdkafka, its range, and the values it may have."""

    name: str
    type: ConfigType
    target: str
    low: int | None = None
    high: int | None = None
    importance: Importance = "MEDIUM"
    allowed: tuple[str, ...] = ()

    @property
    def translated(self) -> bool:
        """Whether librdkafka has the setting."""
        return self.target != JAVA_ONLY
