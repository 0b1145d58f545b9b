"""The sink's errors; each class has the exit status of the command.

SinkError                 1
|__ ConfigError           2   the configuration is invalid
|__ TableError            3   one table cannot continue: it is parked, the others continue
|__ DataLossError         4   unread messages are gone from Kafka
|__ LeaseError            5   another job holds the lease of these tables
"""

from __future__ import annotations

from typing import ClassVar


class SinkError(Exception):
    """Base class; the message states the cause, ``remedy`` what to do."""

    status: ClassVar[int] = 1

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.remedy = remedy

    def __str__(self) -> str:
        """Return cause and remedy as one text."""
        return " ".join(filter(None, (super().__str__(), self.remedy)))


class ConfigError(SinkError):
    """The configuration is invalid; the message names the key."""

    status = 2


class TableError(SinkError):
    """The messages of one table cannot be applied."""

    status = 3


class DataLossError(SinkError):
    """Messages were removed from a topic before they were read."""

    status = 4


class LeaseError(SinkError):
    """Another job holds the lease of these tables."""

    status = 5
